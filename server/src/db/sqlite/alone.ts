// A SQLite database that no other process uses, for reading while it must not change.
import { type Reader, SourceInUse } from '../database.js';
import { isBusy, SqliteConnection } from './connection.js';
import { kyselyOver } from './sqlite.js';

export interface LoneDatabase {
  read: Reader;
  close(): void;
}

/**
 * Every process of the service keeps a shared lock on the file as long as it runs; the exclusive one excludes them all, and
 * keeps new ones from opening it. The system releases it with the process, however that ends.
 */
export function openSqliteAlone(file: string): LoneDatabase {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(file, 'exclusive');
    connection.exec('begin exclusive; commit');
    connection.exec('pragma query_only = on');
  } catch (error) {
    connection?.close();
    throw isBusy(error) ? new SourceInUse(`a process uses ${file}`) : error;
  }
  const opened = connection;
  return { read: kyselyOver(opened, () => {}), close: () => opened.close() };
}
