// A SQLite database that no other process uses, for reading while it must not change.
import { DatabaseInUseError, type Reader } from '../database.js';
import { isBusy, SqliteConnection } from './connection.js';
import { createKysely } from './sqlite.js';

export interface ExclusiveDatabase {
  read: Reader;
  close(): void;
}

/**
 * Every process of the service keeps a shared lock on the file as long as it runs; the exclusive one excludes them all, and
 * keeps new ones from opening it. The system releases it with the process, however that ends.
 */
export function openSqliteExclusively(file: string): ExclusiveDatabase {
  let connection: SqliteConnection | undefined;
  try {
    connection = new SqliteConnection(file, 'exclusive');
    connection.exec('begin exclusive; commit');
    connection.exec('pragma query_only = on');
  } catch (error) {
    connection?.close();
    throw isBusy(error) ? new DatabaseInUseError(`a process uses ${file}`) : error;
  }
  const opened = connection;
  return { read: createKysely(opened, () => {}), close: () => opened.close() };
}
