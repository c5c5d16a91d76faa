// What the operator sees of the work of all processes together, from the database. Every query walks an index that has only
// work to do, and counts no further than COUNTED: how long a backlog is matters less than that reading it stays cheap.
import { type RawBuilder, sql } from 'kysely';
import type { App } from '../app/app.js';
import { type Reader, ReadTimeoutError } from '../db/database.js';
import { type AttemptRow, WORKER_SILENCE_MS } from '../db/tables.js';
import { isOpenAttempt } from '../publishing/attempt/open-outcomes.js';
import { dueAt } from '../publishing/attempt/waiting.js';

/** Figures are exact up to here. */
const COUNTED = 10_000;
/** Postgres ends each of the queries after this. */
const QUERY_MS = 1_500;

export interface OperatorMetrics {
  duePosts: number;
  oldestDueSeconds: number;
  workers: number;
  /** Missing if counting took too long, like those below. */
  unknownOpen?: number;
  webhookBacklog?: number;
  /** The lengths of the queues, by their names; see the guide to operations. */
  queues: Record<string, number>;
}

/**
 * What the most urgent alerts need is read first, and passed to `show`. The counts are then added to the same object one by one,
 * each in a transaction of its own: one that Postgres ends is left out, and costs no other.
 */
export async function readOperatorMetrics(
  { db, clock, log }: Pick<App, 'db' | 'clock' | 'log'>,
  show: (metrics: OperatorMetrics) => void = () => {},
): Promise<OperatorMetrics> {
  const now = clock.now();
  const metrics: OperatorMetrics = await db.readWithTimeout(QUERY_MS, async (read) => ({
    // Values of partial indexes are written out: as parameters, no index would be used.
    duePosts: await countRows(read, sql`posts where status = 'scheduled' and ${dueAt} <= ${now}`),
    oldestDueSeconds: await oldestDue(read, now),
    // Ordered along its only index: Postgres is told to avoid reading whole tables.
    workers: await countRows(read, sql`workers where heartbeat_at > ${now - WORKER_SILENCE_MS} order by id`),
    queues: {},
  }));
  show(metrics);
  const { queues } = metrics;
  queues.search = await db.countPendingPosts(COUNTED);
  const add = async (count: string, read: (read: Reader) => Promise<void>) => {
    try {
      await db.readWithTimeout(QUERY_MS, read);
    } catch (error) {
      if (!(error instanceof ReadTimeoutError)) throw error;
      log.warn({ count }, 'a count for /metrics took too long and is left out');
    }
  };
  await add('unknown', async (read) => {
    metrics.unknownOpen = await countRows(read, UNKNOWN);
  });
  await add('attempts', async (read) => {
    Object.assign(queues, await countAttempts(read, now));
  });
  for (const [queue, rows] of [
    ['tokens', sql`social_accounts where refresh_at is not null and refresh_at <= ${now}`],
    ['imports', sql`asset_sources where fetch_at <= ${now}`],
    ['deletions', sql`objects_to_delete where remove_after <= ${now}`],
  ] as const)
    await add(queue, async (read) => {
      queues[queue] = await countRows(read, rows);
    });
  await add('webhooks', async (read) => {
    metrics.webhookBacklog = await countRows(read, dueDeliveries(now));
  });
  return metrics;
}

async function countRows(read: Reader, rows: RawBuilder<unknown>): Promise<number> {
  const some = sql<{ one: number }>`(select 1 as one from ${rows} limit ${sql.lit(COUNTED)})`;
  const { n } = await read
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

async function oldestDue(read: Reader, now: number): Promise<number> {
  const oldest = await read
    .selectFrom('posts')
    .select(dueAt.as('at'))
    .where(sql<boolean>`status = 'scheduled'`)
    .where(dueAt, '<=', now)
    .orderBy(dueAt)
    .orderBy('scheduled_at')
    .limit(1)
    .executeTakeFirst();
  return oldest ? (now - oldest.at) / 1000 : 0;
}

/**
 * Along the index of open attempts: its own condition comes first, and the other one is written so that Postgres uses no index of
 * all attempts for it, in which most have ended.
 */
const UNKNOWN = sql`dispatches where ${isOpenAttempt} and outcome || '' = 'unknown'
  order by org_id, post_id`;

/** Those of disabled endpoints wait for their owner, and not for us. A cross join, which SQLite begins with its first table. */
const dueDeliveries = (now: number) => sql`webhook_endpoints cross join webhook_deliveries
  where webhook_deliveries.org_id = webhook_endpoints.org_id and webhook_deliveries.endpoint_id = webhook_endpoints.id
    and webhook_endpoints.enabled = 1 and state = 'pending' and next_at is not null and next_at <= ${now}`;

const QUEUE_OF: Record<AttemptRow['phase'], string> = {
  sending: 'interrupted',
  transferring: 'uploads',
  observing: 'polls',
  done: 'polls',
};

/** Open attempts that a worker should continue now. */
async function countAttempts(read: Reader, now: number): Promise<Record<string, number>> {
  const due = sql<Pick<AttemptRow, 'phase'>>`(
    select phase from dispatches where next_at is not null and next_at <= ${now} order by next_at limit ${sql.lit(COUNTED)}
  )`;
  const rows = await read
    .selectFrom(due.as('due'))
    .select(['phase', (eb) => eb.fn.countAll<number>().as('n')])
    .groupBy('phase')
    .execute();
  const counts: Record<string, number> = { interrupted: 0, uploads: 0, polls: 0 };
  for (const { phase, n } of rows) counts[QUEUE_OF[phase]] = (counts[QUEUE_OF[phase]] ?? 0) + n;
  return counts;
}
