// Granting an upload: the rules for what a post may contain, a row that reserves the position, and a signed URL.

import type { TxApp } from '../app/app.js';
import { toTimestamp } from '../core/clock.js';
import { AppError, invalid } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import { uploadKey } from '../object-store/object-keys.js';
import { lockPostToChangeFiles } from '../posts/posts.js';
import type { Caller } from '../request/caller.js';
import { type AssetKind, KINDS, kindOf } from './limits.js';
import { type ExpectedFile, reserveAsset } from './reserve-asset.js';
import type { RequestUpload, UploadGrant } from './schema.js';

export async function grantUpload(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  postId: string,
  input: RequestUpload,
): Promise<UploadGrant> {
  const post = await lockPostToChangeFiles(tx, caller, postId);
  const file = expectedFile(post, input, KINDS[kindOf(post.post_type)].uploadLifeMs);
  const row = await reserveAsset(app, tx, caller, post, file);
  return {
    upload_url: app.store.signUpload({
      key: uploadKey(row.object_key),
      contentType: row.content_type,
      length: row.announced_length,
      maxLength: KINDS[row.kind].maxLength,
      expiresAt: row.expires_at,
    }),
    object_key: row.object_key,
    expires_at: toTimestamp(row.expires_at),
  };
}

/** Throws if a post of this type takes no such file. */
export function expectedFile(post: PostRow, input: RequestUpload, lifeMs: number): ExpectedFile {
  const kind = kindOf(post.post_type);
  const extension = extensionFor(kind, post, input.content_type);
  const { maxLength, maxLengthInWords } = KINDS[kind];
  if (input.content_length !== undefined && input.content_length > maxLength)
    throw new AppError('file_too_large', `A ${kind} can be up to ${maxLengthInWords}.`);
  return {
    filename: input.filename,
    contentType: input.content_type,
    extension,
    length: input.content_length ?? null,
    replace: input.replace === true,
    lifeMs,
    isFetched: false,
  };
}

function extensionFor(kind: AssetKind, { post_type }: PostRow, contentType: string): string {
  const { extensions } = KINDS[kind];
  const ending = extensions[contentType];
  if (ending !== undefined) return ending;
  const message = `must be one of ${Object.keys(extensions).join(', ')} in a post of type ${post_type}`;
  throw invalid([{ pointer: '/content_type', message }]);
}
