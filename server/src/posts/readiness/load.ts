// Readiness of several posts: one statement for their accounts and one for their files, however many posts there are.
import { blockColumns, runningBlock } from '../../accounts/blocks.js';
import type { TxApp } from '../../app/app.js';
import { toTimestamp } from '../../core/clock.js';
import type { Reader, Tx } from '../../db/database.js';
import type { PostRow } from '../../db/tables.js';
import type { Readiness } from '../schema.js';
import { type KnownAccount, type KnownFiles, NO_FILES, readinessOf } from './readiness.js';

/** The readiness of each post, by its id. */
export async function readinessOfPosts(
  app: Pick<TxApp, 'connector' | 'clock'>,
  read: Reader | Tx,
  orgId: string,
  posts: readonly PostRow[],
): Promise<Map<string, Readiness | null>> {
  const accounts = await findAccounts(read, orgId, posts, app.clock.now());
  const files = await findFiles(
    read,
    orgId,
    posts.map(({ id }) => id),
    app.clock.now(),
  );
  return new Map(
    posts.map((post) => {
      const account = accounts.get(post.social_account_id ?? '') ?? null;
      return [post.id, readinessOf(app, post, account, files.get(post.id) ?? NO_FILES)];
    }),
  );
}

/** When the last attempt of each draft failed. Without a statement if there is no such draft. */
export async function failuresOf(
  read: Reader | Tx,
  orgId: string,
  posts: readonly PostRow[],
): Promise<Map<string, string>> {
  const failed = posts.filter(
    ({ status, last_publish_error }) => status === 'draft' && last_publish_error !== null,
  );
  if (failed.length === 0) return new Map();
  const rows = await read
    .selectFrom('dispatches')
    .select((eb) => ['post_id', eb.fn.max<number | null>('finished_at').as('at')])
    .where('org_id', '=', orgId)
    .where(
      'post_id',
      'in',
      failed.map(({ id }) => id),
    )
    .where('outcome', '=', 'failed')
    .groupBy('post_id')
    .execute();
  return new Map(rows.flatMap(({ post_id, at }) => (at === null ? [] : [[post_id, toTimestamp(at)]])));
}

async function findAccounts(
  read: Reader | Tx,
  orgId: string,
  posts: readonly PostRow[],
  now: number,
): Promise<Map<string, KnownAccount>> {
  const ids = [...new Set(posts.map(({ social_account_id }) => social_account_id))].filter(
    (id) => id !== null,
  );
  if (ids.length === 0) return new Map();
  const rows = await read
    .selectFrom('social_accounts')
    .select((eb) => ['id', 'platform', 'username', 'status', 'scopes', ...blockColumns(eb)])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...account }) => [id, { ...account, block: runningBlock(account, now) }]));
}

/** A few rows per post, however many slides it has. A post has one ready video at most, so `max` is its value. */
async function findFiles(
  read: Reader | Tx,
  orgId: string,
  postIds: string[],
  now: number,
): Promise<Map<string, KnownFiles>> {
  const files = new Map<string, KnownFiles>();
  if (postIds.length === 0) return files;
  const rows = await read
    .selectFrom('assets')
    .select((eb) => [
      'post_id',
      'kind',
      'state',
      'is_fetched',
      eb.fn.countAll<number>().as('n'),
      eb.fn.max<number | null>('size').as('size'),
      eb.fn.max<string>('content_type').as('content_type'),
      eb.fn.max<number | null>('duration_ms').as('duration_ms'),
      eb.fn.max<string>('filename').as('filename'),
      eb.fn.max<string | null>('reason').as('reason'),
    ])
    .where('org_id', '=', orgId)
    .where('post_id', 'in', postIds)
    .where((eb) =>
      eb.or([
        eb('state', '=', 'ready'),
        eb('is_fetched', '=', 1),
        eb.and([eb('state', '=', 'pending'), eb('expires_at', '>', now)]),
      ]),
    )
    .groupBy(['post_id', 'kind', 'state', 'is_fetched'])
    .execute();
  for (const { post_id, kind, state, is_fetched, n, size, content_type, duration_ms, ...file } of rows) {
    const known = files.get(post_id) ?? { ...NO_FILES, missing: { ...NO_FILES.missing } };
    files.set(post_id, known);
    const { missing } = known;
    if (state === 'pending' && is_fetched === 0) known.pending += n;
    else if (state === 'pending') {
      missing.pending += n;
      missing.pendingName = file.filename;
    } else if (state === 'rejected') {
      missing.rejected += n;
      missing.rejectedName = file.filename;
      missing.reason = file.reason ?? '';
    } else if (kind === 'slide') known.slides += n;
    else known.video = { bytes: size ?? 0, contentType: content_type, durationMs: duration_ms };
  }
  return files;
}
