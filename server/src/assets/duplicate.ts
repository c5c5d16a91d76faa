// Copies a post with its files to a new draft (docs/internals/files.md).
//
//   tx: the new keys marked for deletion, with their bytes counted → files copied → tx: draft and files written, marks deleted
//
// Until the last commit no one sees the draft. A process that stops before it leaves marked keys, which the worker removes.

import type { App, TxApp } from '../app/app.js';
import { createLimiter } from '../core/concurrency.js';
import { isDiskFullError } from '../core/disk-space.js';
import { HOUR_MS } from '../core/durations.js';
import { toLogFields } from '../core/log.js';
import { unavailable } from '../core/problems.js';
import { invalidateResponses } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { VersionedPost } from '../db/epoch.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow, AssetSourceRow, PostRow } from '../db/tables.js';
import { markForDeletion } from '../object-deletion/mark.js';
import { removeNow } from '../object-deletion/remove.js';
import { thumbnailKey } from '../object-store/object-keys.js';
import { createPost } from '../posts/create.js';
import { existingLabels, labelsOf } from '../posts/labels/post-labels.js';
import { getPostRow } from '../posts/posts.js';
import type { CreatePost } from '../posts/schema.js';
import { assertDailyPostLeft, reserveBytes } from '../quotas/quotas.js';
import type { Caller, CallerWithAddress } from '../request/caller.js';
import { currentAssets, isReady } from './assets.js';
import { NOT_FETCHED, sourceOf, urlOf } from './fetch/sources.js';
import { objectKeyFor } from './reserve-asset.js';

export interface Copies {
  source: PostRow;
  postId: string;
  /** The rows to be, and where their bytes come from. */
  files: { from: string; row: AssetRow }[];
  /** What was to be fetched for the source: fetched again for the copy, or rejected there as well. */
  fetched: { row: AssetRow; source: AssetSourceRow | null }[];
  /** When the worker may remove the copies. */
  removeAfter: number;
}

/** With S3 each copy is a request, and one of gigabytes takes minutes. */
const MAX_CONCURRENT = 4;

/** Copies that are not used by then are removed, whatever the grace period. */
const MIN_LIFE_MS = 3 * HOUR_MS;
/** How long before the worker may remove the copies they must be committed. */
const MARGIN_MS = 600_000;

export async function copyFiles(app: App, caller: Caller, id: string): Promise<Copies> {
  const source = await getPostRow(app, caller, id);
  await assertDailyPostLeft(app, app.db.read, caller.orgId, caller);
  const assets = (await currentAssets(app, source)).filter(
    (asset) => isReady(asset) || asset.is_fetched === 1,
  );
  const ready = assets.filter(isReady);
  const postId = app.newId();
  const positionOf = (asset: AssetRow) => 1 + assets.indexOf(asset);
  const copies: Copies = {
    source,
    postId,
    files: ready.map((asset) => ({
      from: asset.object_key,
      row: copyOf(app, asset, postId, positionOf(asset)),
    })),
    fetched: await copyFetched(
      app,
      caller,
      assets
        .filter((asset) => !isReady(asset))
        .map((asset) => ({ asset, row: copyOf(app, asset, postId, positionOf(asset)) })),
    ),
    removeAfter: app.clock.now() + Math.max(app.config.garbageGraceMs, MIN_LIFE_MS),
  };
  if (ready.length === 0) return copies;
  await app.db.transact((tx) => reserve(app, tx, caller, copies));
  try {
    await copyAll(app, copies);
  } catch (error) {
    await discardCopies(app, copies);
    if (isDiskFullError(error)) throw error;
    throw unavailable('The files could not be copied, so nothing was created. Try again in a moment.', error);
  }
  return copies;
}

/** Refuses what does not fit into the quota, and counts the rest from now on. */
async function reserve(app: TxApp, tx: Tx, caller: Caller, { files, removeAfter }: Copies): Promise<void> {
  const bytes = files.reduce((sum, { row }) => sum + (row.size ?? 0), 0);
  await reserveBytes(app, tx, caller.orgId, caller, bytes, 'The files of the post take');
  const rows = files.map(({ row }) => row);
  await markForDeletion(tx, caller.orgId, rows, removeAfter);
  invalidateResponses(tx, caller.orgId);
}

async function copyAll({ store }: App, { files }: Copies): Promise<void> {
  // A plain limiter: the files of one post.
  const limited = createLimiter(MAX_CONCURRENT);
  const copies = files.flatMap(({ from, row }) => [
    limited(() => store.copy(from, row.object_key)),
    ...(row.has_thumbnail
      ? [limited(() => store.copy(thumbnailKey(from), thumbnailKey(row.object_key)))]
      : []),
  ]);
  // All of them end before the copies are given up: one that ends later would stay behind.
  const failed = (await Promise.allSettled(copies)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

export async function createDuplicate(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { source, postId, files, fetched, removeAfter }: Copies,
): Promise<VersionedPost> {
  const keys = files.map(({ row }) => row.object_key);
  if (keys.length > 0) {
    // First: bytes are locked before the counters of posts.
    const { numDeletedRows } = await tx
      .deleteFrom('objects_to_delete')
      .where('org_id', '=', caller.orgId)
      .where('object_key', 'in', keys)
      .executeTakeFirst();
    if (numDeletedRows !== BigInt(keys.length) || app.clock.now() > removeAfter - MARGIN_MS)
      throw unavailable('Copying the files took too long, so nothing was created. Try again.');
  }
  const { title, post_type, caption, hashtags, publish_mode, cover_index, cover_ms } = source;
  const accountId = await connectedAccount(tx, source);
  const input: CreatePost = {
    title,
    post_type,
    caption,
    hashtags,
    publish_mode,
    cover_index,
    cover_ms,
    social_account_id: accountId,
    // A label may have been deleted meanwhile.
    labels: await existingLabels(tx, caller.orgId, labelsOf(source)),
  };
  const writeFiles = async () => {
    const rows = [...files, ...fetched].map(({ row }) => row);
    if (rows.length > 0) await tx.insertInto('assets').values(rows).execute();
    const sources = fetched.flatMap((file) => file.source ?? []);
    if (sources.length > 0) await tx.insertInto('asset_sources').values(sources).execute();
  };
  return createPost(app, tx, caller, input, { id: postId, writeFiles });
}

/** The account of a post, if it is connected. One that is not would only be in the way of the copy. */
async function connectedAccount(
  tx: Tx,
  { org_id, social_account_id }: Pick<PostRow, 'org_id' | 'social_account_id'>,
): Promise<string | null> {
  if (social_account_id === null) return null;
  const account = await tx
    .selectFrom('social_accounts')
    .select('id')
    .where(isRow({ org_id, id: social_account_id }))
    .where('status', '=', 'connected')
    .executeTakeFirst();
  return account?.id ?? null;
}

/** A copy without them would look whole. A file that settles meanwhile is fetched again, which does no harm. */
async function copyFetched(
  app: App,
  { scopes }: Caller,
  files: { asset: AssetRow; row: AssetRow }[],
): Promise<Copies['fetched']> {
  if (files.length === 0) return [];
  const sources = await app.db.read
    .selectFrom('asset_sources')
    .selectAll()
    .where('org_id', '=', files[0]?.row.org_id ?? '')
    .where(
      'asset_id',
      'in',
      files.map(({ asset }) => asset.id),
    )
    .execute();
  return files.map(({ asset, row }) => {
    const known = sources.find(({ asset_id }) => asset_id === asset.id);
    if (!known)
      return { row: { ...row, state: 'rejected', reason: asset.reason ?? NOT_FETCHED }, source: null };
    const life = { expires_at: asset.expires_at, size: null, settled_at: null };
    const scope = { may_change_scheduled: scopes.has('posts:publish') ? (1 as const) : (0 as const) };
    const source = sourceOf(app, row, { status: 'draft', scheduled_at: null }, urlOf(app, known));
    return { row: { ...row, ...life, ...scope }, source };
  });
}

/** Removes copies that no commit has used. If one has, their marks are gone, and nothing is removed. */
export async function discardCopies(app: App, { source, files }: Copies): Promise<void> {
  const keys = files.map(({ row }) => row.object_key);
  if (keys.length === 0) return;
  try {
    const unused = await app.db.transact((tx) => {
      invalidateResponses(tx, source.org_id);
      return tx
        .updateTable('objects_to_delete')
        .set({ remove_after: app.clock.now() })
        .where('org_id', '=', source.org_id)
        .where('object_key', 'in', keys)
        .returning('object_key')
        .execute();
    });
    await removeNow(
      app,
      unused.map(({ object_key }) => object_key),
    );
  } catch (err) {
    app.log.warn(toLogFields(err), 'copies that are not needed could not be removed; the worker will do it');
  }
}

function copyOf(app: App, asset: AssetRow, postId: string, position: number): AssetRow {
  const id = app.newId();
  const now = app.clock.now();
  const extension = asset.object_key.slice(asset.object_key.lastIndexOf('.') + 1);
  const file = { filename: asset.filename, extension };
  return {
    ...asset,
    id,
    post_id: postId,
    object_key: objectKeyFor({ org_id: asset.org_id, id: postId }, asset.kind, file, id),
    position,
    expires_at: now,
    part_size: null,
    store_upload: null,
    may_change_scheduled: 0,
    inspection_failures: 0,
    inspection_began_at: null,
    created_at: now,
    settled_at: now,
  };
}
