// Asks for a file by its web address. It gets its place now; a worker fetches it.

import { invalid } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import { lockPostToChangeFiles } from '../../posts/posts.js';
import type { TxApp } from '../../request/app.js';
import type { Caller } from '../../request/caller.js';
import { kindOf } from '../limits.js';
import { presentPending } from '../present.js';
import { reserveAsset } from '../reserve-asset.js';
import type { ImportAsset, PendingAsset } from '../schema.js';
import { expectedFrom, filenameIn, sourceOf } from './sources.js';

export async function importAsset(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  postId: string,
  { url, filename, replace = false }: ImportAsset,
): Promise<PendingAsset> {
  const refusal = app.outbound.refusal(url);
  if (refusal !== null) throw invalid([{ pointer: '/url', message: refusal }]);
  const post = await lockPostToChangeFiles(tx, caller, postId);
  const file = expectedFrom(kindOf(post.post_type), filename ?? filenameIn(url), replace);
  const asset = await reserveAsset(app, tx, caller, post, file);
  await tx
    .insertInto('asset_sources')
    .values(sourceOf(app, asset, post, url))
    .execute();
  return presentPending(asset);
}
