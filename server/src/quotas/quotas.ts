// Taking what a quota limits. Each function runs in the transaction that uses it, and refuses with `quota_exceeded`.
//
// Two requests cannot both take the last place: the second waits for the first's lock. Places are guarded by the row of the
// organization, bytes and posts by their counters. The order of locks is organization, post, bytes, post counters.
import type { TxApp } from '../api/app.js';
import { type Allowance, limitOf } from '../api/plans.js';
import { writeOnce } from '../db/compiled-once.js';
import type { Reader, Tx } from '../db/database.js';
import { detailOf, quotaExceeded } from './refusal.js';
import { countBytes, countedPostsOfDay, countPlaces, countPostsOfDay, dayOf, type Place } from './usage.js';

type Known = Pick<TxApp, 'config' | 'clock'>;

const allowanceOf = (read: Reader, orgId: string) =>
  read.selectFrom('organizations').select(['plan', 'quotas']).where('id', '=', orgId);

/** To be called before other rows are locked. */
export async function takePlace(app: Known, tx: Tx, orgId: string, place: Place): Promise<void> {
  // Not "for update": that would block every write that refers to the organization.
  const of = await allowanceOf(tx, orgId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const limit = limitOf(app.config, of, place);
  if (limit === null) return;
  const { n } = await countPlaces(tx, place, orgId, app.clock.now(), limit).executeTakeFirstOrThrow();
  if (n >= limit) throw quotaExceeded(place, n, limit);
}

/** Counts a post of today. Without a limit it costs nothing, with one a single statement but for the day's first post. */
export async function takePostOfDay(app: Known, tx: Tx, orgId: string, of: Allowance): Promise<void> {
  const limit = limitOf(app.config, of, 'posts_per_day');
  if (limit === null) return;
  const day = dayOf(app.clock.now());
  const { rows } = await raise(tx, orgId, day, limit);
  if (rows.length > 0) return;
  const known = await countedPostsOfDay(tx, orgId, day).executeTakeFirst();
  if (known && known.n >= limit) throw quotaExceeded('posts_per_day', known.n, limit);
  // The first post of today that is counted. Others may have been created before there was a limit.
  const { n } = await countPostsOfDay(tx, orgId, day, limit).executeTakeFirstOrThrow();
  const begun = n < limit ? await begin(tx, orgId, day, n + 1, limit) : { rows: [] };
  if (begun.rows.length === 0) throw quotaExceeded('posts_per_day', limit, limit);
}

const raise = writeOnce((tx, orgId: string, day: number, limit: number) =>
  tx
    .updateTable('posts_of_day')
    .set((eb) => ({ n: eb('n', '+', 1) }))
    .where('org_id', '=', orgId)
    .where('day', '=', day)
    .where('n', '<', limit)
    .returning('n'),
);

/** Of two first posts of the day, the second waits for the first and counts itself. */
const begin = writeOnce((tx, org_id: string, day: number, n: number, limit: number) =>
  tx
    .insertInto('posts_of_day')
    .values({ org_id, day, n })
    .onConflict((conflict) =>
      conflict
        .column('org_id')
        .doUpdateSet((eb) => ({
          day,
          n: eb
            .case()
            .when('posts_of_day.day', '=', day)
            .then(eb('posts_of_day.n', '+', 1))
            .else(eb.ref('excluded.n'))
            .end(),
        }))
        .where((eb) => eb.or([eb('posts_of_day.day', '<>', day), eb('posts_of_day.n', '<', limit)])),
    )
    .returning('n'),
);

/** Counts so many posts of today at once; refuses if there is no room for all of them. */
export async function takePostsOfDay(
  app: Known,
  tx: Tx,
  orgId: string,
  of: Allowance,
  posts: number,
): Promise<void> {
  const limit = limitOf(app.config, of, 'posts_per_day');
  if (limit === null || posts === 0) return;
  // Takes the lock, and counts the first of them.
  await takePostOfDay(app, tx, orgId, of);
  const day = dayOf(app.clock.now());
  const raised = await tx
    .updateTable('posts_of_day')
    .set((eb) => ({ n: eb('n', '+', posts - 1) }))
    .where('org_id', '=', orgId)
    .where('day', '=', day)
    .where('n', '<=', limit - posts + 1)
    .returning('n')
    .executeTakeFirst();
  if (raised) return;
  const counted = await countedPostsOfDay(tx, orgId, day).executeTakeFirstOrThrow();
  throw quotaExceeded('posts_per_day', counted.n - 1, limit);
}

/** After a change of the limit: posts that were created while there was none are counted now. */
export async function recountPostsOfDay(app: Known, tx: Tx, orgId: string, of: Allowance): Promise<void> {
  const limit = limitOf(app.config, of, 'posts_per_day');
  const day = dayOf(app.clock.now());
  if (limit === null) {
    await tx.deleteFrom('posts_of_day').where('org_id', '=', orgId).execute();
    return;
  }
  const { n } = await countPostsOfDay(tx, orgId, day, limit).executeTakeFirstOrThrow();
  await tx
    .insertInto('posts_of_day')
    .values({ org_id: orgId, day, n })
    .onConflict((conflict) =>
      conflict
        .column('org_id')
        .doUpdateSet({ day, n })
        // A higher count of the same day includes posts that were deleted.
        .where((eb) => eb.or([eb('posts_of_day.day', '<>', day), eb('posts_of_day.n', '<', n)])),
    )
    .execute();
}

/** Without taking it: refuses before work is done for a post that could not be created today. */
export async function postOfDayMustBeLeft(
  app: Known,
  read: Reader,
  orgId: string,
  of: Allowance,
): Promise<void> {
  const limit = limitOf(app.config, of, 'posts_per_day');
  if (limit === null) return;
  const day = dayOf(app.clock.now());
  const counted = await countedPostsOfDay(read, orgId, day).executeTakeFirst();
  const { n } = counted ?? (await countPostsOfDay(read, orgId, day, limit).executeTakeFirstOrThrow());
  if (n >= limit) throw quotaExceeded('posts_per_day', n, limit);
}

/**
 * For the grant of an upload, and for copies. `wanted` is null if the client does not know the length: then anything left is
 * enough. `wantedBy` begins the sentence of the refusal.
 */
export async function takeBytes(
  app: Known,
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
export async function misfitOf(
  app: Known,
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

/** Kept answers are counted, but not locked: they never refuse a request. */
async function lockBytes(tx: Tx, orgId: string): Promise<number> {
  await lockFiles(tx, orgId);
  return Number((await countBytes(tx, orgId).executeTakeFirstOrThrow()).n);
}

/** Writes nothing but a first row: the lock lasts until the transaction ends, and the trigger adds what is stored. */
const lockFiles = writeOnce((tx, org_id: string) =>
  tx
    .insertInto('stored_bytes')
    .values({ org_id, kind: 'files', n: 0 })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'kind']).doUpdateSet((eb) => ({ n: eb.ref('stored_bytes.n') })),
    ),
);

/** Without a lock: what is used, and the limit. Null: there is none. */
export async function bytesLeft(
  app: Known,
  read: Reader,
  orgId: string,
): Promise<{ used: number; limit: number } | null> {
  const row = await allowanceOf(read, orgId)
    .select(countBytes(read, orgId).as('used'))
    .executeTakeFirstOrThrow();
  const limit = limitOf(app.config, row, 'bytes');
  return limit === null ? null : { used: Number(row.used), limit };
}
