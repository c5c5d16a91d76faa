// From "somebody has sent something" to an asset: the upload is found, looked at, moved into its place, and only then
// counts. Every step can be done again, so a crash anywhere is mended by the next who asks.
//
//   uploads/<key>  →  inspect  →  thumbnail written  →  moved to <key>  →  row ready, an older video condemned (one commit)
import { buffer } from 'node:stream/consumers';
import type { App, Inside } from '../app.js';
import type { Tx } from '../db/database.js';
import type { AssetRow } from '../db/tables.js';
import { type FileBytes, type Found, inspect } from '../media/inspect.js';
import { lockEditablePost, postMustBeEditable, touchPost } from '../posts/posts.js';
import { AppError } from '../problems.js';
import type { Intake } from '../storage/disk-routes.js';
import { condemn } from '../storage/garbage.js';
import { assetOf, keysAround, orgOf, thumbnailKey, uploadKey } from '../storage/keys.js';
import type { StoredObject } from '../storage/object-store.js';
import { KINDS } from './limits.js';

/** `missing`: nothing has arrived. `void`: the grant was taken back meanwhile. */
export type Confirmation = 'missing' | 'ready' | 'void' | { rejected: string };

/** Two askers at once share one look: it may mean reading a large file. */
const running = new Map<string, Promise<Confirmation>>();

export function confirmUpload(app: App, asset: AssetRow): Promise<Confirmation> {
  const known = running.get(asset.object_key);
  if (known) return known;
  const confirming = confirm(app, asset).finally(() => running.delete(asset.object_key));
  running.set(asset.object_key, confirming);
  return confirming;
}

async function confirm(app: App, asset: AssetRow): Promise<Confirmation> {
  const { object_key: key } = asset;
  // At its own key already if somebody died between moving and committing.
  const upload = (await app.store.find(uploadKey(key))) ?? (await app.store.find(key));
  if (!upload) return 'missing';
  const fault = sizeFault(asset, upload);
  const verdict =
    fault === null
      ? await inspect(bytesOf(app, upload), asset.content_type)
      : { ok: false as const, reason: fault };
  if (!verdict.ok) return reject(app, asset, verdict.reason);
  if (verdict.thumbnail) await app.store.write(thumbnailKey(key), verdict.thumbnail);
  if (upload.key !== key) await app.store.move(upload, key);
  const settled = await app.db
    .transact((tx) => settle(app, tx, asset, upload.size, verdict.found, verdict.thumbnail !== null))
    .catch(voidIfGone);
  if (settled === 'void') await removeAll(app, key);
  return settled;
}

/** What the address could not enforce: S3 has no limit for uploads of unknown length. */
function sizeFault({ kind, announced_length }: AssetRow, { size }: StoredObject): string | null {
  const { maxLength, maxLengthInWords } = KINDS[kind];
  if (announced_length !== null && size !== announced_length)
    return `The file has ${size} bytes, but ${announced_length} were announced.`;
  return size > maxLength
    ? `The file has ${size} bytes; a ${kind} may have at most ${maxLengthInWords}.`
    : null;
}

function bytesOf({ store }: App, { key, size }: StoredObject): FileBytes {
  return {
    size,
    read: async (start, end) => buffer(await store.read(key, { start, end: Math.min(end, size) })),
  };
}

async function reject(app: App, asset: AssetRow, reason: string): Promise<Confirmation> {
  await app.db.transact((tx) =>
    tx
      .updateTable('assets')
      .set({ state: 'rejected', reason, settled_at: app.clock.now() })
      .where('org_id', '=', asset.org_id)
      .where('id', '=', asset.id)
      .where('state', '=', 'pending')
      .execute(),
  );
  await removeAll(app, asset.object_key);
  return { rejected: reason };
}

/** The commit that makes it count. */
async function settle(
  app: Inside,
  tx: Tx,
  asset: AssetRow,
  size: number,
  { width, height, durationMs, codec }: Found,
  hasThumbnail: boolean,
): Promise<'ready' | 'void'> {
  // The lock comes first: whoever takes a grant back holds it too.
  const post = await lockEditablePost(tx, { orgId: asset.org_id }, asset.post_id);
  const current = await tx
    .selectFrom('assets')
    .select('state')
    .where('org_id', '=', asset.org_id)
    .where('id', '=', asset.id)
    .executeTakeFirst();
  if (current?.state === 'ready') return 'ready';
  if (current?.state !== 'pending') return 'void';
  const now = app.clock.now();
  if (asset.kind === 'video') {
    const replaced = await tx
      .deleteFrom('assets')
      .where('org_id', '=', asset.org_id)
      .where('post_id', '=', asset.post_id)
      .where('state', '=', 'ready')
      .returning('object_key')
      .execute();
    await condemn(
      tx,
      asset.org_id,
      replaced.map(({ object_key }) => object_key),
      now + app.config.garbageGraceMs,
    );
  }
  const { numUpdatedRows } = await tx
    .updateTable('assets')
    .set({
      state: 'ready',
      size,
      width,
      height,
      duration_ms: durationMs,
      codec,
      has_thumbnail: hasThumbnail ? 1 : 0,
      settled_at: now,
    })
    .where('org_id', '=', asset.org_id)
    .where('id', '=', asset.id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error('the asset changed under the lock of its post');
  await touchPost(app, tx, post);
  return 'ready';
}

/** The post was deleted meanwhile. */
function voidIfGone(error: unknown): 'void' {
  if (error instanceof AppError && error.code === 'not_found') return 'void';
  throw error;
}

async function removeAll({ store }: App, objectKey: string): Promise<void> {
  for (const key of keysAround(objectKey)) await store.remove(key);
}

/** What the disk store asks about uploads to it. */
export function uploadIntake(app: App): Intake {
  const find = async (key: string) => {
    const { objectKey } = assetOf(key);
    const row = await app.db.read
      .selectFrom('assets')
      .selectAll()
      .where('org_id', '=', orgOf(objectKey))
      .where('object_key', '=', objectKey)
      .executeTakeFirst();
    if (!row) throw takenBack();
    return row;
  };
  return {
    async admit(key) {
      const asset = await find(key);
      if (asset.state === 'rejected') throw rejected(asset.reason ?? '');
      if (asset.state === 'ready' || (await confirmUpload(app, asset)) !== 'missing')
        throw new AppError(
          'already_uploaded',
          'This file was uploaded already. Ask for a new grant to send another.',
        );
      await postMustBeEditable(app.db.read, asset.org_id, asset.post_id);
    },
    async arrived(key) {
      const confirmation = await confirmUpload(app, await find(key));
      if (confirmation === 'void') throw takenBack();
      if (typeof confirmation === 'object') throw rejected(confirmation.rejected);
    },
  };
}

const takenBack = () =>
  new AppError('upload_void', 'This upload was cancelled or replaced by another. Ask for a new one.');

export const rejected = (reason: string) => new AppError('media_rejected', reason);
