// The database port: what the rest of the service may ask of either engine.
import type { Kysely, Transaction } from 'kysely';
import type { Listener } from './changes.js';
import type { Tables } from './tables.js';

/** Single reading statements outside a transaction. Writing needs `transact`. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'withRecursive' | 'fn'>;

export type Tx = Transaction<Tables>;

export interface Database {
  readonly engine: 'sqlite' | 'postgres';

  /** Sees only what is committed. Not for use inside `transact`; see transaction-guard.ts. */
  readonly read: Reader;

  /**
   * The same for reads that may take long: on SQLite they run in another process, because they would stop this one. Both engines end
   * them after 15 s.
   */
  readonly readLong: Reader;

  /**
   * Several reads, each of which Postgres ends after `ms`: the whole then fails with ReadTimeoutError. They share a connection of
   * the pool, and run on one processor. SQLite cannot end a read: each must be short by itself.
   */
  readWithTimeout<T>(ms: number, work: (read: Reader) => Promise<T>): Promise<T>;

  /**
   * Reads that see one state of the database, however long they take: on a connection of their own, on SQLite in another process.
   * Work may wait for something else in between, but the server ends it after 30 s without a statement. Returns null, and runs nothing, if
   * any process runs work of the same name.
   */
  readSnapshot<T>(name: string, work: (read: Reader) => Promise<T>): Promise<T | null>;

  /**
   * Runs `work` in a transaction that may write, and commits when it resolves. Nothing but database statements
   * may be awaited inside: on SQLite a transaction stops every other writer.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /**
   * A text that changes whenever something of the organization may have been committed since, by any process. Null where
   * that is not known, as on Postgres. Taken before a read, it tells later whether the read would return the same.
   */
  readChangeStamp(orgId: string): Promise<string> | null;

  /**
   * Adds one batch of posts to the index of their text, which SQLite leaves for later. No read returns anything else afterwards.
   * Returns whether there is more to do.
   */
  indexPendingBatch(): Promise<boolean>;

  /** How many entries wait for `runMaintenance`, counted up to a limit. */
  countPendingPosts(limit: number): Promise<number>;

  /** How many transactions of this handle run at a time; on SQLite, how many are committed together. */
  readonly maxTransactions: number;

  /**
   * How many reads may run at a time: long ones, and those of covers, which leave half of the connections of Postgres to everything
   * else; and snapshots. On SQLite each is a process.
   */
  readonly capacity: { longReads: number; covers: number; snapshots: number };

  /** How posts are searched; see posts/list/search.ts. */
  readonly search: SearchTraits;

  /** The connections of this process, for metrics: on SQLite the one that writes. */
  connections(): ConnectionUsage;

  /** Whether the disk of this machine that it is on is full; never if a server has it. */
  isDiskFull(): Promise<boolean>;

  /** The database's own time, for hosts whose clocks disagree. */
  now(): Promise<number>;

  /**
   * Reports changes (see changes.ts) after their commit: those of this process, and on Postgres those of every other.
   * Resolves when it listens, or fails to for now; on Postgres the first listener opens a connection. Returns how to stop.
   */
  listen(listener: Listener): Promise<() => void>;

  /** Whether listeners are only told at intervals that they may have missed changes, because notifications do not arrive. */
  isPolling(): boolean;

  /** Runs `work` in one transaction while no other process migrates. `run` executes plain SQL. */
  withMigrationLock<T>(work: (tx: Tx, run: (sql: string) => Promise<void>) => Promise<T>): Promise<T>;

  close(): Promise<void>;
}

export interface SearchTraits {
  /** How many posts one statement looks at. */
  batch: number;
  /** How many posts one page of the index has at least: Postgres asks its index again for each. */
  minPage: number;
  /** The function that looks for a text in another. */
  position: 'instr' | 'strpos';
  /** Whether no request is served meanwhile. Statements are then shorter for more words, and run one at a time. */
  isSynchronous: boolean;
}

export interface ConnectionUsage {
  idle: number;
  busy: number;
  /** Work that waits for one. */
  waiting: number;
  max: number;
}

export class ReadTimeoutError extends Error {}

/** Another process uses a database that must not change. */
export class DatabaseInUseError extends Error {}

/** How many transactions one part of the process may run at a time, so that the others find a connection. */
export const transactionBudget = (db: Pick<Database, 'engine' | 'maxTransactions'>, share: number): number =>
  db.engine === 'sqlite' ? db.maxTransactions : Math.max(1, Math.floor(db.maxTransactions * share));
