// The distributed engine: Postgres through a pool.
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type Log, toLogFields } from '../../core/log.js';
import { perform, takeAfterCommit } from '../after-commit.js';
import { takeChanges } from '../changes.js';
import { type Database, ReadTimeoutError } from '../database.js';
import { runDirectly } from '../prepared-statements.js';
import type { Tables } from '../tables.js';
import { noGuard, type TransactionGuard } from '../transaction-guard.js';
import { type ChangeNotifier, createChangeNotifier } from './change-notifier.js';
import { LimitedTransactions, SESSION_LIMITS } from './time-limits.js';

const MIGRATION_LOCK = 4_172_017_301;
const SNAPSHOT_LOCK = 417_201;

/** Long reads, and reads of covers. */
const MAX_READS = 6;

/** The code of a statement that its time limit has ended. */
const STATEMENT_ENDED = '57014';

/** How often a transaction runs that loses a deadlock or a serialization race. */
const RUNS = 4;

export interface PostgresOptions {
  guard?: TransactionGuard;
  /** Behind a pooler that lends connections per transaction, nothing may be left to a session: no named statement, no setting. */
  pooler?: 'transaction' | null;
  /** Where the listening connection goes; null: no connection listens, and changes are polled for. */
  listenUrl?: string | null;
  /** How many of the connections are the worker's alone. */
  forWorker?: number;
}

/** Two handles on one database; they differ in whose connections they use. */
interface PostgresHandles {
  db: Database;
  /** For the worker: requests cannot use up its connections. The same handle if it has none of its own. */
  workerDb: Database;
}

export const openPostgres = (url: string, poolSize: number, log: Log, guard = noGuard): Database =>
  openPostgresHandles(url, poolSize, log, { guard }).db;

export function openPostgresHandles(
  url: string,
  poolSize: number,
  log: Log,
  { guard = noGuard, pooler = null, listenUrl = url, forWorker = 0 }: PostgresOptions,
): PostgresHandles {
  const ofRequests = createPool(url, poolSize - forWorker, pooler, log);
  const ofWorker = forWorker > 0 ? createPool(url, forWorker, pooler, log) : ofRequests;
  const changeNotifier = createChangeNotifier(listenUrl, ofWorker, log);
  const close = async () => {
    await changeNotifier.close();
    await ofRequests.end();
    if (ofWorker !== ofRequests) await ofWorker.end();
  };
  const connections = () => connectionsOf([...new Set([ofRequests, ofWorker])], poolSize);
  const snapshots = Math.max(1, Math.min(4, Math.floor(poolSize / 4)));
  const parts = { pooler, guard, changeNotifier, connections, snapshots, close };
  // On a connection of its own: a single statement of a migration may take longer than others may.
  const withMigrationLock: Database['withMigrationLock'] = async (work) => {
    const pool = createPool(url, 1, pooler, log, { query_timeout: 0, keepAlive: true });
    try {
      return await createDatabase(pool, parts).withMigrationLock(work);
    } finally {
      await pool.end();
    }
  };
  const handleOf = (pool: pg.Pool): Database => ({ ...createDatabase(pool, parts), withMigrationLock });
  const db = handleOf(ofRequests);
  return { db, workerDb: ofWorker === ofRequests ? db : handleOf(ofWorker) };
}

function createPool(url: string, max: number, pooler: Pooler, log: Log, others: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    query_timeout: 20_000, // for a server that accepts the query and never answers
    ...(pooler === null ? SESSION_LIMITS : {}),
    application_name: 'airdate',
    types: { getTypeParser },
    ...others,
  });
  const lost = (err: Error) => log.warn(toLogFields(err), 'a database connection was lost');
  pool.on('error', lost);
  // The pool listens only while a connection is idle; without a listener, losing a busy one would end the process.
  pool.on('connect', (client) => client.on('error', lost));
  return pool;
}

type Pooler = 'transaction' | null;

interface HandleDeps {
  pooler: Pooler;
  guard: TransactionGuard;
  changeNotifier: ChangeNotifier;
  connections: Database['connections'];
  snapshots: number;
  close(): Promise<void>;
}

function connectionsOf(pools: readonly pg.Pool[], max: number): ReturnType<Database['connections']> {
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((n, pool) => n + count(pool), 0);
  return {
    idle: sum((pool) => pool.idleCount),
    busy: sum((pool) => pool.totalCount - pool.idleCount),
    waiting: sum((pool) => pool.waitingCount),
    max,
  };
}

function createDatabase(
  pool: pg.Pool,
  { pooler, guard, changeNotifier, connections, snapshots, close }: HandleDeps,
): Database {
  const outer = {
    connect: async () => {
      guard.assertOutside();
      return discardIfPending(await pool.connect());
    },
    end: () => pool.end(),
  };
  const Dialect = pooler === null ? PostgresDialect : LimitedTransactions;
  // biome-ignore lint/suspicious/noExplicitAny: the dialect asks for pg's whole Pool type and uses these two
  const db = new Kysely<Tables>({ dialect: new Dialect({ pool: outer as any }) });
  runDirectly(db, async ({ query, name }, parameters) => {
    guard.assertOutside();
    const question = { text: query.sql, values: parameters as unknown[] };
    const isKept = name !== undefined && pooler === null;
    return { rows: (await pool.query(isKept ? { name, ...question } : question)).rows };
  });
  const transact: Database['transact'] = async (work) => {
    for (let run = 1; ; run++) {
      // The error of the work itself. A rollback on a lost connection fails too, and would hide it.
      let cause: unknown;
      const remember = (error: unknown) => {
        cause = error;
        throw error;
      };
      try {
        let inner: object | undefined;
        const result = await db.transaction().execute((tx) => {
          inner = tx;
          return guard.run(() => work(tx)).catch(remember);
        });
        if (inner) {
          changeNotifier.notify(takeChanges(inner));
          await perform(takeAfterCommit(inner));
        }
        return result;
      } catch (thrown) {
        const error = cause ?? thrown;
        const { code } = error as { code?: string };
        if ((code !== '40001' && code !== '40P01') || run === RUNS) throw error;
        await delay(Math.random() * 20 * run);
      }
    }
  };

  const half = Math.floor(pool.options.max / 2);
  const covers = Math.min(MAX_READS, Math.floor(half / 2));

  return {
    engine: 'postgres',
    read: db,
    readWithTimeout: (ms, work) =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute(async (tx) => {
          await sql`select set_config('statement_timeout', ${String(ms)}, true),
            set_config('max_parallel_workers_per_gather', '0', true),
            set_config('enable_seqscan', 'off', true)`.execute(tx);
          return guard.run(() => work(tx));
        })
        .catch((error) => {
          throw (error as { code?: string }).code === STATEMENT_ENDED ? new ReadTimeoutError() : error;
        }),
    readSnapshot: (name, work) =>
      db
        .transaction()
        .setAccessMode('read only')
        .setIsolationLevel('repeatable read')
        .execute(async (tx) => {
          // Until the transaction ends, however it does.
          const { rows } = await sql<{ taken: boolean }>`
            select pg_try_advisory_xact_lock(${SNAPSHOT_LOCK}, hashtext(${name})) as taken`.execute(tx);
          return rows[0]?.taken ? work(tx) : null;
        }),
    // Postgres runs them elsewhere, and ends them after 15 s.
    readLong: db,
    transact,
    readChangeStamp: () => null,
    indexPendingBatch: async () => false,
    countPendingPosts: async () => 0,
    async now() {
      guard.assertOutside();
      const { rows } = await pool.query(
        // Rounded down, so that it is never ahead of the clock.
        'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
      );
      return rows[0].ms;
    },
    maxTransactions: pool.options.max,
    capacity: { longReads: Math.min(MAX_READS, half - covers), covers, snapshots },
    search: { batch: 250, minPage: 1_000, position: 'strpos', isSynchronous: false },
    connections,
    isDiskFull: async () => false,
    listen: (listener) => changeNotifier.listen(listener),
    isPolling: () => changeNotifier.isPolling(),
    withMigrationLock: (work) =>
      transact(async (tx) => {
        const run = async (sql: string) => {
          await tx.executeQuery({ sql, parameters: [], query: {} as never, queryId: {} as never });
        };
        // The lock lasts until the transaction ends. Waiting for another process may take a while.
        await run('set local statement_timeout = 0');
        await run('set local idle_in_transaction_session_timeout = 0');
        await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        return work(tx, run);
      }),
    close,
  };
}

/**
 * A connection for one use. If a query on it was abandoned without the server's answer, it is closed and not used again: the
 * server may still run the query, and the next transaction would then commit what is left of this one. A rollback would
 * wait just as long; closing has the same effect.
 */
function discardIfPending(client: pg.PoolClient): Pick<pg.PoolClient, 'release'> & { query: Ask } {
  let unanswered: Error | undefined;
  return {
    async query(text, values) {
      if (unanswered) throw unanswered;
      try {
        return await client.query(text, values);
      } catch (err) {
        if (!(err instanceof pg.DatabaseError)) unanswered = err as Error;
        throw err;
      }
    },
    release: () => client.release(unanswered),
  };
}

type Ask = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

const INT8 = 20;
const NUMERIC = 1700;

/** Our bigints are times and counts, far below 2^53; sums of them are numeric. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 || oid === NUMERIC) return Number;
  // biome-ignore lint/suspicious/noExplicitAny: pg's own overloads do not accept its own union
  return pg.types.getTypeParser(oid, format as any);
}
