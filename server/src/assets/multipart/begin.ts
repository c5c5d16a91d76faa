// Beginning an upload in parts. The store begins it first, outside the transaction that reserves its place: an upload whose
// transaction fails is given up at once, and one whose process stops is an orphan.

import { toLogFields } from '../../core/log.js';
import { AppError, invalid } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import { storeFailure } from '../../object-store/store-failure.js';
import { assertEditable, getPostRow, lockPostToChangeFiles } from '../../posts/posts.js';
import type { App, TxApp } from '../../request/app.js';
import type { Caller } from '../../request/caller.js';
import { expectedFile } from '../grant.js';
import { kindOf } from '../limits.js';
import { type BegunParts, type ExpectedFile, objectKeyFor, reserveAsset } from '../reserve-asset.js';
import type { RequestUpload } from '../schema.js';
import { PART_SIZE, UPLOAD_LIFE_MS } from './lengths.js';
import { presentGrant } from './present.js';
import type { PartsGrant } from './schema.js';

interface Begun {
  postId: string;
  objectKey: string;
  file: ExpectedFile;
  parts: BegunParts;
}

export async function beginParts(
  app: App,
  caller: Caller,
  postId: string,
  input: RequestUpload,
): Promise<Begun> {
  const post = await getPostRow(app, caller, postId);
  assertEditable(post);
  if (kindOf(post.post_type) !== 'video')
    throw invalid([{ pointer: '/parts', message: 'must be false or left out for a slide: only videos' }]);
  const file = expectedFile(post, input, UPLOAD_LIFE_MS);
  if (file.length === null)
    throw invalid([{ pointer: '/content_length', message: 'is required for an upload in parts' }]);
  const id = app.newId();
  const objectKey = objectKeyFor(post, file, id);
  const { id: storeUpload } = await app.store.parts.begin(objectKey).catch((error: unknown) => {
    throw error instanceof AppError ? error : storeFailure(error);
  });
  return { postId: post.id, objectKey, file, parts: { id, partSize: PART_SIZE, storeUpload } };
}

export async function grantParts(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  { postId, file, parts }: Begun,
): Promise<PartsGrant> {
  const post = await lockPostToChangeFiles(tx, caller, postId);
  return presentGrant(app, await reserveAsset(app, tx, caller, post, file, parts));
}

export async function discardParts({ store, log }: App, { objectKey }: Begun): Promise<void> {
  await store.parts
    .abandon(objectKey)
    .catch((err) => log.warn(toLogFields(err), 'an upload could not be given up; a later sweep removes it'));
}
