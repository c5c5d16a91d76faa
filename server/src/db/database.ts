// The database port: what the rest of the service may ask of either engine.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Compilable, Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.js';

/** Single reading statements outside a transaction. Writing needs `transact`. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'fn'>;

export type Tx = Transaction<Tables>;

export interface Database {
  readonly engine: 'sqlite' | 'postgres';

  /** Sees what is committed. Using it inside `transact` throws: there it would read the past, or wait forever. */
  readonly read: Reader;

  /**
   * Runs `work` in a transaction that may write, and commits when it resolves. Nothing but database statements
   * may be awaited inside: on SQLite a transaction stops every other writer.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /**
   * A read whose text is made once and not per call, for the hottest ones. `build` gets placeholders in the order of the
   * later values. With a name Postgres keeps its plan too: only for look-ups by a whole key, because a kept plan
   * that does not know the organization's size was measured 7 times slower for a large one.
   */
  readOnce<Row, const Args extends readonly (string | number)[]>(
    build: (read: Reader, ...args: Args) => Compilable<Row>,
    name?: string,
  ): (...args: Args) => Promise<Row[]>;

  /** The database's own idea of the time, for hosts whose clocks disagree. */
  now(): Promise<number>;

  /** Runs `work` while no other process migrates, in one transaction. `run` executes plain SQL. */
  migrating<T>(work: (tx: Tx, run: (sql: string) => Promise<void>) => Promise<T>): Promise<T>;

  close(): Promise<void>;
}

/** Column types that differ between the engines; everything else in a migration is one text. */
export interface ColumnTypes {
  uuid: string;
  /** Text that is compared byte by byte. */
  word: string;
}

// --- The guard against the outer handle inside a transaction, shared by both adapters ---

const inTransaction = new AsyncLocalStorage<true>();

export function runInTransaction<T>(work: () => Promise<T>): Promise<T> {
  return inTransaction.run(true, work);
}

/** On SQLite the outer handle would hang here and on Postgres silently read outside: make both throw. */
export function assertOutsideTransaction(): void {
  if (inTransaction.getStore())
    throw new Error('inside a transaction only its own handle (tx) may be used, not the outer one');
}
