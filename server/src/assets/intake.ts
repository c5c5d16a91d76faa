// The disk store's hook for uploads, and what a client is told about its own upload.

import { AppError } from '../core/problems.js';
import type { AssetRow } from '../db/tables.js';
import { alreadyUploaded, type UploadHooks, type UploadReservation } from '../object-store/disk/intake.js';
import { assetOf, orgOf } from '../object-store/object-keys.js';
import { assertPostEditable } from '../posts/posts.js';
import { reserveUploadBytes } from '../quotas/upload-reservations.js';
import type { App } from '../request/app.js';
import type { Confirmation } from '../request/process-state.js';
import { confirmUpload } from './confirm.js';
import { withDeadline } from './deadline.js';
import { chargeInspection, countUploadedBytes } from './upload-accounting.js';

export function createUploadHooks(app: App): UploadHooks {
  const find = (objectKey: string) =>
    app.db.read
      .selectFrom('assets')
      .selectAll()
      .where('org_id', '=', orgOf(objectKey))
      .where('object_key', '=', objectKey)
      .executeTakeFirst();

  async function admit(asset: AssetRow): Promise<void> {
    const confirmation = await withDeadline((deadline) => confirmUpload(app, asset, 'put', deadline));
    if (typeof confirmation === 'object')
      throw new AppError(
        'upload_void',
        `The file sent here before was rejected: ${confirmation.rejected} Request a new upload URL to send another.`,
      );
    if (confirmation !== 'missing') throw refusal(confirmation);
    await assertPostEditable(app.db.read, asset.org_id, asset.post_id);
  }

  async function arrived(
    key: string,
    version: string,
    signal: AbortSignal,
    room: UploadReservation | null,
  ): Promise<void> {
    const { objectKey } = assetOf(key);
    const removeOwn = async () => {
      if ((await app.store.find(key))?.version === version) await app.store.remove(key);
    };
    let confirmation: Confirmation;
    try {
      signal.throwIfAborted();
      const asset = await find(objectKey);
      // Its inspection may begin much later, and others must not fill the same room in between.
      if (asset && room) await countUploadedBytes(app, asset, room.taken);
      room?.leave();
      confirmation = asset
        ? await withDeadline((deadline) =>
            confirmUpload(app, asset, 'put', AbortSignal.any([signal, deadline])),
          )
        : 'void';
    } catch (error) {
      // The file stays, and the next request inspects it.
      if (!signal.aborted) throw error;
      await removeOwn();
      throw signal.reason;
    }
    // A confirmed file has been moved away. One that is still here came too late: the grant was cancelled, or another file
    // arrived at the same URL first.
    await removeOwn();
    if (confirmation === 'missing') throw signal.aborted ? signal.reason : cancelled();
    if (confirmation !== 'ready') throw refusal(confirmation);
    if ((await app.store.find(objectKey))?.version !== version) throw refusal('ready');
  }

  /** A part is not inspected: the whole file is, once its parts are joined. It may be sent again until then. */
  const isOpen = (asset: AssetRow | undefined) => asset?.state === 'pending' && asset.part_size !== null;
  const takePart: UploadHooks['take'] = async (key, _sent, receive) => {
    const { objectKey } = assetOf(key);
    const asset = await find(objectKey);
    if (!isOpen(asset)) throw asset?.state === 'ready' ? alreadyUploaded() : cancelled();
    const upload = app.uploads.begin(orgOf(objectKey), key, () => {});
    try {
      await upload.olderEnded;
      await receive(upload.signal, null);
      if (isOpen(await find(objectKey))) return;
      await app.store.remove(key);
      throw cancelled();
    } finally {
      upload.end();
    }
  };

  return {
    async take(key, sent, receive) {
      const { objectKey, part } = assetOf(key);
      if (part === 'part') return takePart(key, sent, receive);
      const found = await find(objectKey);
      if (!found) throw cancelled();
      await chargeInspection(app, found);
      const upload = app.uploads.begin(found.org_id, objectKey, () =>
        app.inspections.get(objectKey)?.interrupt(),
      );
      try {
        await upload.olderEnded;
        upload.signal.throwIfAborted();
        await admit(found);
        // An announced length was counted when the upload was granted.
        const room =
          found.announced_length === null ? await reserveUploadBytes(app, found.org_id, sent) : null;
        try {
          const version = await receive(upload.signal, room);
          await arrived(key, version, upload.signal, room);
        } finally {
          room?.leave();
        }
      } finally {
        upload.end();
      }
    },
  };
}

function refusal(confirmation: Exclude<Confirmation, 'missing'>): AppError {
  if (confirmation === 'void') return cancelled();
  if (confirmation === 'ready') return alreadyUploaded();
  return rejected(confirmation.rejected);
}

const cancelled = () =>
  new AppError('upload_void', 'This upload was cancelled or replaced. Request a new one.');

export const rejected = (reason: string) => new AppError('media_rejected', reason);
