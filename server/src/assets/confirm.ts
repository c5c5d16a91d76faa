// From "somebody has sent something" to an asset: the upload is found, looked at, moved into its place, and only then
// counts. Every step can be done again, so a crash anywhere is mended by the next who asks.
//
//   uploads/<key>  →  inspect  →  thumbnail written  →  moved to <key>  →  row ready, an older video condemned (one commit)
import { buffer } from 'node:stream/consumers';
import type { App, Inside } from '../app.js';
import type { Reader, Tx } from '../db/database.js';
import type { AssetRow } from '../db/tables.js';
import { type FileBytes, type Found, inspect } from '../media/inspect.js';
import { lockEditablePost, postMustBeEditable, touchPost } from '../posts/posts.js';
import { AppError } from '../problems.js';
import type { Intake } from '../storage/disk-routes.js';
import { condemn } from '../storage/garbage.js';
import { assetOf, keysAround, orgOf, thumbnailKey, uploadKey } from '../storage/keys.js';
import type { StoredObject } from '../storage/object-store.js';
import { KINDS, MAX_SLIDES } from './limits.js';

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
  const confirmation = await look(app, asset).catch(async (error): Promise<Confirmation> => {
    // Whoever takes a grant back removes its files, also from under our hands.
    if (!(await stateNow(app.db.read, asset))) return 'void';
    throw error;
  });
  if (confirmation === 'void') await removeAll(app, asset.object_key);
  return confirmation;
}

async function look(app: App, asset: AssetRow): Promise<Confirmation> {
  const { object_key: key } = asset;
  // Who asks may have read the row before another was done. What is settled is not looked at again, whatever lies there.
  const current = await stateNow(app.db.read, asset);
  if (current?.state !== 'pending') return settledAs(current);
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
  const settled = await app.db.transact((tx) =>
    settle(app, tx, asset, upload.size, verdict.found, verdict.thumbnail !== null),
  );
  if (settled !== 'full') return settled;
  return reject(
    app,
    asset,
    `The post has ${MAX_SLIDES} slides already. Remove one and upload this one again.`,
  );
}

type State = Pick<AssetRow, 'state' | 'reason'> | undefined;

const stateNow = (read: Reader, { org_id, id }: AssetRow): Promise<State> =>
  read
    .selectFrom('assets')
    .select(['state', 'reason'])
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .executeTakeFirst();

function settledAs(current: State): Confirmation {
  if (!current) return 'void';
  return current.state === 'rejected' ? { rejected: current.reason ?? '' } : 'ready';
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
  const { numUpdatedRows } = await app.db.transact((tx) =>
    tx
      .updateTable('assets')
      .set({ state: 'rejected', reason, settled_at: app.clock.now() })
      .where('org_id', '=', asset.org_id)
      .where('id', '=', asset.id)
      .where('state', '=', 'pending')
      .executeTakeFirst(),
  );
  if (numUpdatedRows === 0n) {
    // Another process was faster, with another file maybe: what it put in its place stays.
    await app.store.remove(uploadKey(asset.object_key));
    return settledAs(await stateNow(app.db.read, asset));
  }
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
): Promise<'ready' | 'void' | 'full'> {
  // The lock comes first: whoever takes a grant back holds it too.
  const post = await lockEditablePost(tx, { orgId: asset.org_id }, asset.post_id);
  const current = await stateNow(tx, asset);
  if (current?.state === 'ready') return 'ready';
  if (current?.state !== 'pending') return 'void';
  if (asset.kind === 'slide' && (await countReady(tx, asset)) >= MAX_SLIDES) return 'full';
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

/** One whose address had ended may come late, when its place was given to another. */
async function countReady(tx: Tx, { org_id, post_id }: AssetRow): Promise<number> {
  const { n } = await tx
    .selectFrom('assets')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', org_id)
    .where('post_id', '=', post_id)
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow();
  return n;
}

async function removeAll({ store }: App, objectKey: string): Promise<void> {
  for (const key of keysAround(objectKey)) await store.remove(key);
}

/** What the disk store asks about uploads to it. */
export function uploadIntake(app: App): Intake {
  const find = (key: string) => {
    const { objectKey } = assetOf(key);
    return app.db.read
      .selectFrom('assets')
      .selectAll()
      .where('org_id', '=', orgOf(objectKey))
      .where('object_key', '=', objectKey)
      .executeTakeFirst();
  };
  return {
    async admit(key) {
      const asset = await find(key);
      if (!asset) throw takenBack();
      if (asset.state === 'rejected') throw rejected(asset.reason ?? '');
      if (asset.state === 'ready' || (await confirmUpload(app, asset)) !== 'missing') throw alreadyUploaded();
      await postMustBeEditable(app.db.read, asset.org_id, asset.post_id);
    },
    async arrived(key) {
      const asset = await find(key);
      const confirmation = asset ? await confirmUpload(app, asset) : 'void';
      // What was confirmed has been moved away. What still lies here came too late, and nobody will ask for it: the
      // grant was taken back, or another file came to the same address and was first.
      const isLate = (await app.store.find(key)) !== null;
      if (isLate) await app.store.remove(key);
      if (confirmation === 'void' || confirmation === 'missing') throw takenBack();
      if (typeof confirmation === 'object') throw rejected(confirmation.rejected);
      if (isLate) throw alreadyUploaded();
    },
  };
}

const alreadyUploaded = () =>
  new AppError('already_uploaded', 'This file was uploaded already. Ask for a new grant to send another.');

const takenBack = () =>
  new AppError('upload_void', 'This upload was cancelled or replaced by another. Ask for a new one.');

export const rejected = (reason: string) => new AppError('media_rejected', reason);
