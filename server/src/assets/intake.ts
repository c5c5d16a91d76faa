// What the disk store asks about uploads to it, and what a client hears of its own upload.

import type { App } from '../api/app.js';
import { alreadyUploaded, type Intake } from '../files/disk/intake.js';
import { assetOf, orgOf } from '../files/keys.js';
import { AppError } from '../ground/problems.js';
import { postMustBeEditable } from '../posts/posts.js';
import { type Confirmation, confirmUpload } from './confirm.js';

export function uploadIntake(app: App): Intake {
  const find = (objectKey: string) =>
    app.db.read
      .selectFrom('assets')
      .selectAll()
      .where('org_id', '=', orgOf(objectKey))
      .where('object_key', '=', objectKey)
      .executeTakeFirst();

  return {
    async admit(key) {
      const asset = await find(assetOf(key).objectKey);
      if (!asset) throw takenBack();
      const confirmation = await confirmUpload(app, asset);
      if (typeof confirmation === 'object')
        throw new AppError(
          'upload_void',
          `The file that was sent here before was refused: ${confirmation.rejected} Ask for a new upload address to send another.`,
        );
      if (confirmation !== 'missing') throw refusal(confirmation);
      await postMustBeEditable(app.db.read, asset.org_id, asset.post_id);
    },

    async arrived(key, version) {
      const { objectKey } = assetOf(key);
      const asset = await find(objectKey);
      const confirmation: Confirmation = asset ? await confirmUpload(app, asset) : 'void';
      // What counts has been moved away. A file that still lies here came too late: the grant was taken back, or another
      // file came to the same address and was first.
      if ((await app.store.find(key))?.version === version) await app.store.remove(key);
      if (confirmation === 'missing') throw takenBack();
      if (confirmation !== 'ready') throw refusal(confirmation);
      if ((await app.store.find(objectKey))?.version !== version) throw refusal('ready');
    },
  };
}

function refusal(confirmation: Exclude<Confirmation, 'missing'>): AppError {
  if (confirmation === 'void') return takenBack();
  if (confirmation === 'ready') return alreadyUploaded();
  return rejected(confirmation.rejected);
}

const takenBack = () =>
  new AppError('upload_void', 'This upload was cancelled or replaced by another. Ask for a new one.');

export const rejected = (reason: string) => new AppError('media_rejected', reason);
