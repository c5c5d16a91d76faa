// Taking what a quota limits. Each function runs in the transaction that uses it, and refuses with `quota_exceeded`.
//
// Two requests cannot both use up the last of a quota: the second waits for the first's lock. Counted quotas are guarded by the row
// of the organization, bytes and posts by their counters. The order of locks is organization, post, bytes, post counters.
import type { ExpressionBuilder } from 'kysely';
import type { TxApp } from '../app/app.js';
import type { Reader, Tx } from '../db/database.js';
import { prepareWrite } from '../db/prepared-statements.js';
import type { DailyPostCountTable, Tables } from '../db/tables.js';
import { type Allowance, limitOf } from './plans.js';
import { detailOf, quotaExceeded } from './refusal.js';
import {
  type CountedQuota,
  countBytes,
  countedPostsOfDay,
  countPostsSince,
  countQuotaRows,
  dayOf,
  startOf,
} from './usage.js';

type QuotaDeps = Pick<TxApp, 'config' | 'clock'>;

const allowanceOf = (read: Reader, orgId: string) =>
  read.selectFrom('organizations').select(['plan', 'quotas']).where('id', '=', orgId);

/** To be called before other rows are locked. */
export async function reserveQuota(
  app: QuotaDeps,
  tx: Tx,
  orgId: string,
  quota: CountedQuota,
): Promise<void> {
  // Not "for update": that would block every write that refers to the organization.
  const of = await allowanceOf(tx, orgId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const limit = limitOf(app.config, of, quota);
  if (limit === null) return;
  const { n } = await countQuotaRows(tx, quota, orgId, app.clock.now(), limit).executeTakeFirstOrThrow();
  if (n >= limit) throw quotaExceeded(quota, n, limit);
}

/**
 * Counts posts that this transaction has just created; refuses if there is no room for all of them. Without a limit it costs nothing,
 * with one a single statement.
 */
export async function countDailyPosts(
  app: QuotaDeps,
  tx: Tx,
  orgId: string,
  of: Allowance,
  posts: number,
): Promise<void> {
  const limit = limitOf(app.config, of, 'posts_per_day');
  if (limit === null || posts === 0) return;
  const day = dayOf(app.clock.now());
  const { rows } = await countUpTo(tx, orgId, day, startOf(day), posts, limit, limit + posts);
  const [counted] = rows;
  if (counted && counted.n <= limit) return;
  const known = counted ? undefined : await countedPostsOfDay(tx, orgId, day).executeTakeFirst();
  if (known) throw quotaExceeded('posts_per_day', known.n, limit);
  // None of today was counted before these.
  const { n } = await countPostsSince(tx, orgId, startOf(day), limit + posts).executeTakeFirstOrThrow();
  throw quotaExceeded('posts_per_day', n - posts, limit);
}

/**
 * Returns nothing if the counter would exceed the limit. The day's first post counts the posts themselves, up to `limit`, and with them
 * those of before there was a limit; of two first posts the second waits for the first, and adds to its counter.
 */
const countUpTo = prepareWrite(
  (tx, org_id: string, day: number, since: number, posts: number, limit: number, countLimit: number) => {
    const isCounted = (eb: ExpressionBuilder<Tables, 'daily_post_counts'>) =>
      eb('daily_post_counts.day', '=', day);
    const n = (
      eb: ExpressionBuilder<Tables & { excluded: DailyPostCountTable }, 'daily_post_counts' | 'excluded'>,
    ) =>
      eb
        .case()
        .when(isCounted(eb as never))
        .then(eb('daily_post_counts.n', '+', posts))
        .else(eb.ref('excluded.n'))
        .end();
    return tx
      .insertInto('daily_post_counts')
      .values((eb) => ({
        org_id,
        day,
        n: eb
          .case()
          .when(eb.exists(countedPostsOfDay(tx, org_id, day)))
          .then(posts)
          .else(countPostsSince(tx, org_id, since, countLimit))
          .end(),
      }))
      .onConflict((conflict) =>
        conflict
          .column('org_id')
          .doUpdateSet((eb) => ({ day, n: n(eb as never) }))
          .where((eb) => eb(n(eb as never), '<=', limit)),
      )
      .returning('n');
  },
);

/** After a change of the limit: without one no post is counted, so a later limit begins with the posts themselves. */
export async function forgetDailyPosts(app: QuotaDeps, tx: Tx, orgId: string, of: Allowance): Promise<void> {
  if (limitOf(app.config, of, 'posts_per_day') === null)
    await tx.deleteFrom('daily_post_counts').where('org_id', '=', orgId).execute();
}

/** Refuses before work is done for a post that could not be created today. */
export async function assertDailyPostLeft(
  app: QuotaDeps,
  read: Reader,
  orgId: string,
  of: Allowance,
): Promise<void> {
  const limit = limitOf(app.config, of, 'posts_per_day');
  if (limit === null) return;
  const day = dayOf(app.clock.now());
  const counted = await countedPostsOfDay(read, orgId, day).executeTakeFirst();
  const { n } =
    counted ?? (await countPostsSince(read, orgId, startOf(day), limit).executeTakeFirstOrThrow());
  if (n >= limit) throw quotaExceeded('posts_per_day', n, limit);
}

/**
 * For the grant of an upload, and for copies. `wanted` is null if the client does not know the length: then anything left is
 * enough. `wantedBy` begins the sentence of the refusal.
 */
export async function reserveBytes(
  app: QuotaDeps,
  tx: Tx,
  orgId: string,
  of: Allowance,
  wanted: number | null,
  wantedBy?: string,
): Promise<void> {
  const limit = limitOf(app.config, of, 'bytes');
  if (limit === null) return;
  const used = await lockBytes(tx, orgId);
  if (used + Math.max(wanted ?? 0, 1) > limit)
    throw quotaExceeded('bytes', used, limit, wanted ?? undefined, wantedBy);
}

/** For a file of unannounced length that has arrived: why it does not fit, or null. `counted`: what already counts of it. */
export async function overQuotaReason(
  app: QuotaDeps,
  tx: Tx,
  orgId: string,
  size: number,
  counted: number,
): Promise<string | null> {
  const limit = limitOf(app.config, await allowanceOf(tx, orgId).executeTakeFirstOrThrow(), 'bytes');
  if (limit === null) return null;
  const used = (await lockBytes(tx, orgId)) - counted;
  return used + size > limit ? detailOf('bytes', used, limit, size) : null;
}

/** Recorded responses are counted, but not locked: they never refuse a request. */
async function lockBytes(tx: Tx, orgId: string): Promise<number> {
  // Writes nothing but a first row: the lock lasts until the transaction ends, and the trigger adds what is stored.
  await tx
    .insertInto('stored_bytes')
    .values({ org_id: orgId, kind: 'files', n: 0 })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind']).doUpdateSet((eb) => ({ n: eb.ref('stored_bytes.n') })),
    )
    .execute();
  return Number((await countBytes(tx, orgId).executeTakeFirstOrThrow()).n);
}

/** Without a lock: what is used, and the limit. Null: there is none. */
export async function readByteUsage(
  app: QuotaDeps,
  read: Reader,
  orgId: string,
): Promise<{ used: number; limit: number } | null> {
  const row = await allowanceOf(read, orgId)
    .select(countBytes(read, orgId).as('used'))
    .executeTakeFirstOrThrow();
  const limit = limitOf(app.config, row, 'bytes');
  return limit === null ? null : { used: Number(row.used), limit };
}
