// What callers do with the files of a post once they are uploaded.

import { sql } from 'kysely';
import type { App, TxApp } from '../app/app.js';
import { byCaller, recordAudit, recordEdit } from '../audit/record.js';
import { createLimiter } from '../core/concurrency.js';
import { withDeadline } from '../core/deadline.js';
import { toLogFields } from '../core/log.js';
import { AppError, invalid } from '../core/problems.js';
import type { Reader, Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import { prepareRead } from '../db/prepared-statements.js';
import type { AssetRow, PostRow } from '../db/tables.js';
import { deleteFiles } from '../object-deletion/mark.js';
import { getPostRow, lockPostToChangeFiles } from '../posts/posts.js';
import { allows } from '../posts/state.js';
import { touchPost } from '../posts/unrecorded.js';
import type { Caller, CallerWithAddress } from '../request/caller.js';
import { confirmUpload, type InspectionTerms } from './confirm.js';
import { resumeAfterFiles } from './missing.js';
import { presentAsset, presentPending, presentRejected } from './present.js';
import type { Asset, AssetList } from './schema.js';

/** How many pending uploads are checked at the same time: each may be a request to the store. */
const MAX_CONCURRENT = 4;

export async function listAssets(app: App, caller: Caller, postId: string): Promise<AssetList> {
  const rows = await currentAssets(app, await getPostRow(app, caller, postId));
  return presentList(app, rows);
}

/** The files of a post, including those that have just arrived. */
export async function currentAssets(
  app: App,
  { org_id, id, status }: Pick<PostRow, 'org_id' | 'id' | 'status'>,
): Promise<AssetRow[]> {
  const rows = await findAssets(app.db.read, org_id, id);
  const hasMore = allows('edit', status) && (await confirmPending(app, rows));
  return hasMore ? findAssets(app.db.read, org_id, id) : rows;
}

/**
 * Confirms files that have arrived by now. Throws if the store cannot tell. Publishing is never refused here, because a post must
 * not fail for the other files of its organization.
 */
export async function confirmArrivals(
  app: App,
  orgId: string,
  postId: string,
  terms: InspectionTerms,
  signal?: AbortSignal,
): Promise<void> {
  for (const asset of await findPendingAssets(app.db.read, orgId, postId))
    await confirmUpload(app, asset, terms, signal);
}

export const findPendingAssets = prepareRead((read, orgId: string, postId: string) =>
  read
    .selectFrom('assets')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('post_id', '=', postId)
    .where('state', '=', sql.lit('pending'))
    .orderBy('position'),
);

/** Confirms pending uploads that have arrived. Returns true if any had. */
async function confirmPending(app: App, rows: AssetRow[]): Promise<boolean> {
  const pending = rows.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return false;
  // All of one organization: the queues behind it are the fair ones.
  const limited = createLimiter(MAX_CONCURRENT);
  const confirmed = withDeadline((deadline) =>
    Promise.all(
      pending.map((asset) => limited(() => confirmUpload(app, asset, 'charged', deadline)).catch(later)),
    ),
  );
  const found = await confirmed.catch((err) => void later(err));
  // At the deadline, some may have been confirmed already.
  return found === undefined || found.some((confirmation) => confirmation !== 'missing');

  // What is known can be shown all the same.
  function later(err: unknown): 'missing' {
    app.log.warn(toLogFields(err), 'an upload could not be looked at; the next list tries again');
    return 'missing';
  }
}

/** Checks one upload before the transaction that reports its state. Returns the post's id in canonical form. */
export async function confirmIfArrived(
  app: App,
  caller: Caller,
  postId: string,
  objectKey: string,
): Promise<string> {
  const { id, status } = await getPostRow(app, caller, postId);
  const asset = await findAsset(app.db.read, {
    org_id: caller.orgId,
    post_id: id,
    object_key: objectKey,
  });
  if (asset?.state === 'pending' && allows('edit', status))
    await withDeadline((deadline) => confirmUpload(app, asset, 'charged', deadline));
  return id;
}

export async function getCompleted(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  postId: string,
  objectKey: string,
): Promise<Asset> {
  const rows = await findAssets(tx, caller.orgId, postId);
  const asset = rows.find(({ object_key }) => object_key === objectKey);
  if (!asset) throw noSuchAsset();
  if (asset.state === 'rejected') throw new AppError('media_rejected', asset.reason ?? '');
  if (asset.state === 'pending')
    throw new AppError('upload_incomplete', 'The file has not arrived yet. PUT it to its upload_url first.');
  return presentAsset(app, asset, 1 + rows.filter(isReady).indexOf(asset));
}

export async function orderAssets(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  postId: string,
  order: readonly string[],
): Promise<AssetList> {
  const post = await lockPostToChangeFiles(tx, caller, postId);
  const rows = (await findAssets(tx, caller.orgId, post.id)).filter(({ state }) => state !== 'rejected');
  const ready = new Map(rows.filter(isReady).map((asset) => [asset.object_key, asset]));
  const errors = order.flatMap((key, i) =>
    ready.has(key)
      ? []
      : [{ pointer: `/order/${i}`, message: 'is not the key of an uploaded file of this post' }],
  );
  if (errors.length > 0) throw invalid(errors);
  if (order.length !== ready.size)
    throw invalid([
      { pointer: '/order', message: `must name each of the ${ready.size} uploaded files once` },
    ]);
  // Pending uploads follow, in their present order.
  const ordered = [...order.map((key) => ready.get(key) as AssetRow), ...rows.filter((row) => !isReady(row))];
  for (const [i, asset] of ordered.entries()) {
    const position = i + 1;
    if (asset.position === position) continue;
    await tx.updateTable('assets').set({ position }).where(isRow(asset)).execute();
  }
  await touchPost(app, tx, post);
  await recordEdit(app, tx, caller, post, ['files']);
  return presentList(app, await findAssets(tx, caller.orgId, post.id));
}

/** Returns the keys of its objects, to be removed after the commit. */
export async function removeAsset(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  postId: string,
  objectKey: string,
): Promise<string[]> {
  const post = await lockPostToChangeFiles(tx, caller, postId);
  const asset = await findAsset(tx, { org_id: caller.orgId, post_id: post.id, object_key: objectKey });
  if (!asset) throw noSuchAsset();
  const objectKeys = await deleteFiles(tx, asset.org_id, isRow(asset), app.clock.now());
  await touchPost(app, tx, post);
  await resumeAfterFiles(app, tx, post);
  await recordAudit(app, tx, byCaller(caller), {
    action: 'file.removed',
    target: { id: asset.id, name: asset.filename },
    details: { post_id: post.id, post_title: post.title },
  });
  return objectKeys;
}

const noSuchAsset = () =>
  new AppError(
    'not_found',
    'The post has no file with this object_key. List the assets of the post to see their keys.',
  );

function presentList(app: Pick<TxApp, 'store' | 'clock'>, rows: AssetRow[]): AssetList {
  const now = app.clock.now();
  return {
    data: rows.filter(isReady).map((row, i) => presentAsset(app, row, i + 1)),
    pending: rows
      .filter((row) => row.state === 'pending' && (row.is_fetched === 1 || row.expires_at > now))
      .map(presentPending),
    rejected: rows.flatMap((row, i) =>
      row.state === 'rejected' ? [presentRejected(row, 1 + rows.slice(0, i).filter(isReady).length)] : [],
    ),
  };
}

type Names = Partial<Pick<AssetRow, 'id' | 'post_id' | 'object_key' | 'state'>>;

/** The one that all of these name. */
export const findAsset = (
  read: Reader,
  named: Pick<AssetRow, 'org_id'> & Names,
): Promise<AssetRow | undefined> =>
  read
    .selectFrom('assets')
    .selectAll()
    .where(({ and }) => and(named))
    .executeTakeFirst();

/** The assets of a post, in order. */
export const findAssets = (read: Reader, org_id: string, post_id: string): Promise<AssetRow[]> =>
  read
    .selectFrom('assets')
    .selectAll()
    .where(({ and }) => and({ org_id, post_id }))
    .orderBy('position')
    .orderBy('id')
    .execute();

export const isReady = ({ state }: Pick<AssetRow, 'state'>) => state === 'ready';
