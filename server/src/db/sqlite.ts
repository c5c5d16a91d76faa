// The embedded engine: SQLite in WAL mode, every commit flushed to disk before it is acknowledged.
//
// Two connections. All transactions take turns on the writer; single reads go to the reader and see only what
// is committed. The driver is synchronous, so no statement may wait inside SQLite: the busy time-out is short, and
// a transaction that finds another process writing tries again from JavaScript, where everybody else goes on.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import Libsql from 'libsql';
import { unavailable } from '../problems.js';
import { assertOutsideTransaction, type ColumnTypes, type Database, runInTransaction } from './database.js';
import type { Tables } from './tables.js';

export const sqliteTypes: ColumnTypes = { uuid: 'text', word: 'text' };

const BUSY_IN_SQLITE_MS = 20;
const BUSY_IN_TOTAL_MS = 5_000;

export function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true });
  const writer = new Connection(file);
  const reader = new Connection(file);
  reader.pragma('query_only = on');
  const turn = new Turn();
  const write = kyselyOver(writer, async () => {
    assertOutsideTransaction();
    return turn.take();
  });
  const read = kyselyOver(reader, async () => {
    assertOutsideTransaction();
    return () => {};
  });
  const transact: Database['transact'] = (work) =>
    write.transaction().execute((tx) => runInTransaction(() => work(tx)));

  return {
    engine: 'sqlite',
    read,
    transact,
    named(_name, build) {
      let sql: string | undefined;
      return async (...args) => {
        assertOutsideTransaction();
        sql ??= build(read, ...args).compile().sql;
        return reader.all(sql, args) as never[];
      };
    },
    now: async () => Date.now(),
    migrating: (work) => transact((tx) => work(tx, async (sql) => writer.exec(sql))),
    async close() {
      (await turn.take())();
      reader.close();
      writer.close();
    },
  };
}

class Connection implements DatabaseConnection {
  private readonly db: Libsql.Database;
  /** Preparing costs twice as much as running; the service has some hundred texts, so they are simply kept. */
  private readonly statements = new Map<string, Libsql.Statement>();

  constructor(file: string) {
    this.db = new Libsql(file);
    this.pragma(`busy_timeout = ${BUSY_IN_SQLITE_MS}`);
    this.retrySync(() => this.pragma('journal_mode = wal'));
    this.pragma('synchronous = full');
    this.pragma('foreign_keys = on');
    this.pragma('cache_size = -16000');
  }

  pragma(text: string): void {
    this.db.pragma(text);
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  all(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.statement(sql).all(parameters as unknown[]) as unknown[];
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.statement(sql);
    if (statement.reader) return { rows: statement.all(parameters as unknown[]) as R[] };
    const { changes } = statement.run(parameters as unknown[]);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: the driver has no cursor, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are not streamed from SQLite');
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private statement(sql: string): Libsql.Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      if (this.statements.size >= 1_000) this.statements.clear();
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  /** Switching a new file to WAL needs it alone for a moment; two first starts at once may meet here. */
  private retrySync(act: () => void): void {
    for (let attempt = 1; ; attempt++) {
      try {
        act();
        return;
      } catch (error) {
        if (!isBusy(error) || attempt === 250) throw error;
      }
    }
  }
}

function kyselyOver(connection: Connection, enter: () => Promise<() => void>): Kysely<Tables> {
  const leave = new WeakMap<DatabaseConnection, () => void>();
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => {
      leave.set(connection, await enter());
      return connection;
    },
    beginTransaction: () => beginImmediate(connection),
    commitTransaction: async () => connection.exec('commit'),
    rollbackTransaction: async () => connection.exec('rollback'),
    releaseConnection: async () => leave.get(connection)?.(),
    destroy: async () => {},
  };
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new LockFreeCompiler(),
    },
  });
}

/**
 * Takes the write lock at once. A deferred `begin` reads first and asks for the lock later, and then fails with
 * SQLITE_BUSY_SNAPSHOT whenever another process wrote in between, whatever the time-out.
 */
async function beginImmediate(connection: Connection): Promise<void> {
  const giveUpAt = Date.now() + BUSY_IN_TOTAL_MS;
  for (;;) {
    try {
      return connection.exec('begin immediate');
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() > giveUpAt)
        throw unavailable('The database is busy with another process. Try again in a moment.', error);
      await delay(1 + Math.random() * 10);
    }
  }
}

const isBusy = (error: unknown) => String((error as { code?: string }).code).startsWith('SQLITE_BUSY');

/** `begin immediate` already keeps every other writer out, so row locks (`for update`) say nothing here. */
class LockFreeCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node);
  }
}

/** Hands out the writer, first come first served. */
class Turn {
  private last: Promise<void> = Promise.resolve();

  async take(): Promise<() => void> {
    const before = this.last;
    let leave = () => {};
    this.last = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    return leave;
  }
}
