// The disk store's hooks for uploads, and what a client is told about its own upload.

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
      if (!asset) throw cancelled();
      const confirmation = await confirmUpload(app, asset);
      if (typeof confirmation === 'object')
        throw new AppError(
          'upload_void',
          `The file sent here before was rejected: ${confirmation.rejected} Request a new upload URL to send another.`,
        );
      if (confirmation !== 'missing') throw refusal(confirmation);
      await postMustBeEditable(app.db.read, asset.org_id, asset.post_id);
    },

    async arrived(key, version) {
      const { objectKey } = assetOf(key);
      const asset = await find(objectKey);
      const confirmation: Confirmation = asset ? await confirmUpload(app, asset) : 'void';
      // A confirmed file has been moved away. One that is still here came too late: the grant was cancelled, or another file
      // arrived at the same URL first.
      if ((await app.store.find(key))?.version === version) await app.store.remove(key);
      if (confirmation === 'missing') throw cancelled();
      if (confirmation !== 'ready') throw refusal(confirmation);
      if ((await app.store.find(objectKey))?.version !== version) throw refusal('ready');
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
