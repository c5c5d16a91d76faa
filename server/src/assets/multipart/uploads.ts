// An upload in parts once it has begun: what has arrived, joining it, giving it up.

import { asUuid } from '../../core/ids.js';
import { AppError, notFound } from '../../core/problems.js';
import type { Reader, Tx } from '../../db/database.js';
import type { AssetRow } from '../../db/tables.js';
import { assertEditable, getPostRow } from '../../posts/posts.js';
import type { App, TxApp } from '../../request/app.js';
import type { Caller, CallerWithAddress } from '../../request/caller.js';
import { removeAsset } from '../assets.js';
import { confirmUpload } from '../confirm.js';
import { withDeadline } from '../deadline.js';
import { arrivedParts, joinOnce } from './join.js';
import { partsOf, presentUpload } from './present.js';
import type { Upload } from './schema.js';

export async function getUpload(
  app: App,
  caller: Caller,
  postId: string,
  uploadId: string,
  from = 1,
): Promise<Upload> {
  const post = await getPostRow(app, caller, postId);
  const asset = await findUpload(app.db.read, caller, post.id, uploadId);
  if (asset.state === 'pending' && asset.expires_at <= app.clock.now())
    throw new AppError(
      'upload_void',
      'This upload was not complete within 7 days. Request a new one to send the file again.',
    );
  const arrived =
    asset.state === 'pending' ? await arrivedParts(app, asset) : partsOf(asset).map((_, i) => i + 1);
  return presentUpload(app, asset, arrived, from);
}

/** Joins the parts and inspects the file, before the transaction that reports its state. Returns the keys of both. */
export async function completeParts(
  app: App,
  caller: Caller,
  postId: string,
  uploadId: string,
): Promise<{ postId: string; objectKey: string }> {
  const post = await getPostRow(app, caller, postId);
  const asset = await findUpload(app.db.read, caller, post.id, uploadId);
  if (asset.state === 'pending') {
    assertEditable(post);
    await withDeadline(async (deadline) => {
      await joinOnce(app, asset);
      await confirmUpload(app, asset, 'request', deadline);
    });
  }
  return { postId: post.id, objectKey: asset.object_key };
}

/** Returns the keys of its objects, to be removed after the commit. */
export async function abortUpload(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  postId: string,
  uploadId: string,
): Promise<string[]> {
  const id = asUuid(postId);
  if (id === null) throw notFound('upload');
  const asset = await findUpload(tx, caller, id, uploadId);
  if (asset.state === 'ready')
    throw new AppError(
      'already_uploaded',
      'The upload is complete, so there is nothing left to give up. To remove the video, delete the file.',
    );
  return removeAsset(app, tx, caller, id, asset.object_key);
}

async function findUpload(
  read: Reader,
  { orgId }: Caller,
  postId: string,
  uploadId: string,
): Promise<AssetRow> {
  const id = asUuid(uploadId);
  const asset =
    id === null
      ? undefined
      : await read
          .selectFrom('assets')
          .selectAll()
          .where('org_id', '=', orgId)
          .where('post_id', '=', postId)
          .where('id', '=', id)
          .where('part_size', 'is not', null)
          .executeTakeFirst();
  if (!asset) throw notFound('upload');
  return asset;
}
