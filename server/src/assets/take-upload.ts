// A file on its way to the disk store: one PUT, from before its first byte to the verdict on its file.

import type { App } from '../app/app.js';
import type { Confirmation } from '../app/process-state.js';
import { withDeadline } from '../core/deadline.js';
import { AppError } from '../core/problems.js';
import type { AssetRow } from '../db/tables.js';
import { assetOf, orgOf } from '../object-store/object-keys.js';
import { assertPostEditable } from '../posts/posts.js';
import { reserveUploadBytes, type UploadReservation } from '../quotas/upload-reservations.js';
import { countUploadedBytes } from './accept-upload.js';
import { findAsset } from './assets.js';
import { confirmUpload } from './confirm.js';
import { chargeInspection } from './inspect-file.js';

/**
 * Stores the body and returns its version; fails when the signal aborts. Without a reservation, the file needs no more than it was
 * granted.
 */
export type Receive = (signal: AbortSignal, reservation: UploadReservation | null) => Promise<string>;

/** `sent` is the length that the client says. Throws a problem if the file is not needed. */
export function takeUpload(app: App, key: string, sent: number | null, receive: Receive): Promise<void> {
  const { objectKey, part } = assetOf(key);
  return part === 'part'
    ? takePart(app, key, objectKey, receive)
    : takeFile(app, key, objectKey, sent, receive);
}

async function takeFile(
  app: App,
  key: string,
  objectKey: string,
  sent: number | null,
  receive: Receive,
): Promise<void> {
  const asset = await findByKey(app, objectKey);
  if (!asset) throw cancelled();
  await chargeInspection(app, asset);
  const upload = app.state.uploads.begin(asset.org_id, objectKey);
  let reservation: UploadReservation | null = null;
  try {
    if (upload.older) app.state.inspections.get(objectKey)?.interruption.abort();
    await upload.older;
    upload.signal.throwIfAborted();
    await assertNothingArrived(app, asset);
    await assertPostEditable(app.db.read, asset.org_id, asset.post_id);
    // An announced length was counted when the upload was granted.
    if (asset.announced_length === null) reservation = await reserveUploadBytes(app, asset.org_id, sent);
    const version = await receive(upload.signal, reservation);
    await confirmReceived(app, asset, { key, version, reservation }, upload.signal);
  } finally {
    reservation?.leave();
    upload.end();
  }
}

async function assertNothingArrived(app: App, asset: AssetRow): Promise<void> {
  const before = await withDeadline((deadline) => confirmUpload(app, asset, 'prepaid', deadline));
  if (typeof before === 'object')
    throw new AppError(
      'upload_void',
      `The file sent here before was rejected: ${before.rejected} Request a new upload URL to send another.`,
    );
  if (before !== 'missing') throw refusal(before);
}

interface Received {
  key: string;
  version: string;
  reservation: UploadReservation | null;
}

/** The signal aborts when a newer file comes. */
async function confirmReceived(
  app: App,
  asset: AssetRow,
  { key, version, reservation }: Received,
  signal: AbortSignal,
): Promise<void> {
  let confirmation: Confirmation;
  try {
    signal.throwIfAborted();
    // Its inspection may begin much later, and others must not fill the same room in between.
    if (reservation) await countUploadedBytes(app, asset, reservation.taken);
    reservation?.leave();
    confirmation = await withDeadline((deadline) =>
      confirmUpload(app, asset, 'prepaid', AbortSignal.any([signal, deadline])),
    );
  } catch (error) {
    // The file stays, and the next request inspects it.
    if (!signal.aborted) throw error;
    await removeVersion(app, key, version);
    throw signal.reason;
  }
  // A confirmed file has been moved away. One that is still here came too late: the grant was cancelled, or another file
  // arrived at the same URL first.
  await removeVersion(app, key, version);
  if (confirmation === 'missing') throw signal.aborted ? signal.reason : cancelled();
  if (confirmation !== 'ready') throw refusal(confirmation);
  if ((await app.store.find(asset.object_key))?.version !== version) throw alreadyUploaded();
}

async function removeVersion(app: App, key: string, version: string): Promise<void> {
  if ((await app.store.find(key))?.version === version) await app.store.remove(key);
}

/** A part is not inspected: the whole file is, once its parts are joined. It may be sent again until then. */
async function takePart(app: App, key: string, objectKey: string, receive: Receive): Promise<void> {
  const isOpen = (asset: AssetRow | undefined) => asset?.state === 'pending' && asset.part_size !== null;
  const asset = await findByKey(app, objectKey);
  if (!isOpen(asset)) throw asset?.state === 'ready' ? alreadyUploaded() : cancelled();
  const upload = app.state.uploads.begin(orgOf(objectKey), key);
  try {
    await upload.older;
    await receive(upload.signal, null);
    if (isOpen(await findByKey(app, objectKey))) return;
    await app.store.remove(key);
    throw cancelled();
  } finally {
    upload.end();
  }
}

const findByKey = (app: App, object_key: string) =>
  findAsset(app.db.read, { org_id: orgOf(object_key), object_key });

function refusal(confirmation: Exclude<Confirmation, 'missing'>): AppError {
  if (confirmation === 'void') return cancelled();
  if (confirmation === 'ready') return alreadyUploaded();
  return new AppError('media_rejected', confirmation.rejected);
}

const cancelled = () =>
  new AppError('upload_void', 'This upload was cancelled or replaced. Request a new one.');

export const alreadyUploaded = () =>
  new AppError(
    'already_uploaded',
    'The file has already arrived; there is nothing left to do. To send another file, request a new upload URL.',
  );
