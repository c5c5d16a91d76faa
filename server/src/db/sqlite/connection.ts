// One connection to the SQLite file: its settings and prepared statements.
import { type CompiledQuery, type DatabaseConnection, type QueryResult, SelectQueryNode } from 'kysely';
import Libsql from 'libsql';
import { prepareJsonSelect, type Row } from './json-rows.js';

/** How long SQLite itself may wait for another process. It blocks the whole process meanwhile. */
const BUSY_IN_SQLITE_MS = 20;

/** The service has a few hundred statements and keeps them all; this only guards against a leak. */
const MAX_STATEMENTS = 1_000;

type Execute = (parameters: readonly unknown[]) => { rows: Row[]; changes: number };

export class SqliteConnection implements DatabaseConnection {
  private readonly db: Libsql.Database;
  private readonly statements = new Map<string, Execute>();
  private readonly externalCommits: Libsql.Statement;
  /** Rows changed so far. */
  changed = 0;

  /** `exclusive`: no other process may use the file meanwhile. It must be said before the file is first read. */
  constructor(file: string, locking: 'normal' | 'exclusive' = 'normal') {
    try {
      this.db = new Libsql(file);
    } catch (error) {
      // The driver gives this one no code.
      throw Object.assign(error as Error, { code: 'SQLITE_CANTOPEN' });
    }
    this.exec(`pragma busy_timeout = ${BUSY_IN_SQLITE_MS}`);
    if (locking === 'exclusive') this.exec('pragma locking_mode = exclusive');
    this.prepareFile(locking === 'exclusive' ? 50 : 250);
    this.exec('pragma synchronous = full');
    this.exec('pragma foreign_keys = on');
    this.exec('pragma cache_size = -16000');
    this.externalCommits = this.db.prepare('pragma data_version').raw();
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** A number that changes with every commit of another connection or process. */
  dataVersion(): number {
    return (this.externalCommits.get() as [number])[0];
  }

  all(query: CompiledQuery, parameters: readonly unknown[]): Row[] {
    return this.execute(query, parameters).rows;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = this.execute(query, query.parameters);
    this.changed += changes;
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: the driver has no cursor, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are not streamed from SQLite');
  }

  /** The rows of a statement that is given as text, without its query node. */
  rowsOf(sql: string, parameters: readonly unknown[]): Row[] {
    return this.db.prepare(sql).all(parameters as unknown[]) as Row[];
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private execute(query: CompiledQuery, parameters: readonly unknown[]): ReturnType<Execute> {
    let execute = this.statements.get(query.sql);
    if (!execute) {
      if (this.statements.size >= MAX_STATEMENTS) this.statements.clear();
      execute = this.prepare(query);
      this.statements.set(query.sql, execute);
    }
    try {
      return execute(parameters);
    } catch (error) {
      // The driver does not reset a statement that failed: after a full disk, the next insert by it reported a row that was
      // not there.
      this.statements.delete(query.sql);
      throw error;
    }
  }

  private prepare({ sql, query }: CompiledQuery): Execute {
    const statement = this.db.prepare(sql);
    if (!statement.reader)
      return (parameters) => ({ rows: [], changes: statement.run(parameters as unknown[]).changes });
    if (SelectQueryNode.is(query)) {
      const columns = statement.columns().map(({ name }) => name);
      const select = prepareJsonSelect(this.db, sql, query, columns);
      return (parameters) => ({ rows: select(parameters), changes: 0 });
    }
    return (parameters) => {
      const rows = statement.all(parameters as unknown[]) as Row[];
      return { rows, changes: rows.length };
    };
  }

  /** Needs exclusive access for a moment; two first starts at the same moment may collide here. */
  private prepareFile(attempts: number): void {
    for (let attempt = 1; ; attempt++) {
      try {
        // Kept in the file, so that freed pages can be given back to the disk later. It has to be said before the first page is
        // written, which WAL does. Said again it would write, and opening would wait for other processes.
        if (this.countPages() === 0) this.exec('pragma auto_vacuum = incremental');
        this.exec('pragma journal_mode = wal');
        return;
      } catch (error) {
        if (!isBusy(error) || attempt === attempts) throw error;
      }
    }
  }

  private countPages(): number {
    const [pages] = this.db.prepare('pragma page_count').raw().get() as [number];
    return pages;
  }
}

export const isBusy = (error: unknown): boolean =>
  String((error as { code?: string }).code).startsWith('SQLITE_BUSY');
