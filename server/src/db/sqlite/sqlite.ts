// The embedded engine: SQLite in WAL mode, every commit flushed to disk before it is acknowledged.
//
// Two connections. Transactions run one after the other on the writer; single reads go to the reader and see only what is
// committed. Reads of many rows go to processes of their own (reader-pool.ts). The driver is synchronous, so nothing may wait
// inside SQLite: a transaction that finds another process writing retries from JavaScript, and other requests go on meanwhile.
// Transactions that wait at the same time share one commit, and with it one flush, which is most of a small write's cost.
// Each has its own savepoint, and no caller learns of success or failure before the commit: what one of them saw of the
// others is then true for all.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { yieldEvery } from '../../core/concurrency.js';
import { isDiskFull } from '../../core/disk-space.js';
import { unavailable } from '../../core/problems.js';
import { perform, takeAfterCommit } from '../after-commit.js';
import { ChangeListeners, takeChanges } from '../changes.js';
import type { ConnectionUsage, Database, Tx } from '../database.js';
import { runDirectly } from '../prepared-statements.js';
import type { Tables } from '../tables.js';
import { noGuard, type TransactionGuard } from '../transaction-guard.js';
import { Checkpoints } from './checkpoints.js';
import { CommitVersions } from './commit-versions.js';
import { isBusy, SqliteConnection } from './connection.js';
import { ExternalCommits } from './external-commits.js';
import { countPendingPosts, indexPendingUpTo, lastOfPendingBatch } from './pending-posts.js';
import { ReaderPool } from './reader-pool.js';

const BUSY_IN_TOTAL_MS = 5_000;

/** Bounds how long the first transaction of a batch waits. */
const MAX_PER_COMMIT = 64;

/** The driver is synchronous: after this long within a batch, reads and everything else are served. */
const BUSY_MS = 8;

export function openSqlite(file: string, guard: TransactionGuard = noGuard): Database {
  mkdirSync(dirname(file), { recursive: true });
  const writer = new SqliteConnection(file);
  const reader = new SqliteConnection(file);
  reader.exec('pragma query_only = on');
  const listeners = new ChangeListeners();
  const commits = new CommitVersions();
  const externalCommits = new ExternalCommits(writer);
  const aside = new ReaderPool(file);
  const queue = new WriteQueue(writer, guard, listeners, commits, new Checkpoints(writer, aside));
  const read = createKysely(reader, guard.assertOutside);
  runDirectly(read, async ({ query }, parameters) => {
    guard.assertOutside();
    return { rows: reader.all(query, parameters) as never[] };
  });
  // Processes of their own: these may take minutes.
  const snapshots = new ReaderPool(file);
  const named = new Set<string>();
  return {
    engine: 'sqlite',
    read,
    readWithTimeout: (_ms, work) => work(read),
    readLong: createKysely(aside, guard.assertOutside),
    async readSnapshot(name, work) {
      if (named.has(name)) return null;
      named.add(name);
      try {
        return await snapshots.inOneTransaction((connection) => work(createKysely(connection, () => {})));
      } finally {
        named.delete(name);
      }
    },
    transact(work) {
      guard.assertOutside();
      return queue.add(work);
    },
    readChangeStamp: async (orgId) => `${await externalCommits.version()}.${commits.lastOf(orgId)}`,
    async indexPendingBatch() {
      guard.assertOutside();
      const last = await lastOfPendingBatch(read);
      if (last === null) return false;
      // Plain SQL is not counted as a change: no read returns anything else for it.
      await queue.add(async () => writer.exec(indexPendingUpTo(last)));
      return true;
    },
    countPendingPosts: (limit) => countPendingPosts(read, limit),
    now: async () => Date.now(),
    maxTransactions: 64,
    // An organization has one process for long reads, and the next another.
    capacity: { longReads: 2, covers: 2, snapshots: 2 },
    // 96 of the worst posts take 10 ms.
    search: { batch: 96, minPage: 0, position: 'instr', isSynchronous: true },
    connections: () => queue.state(),
    isDiskFull: () => isDiskFull(dirname(file)),
    listen: async (listener) => listeners.add(listener),
    isPolling: () => false,
    withMigrationLock(work) {
      guard.assertOutside();
      return queue.add((tx) => work(tx, async (sql) => writer.exec(sql))).finally(() => commits.add([]));
    },
    async close() {
      await queue.drained();
      await aside.close();
      await snapshots.close();
      // Moves everything into one file, so that a copy made after a stop is complete.
      writer.exec('pragma wal_checkpoint(truncate)');
      reader.close();
      writer.close();
    },
  };
}

interface WaitingTransaction {
  work(tx: Tx): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Runs transactions one after the other, and commits those that wait together. */
class WriteQueue {
  private readonly connection: SqliteConnection;
  private readonly guard: TransactionGuard;
  private readonly listeners: ChangeListeners;
  private readonly commits: CommitVersions;
  private readonly checkpoints: Checkpoints;
  private readonly tx: Tx;
  private readonly waiting: WaitingTransaction[] = [];
  private running: Promise<void> | null = null;

  constructor(
    connection: SqliteConnection,
    guard: TransactionGuard,
    listeners: ChangeListeners,
    commits: CommitVersions,
    checkpoints: Checkpoints,
  ) {
    this.connection = connection;
    this.guard = guard;
    this.listeners = listeners;
    this.commits = commits;
    this.checkpoints = checkpoints;
    // Kysely only compiles the statements here; begin, savepoints and commit are ours.
    this.tx = createKysely(connection, () => {}) as Tx;
    runDirectly(this.tx, ({ query }, parameters) => connection.executeQuery({ ...query, parameters }));
  }

  add<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      this.running ??= this.run();
    });
  }

  /** The one connection that writes, and the transactions that wait for it. */
  state(): ConnectionUsage {
    const busy = this.running ? 1 : 0;
    return { idle: 1 - busy, busy, waiting: this.waiting.length, max: 1 };
  }

  async drained(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    await this.gather();
    while (this.waiting.length > 0) {
      await this.runBatch();
      await this.gather();
    }
    this.running = null;
  }

  /** Waits a moment for others to join, and again as long as one does: transactions that arrive together share a commit. */
  private async gather(): Promise<void> {
    let before: number;
    do {
      before = this.waiting.length;
      await new Promise(setImmediate);
    } while (this.waiting.length > before && this.waiting.length < MAX_PER_COMMIT);
  }

  private async runBatch(): Promise<void> {
    const answers: (() => void)[] = [];
    const batch: WaitingTransaction[] = [];
    const changedBefore = this.connection.changed;
    const shareLoop = yieldEvery(BUSY_MS);
    try {
      await beginImmediate(this.connection);
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
        batch.push(next);
        answers.push(await this.runOne(next));
        if (batch.length === MAX_PER_COMMIT) break;
        await shareLoop();
      }
      this.checkpoints.commitWithCheckpoint(this.connection.changed - changedBefore, () =>
        this.connection.exec('commit'),
      );
    } catch (error) {
      try {
        this.connection.exec('rollback');
      } catch {
        // There was nothing to roll back: the begin failed, or SQLite has rolled back by itself.
      }
      // A commit that failed may be on disk after all.
      this.commits.add([]);
      const unserved = batch.length > 0 ? batch : this.waiting.splice(0);
      for (const { reject } of unserved) reject(error);
      return;
    }
    for (const answer of answers) answer();
  }

  /** Returns what to call once the batch is committed. */
  private async runOne({ work, resolve, reject }: WaitingTransaction): Promise<() => void> {
    this.connection.exec('savepoint one');
    const changedBefore = this.connection.changed;
    try {
      const result = await this.guard.run(() => work(this.tx));
      this.connection.exec('release one');
      const changes = takeChanges(this.tx);
      const planned = takeAfterCommit(this.tx);
      const isUnchanged = this.connection.changed === changedBefore;
      return () => {
        if (!isUnchanged) this.commits.add(changes.map(({ orgId }) => orgId));
        this.listeners.notify(changes);
        perform(planned).then(() => resolve(result));
      };
    } catch (error) {
      takeChanges(this.tx);
      takeAfterCommit(this.tx);
      try {
        this.connection.exec('rollback to one; release one');
      } catch {
        // On a full disk SQLite has rolled back the whole batch by itself.
        throw error;
      }
      return () => reject(error);
    }
  }
}

export function createKysely(connection: DatabaseConnection, check: () => void): Kysely<Tables> {
  const noTransactions = async () => {
    throw new Error('transactions are opened with Database.transact');
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => {
      check();
      return connection;
    },
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    releaseConnection: async () => {},
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
 * Takes the write lock immediately. A deferred `begin` reads first and takes the lock later, and then fails with
 * SQLITE_BUSY_SNAPSHOT if another process wrote in between, whatever the timeout.
 */
async function beginImmediate(connection: SqliteConnection): Promise<void> {
  const giveUpAt = performance.now() + BUSY_IN_TOTAL_MS;
  for (;;) {
    try {
      connection.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > giveUpAt)
        throw unavailable('The database is busy with another process. Try again in a moment.', error);
      await delay(1 + Math.random() * 10);
    }
  }
}

/** `begin immediate` already excludes other writers, so row locks (`for update`) are left out. */
class LockFreeCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node);
  }
}
