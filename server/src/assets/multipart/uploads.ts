// Uploads in parts. The store begins one first, outside the transaction that reserves its asset: an upload whose transaction fails
// is given up right away, and one whose process stops is an orphan. Joining can be repeated: after a crash, or when a response was
// lost, the next request continues.

import type { App, TxApp } from '../../app/app.js';
import { toTimestamp } from '../../core/clock.js';
import { withDeadline } from '../../core/deadline.js';
import { isDiskFullError } from '../../core/disk-space.js';
import { asUuid } from '../../core/ids.js';
import { toLogFields } from '../../core/log.js';
import { AppError, invalid, notFound } from '../../core/problems.js';
import type { Reader, Tx } from '../../db/database.js';
import type { AssetRow } from '../../db/tables.js';
import { storeFailure } from '../../object-store/store-failure.js';
import { assertEditable, getPostRow, lockPostToChangeFiles } from '../../posts/posts.js';
import type { Caller, CallerWithAddress } from '../../request/caller.js';
import { requireFound } from '../../request/require-found.js';
import { findAsset, removeAsset } from '../assets.js';
import { confirmUpload } from '../confirm.js';
import { expectedFile } from '../grant.js';
import { KINDS, kindOf } from '../limits.js';
import { type BegunParts, type ExpectedFile, objectKeyFor, reserveAsset } from '../reserve-asset.js';
import type { RequestUpload } from '../schema.js';
import { formatPartNumbers, lengthsOf, MAX_URLS, PART_SIZE, UPLOAD_LIFE_MS } from './lengths.js';
import type { PartsGrant, Upload } from './schema.js';

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
  const objectKey = objectKeyFor(post, 'video', file, id);
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
  const row = await reserveAsset(app, tx, caller, post, file, parts);
  return presentParts(app, row, [], 1);
}

export async function discardParts({ store, log }: App, { objectKey }: Begun): Promise<void> {
  await store.parts
    .abandon(objectKey)
    .catch((err) => log.warn(toLogFields(err), 'an upload could not be given up; a later sweep removes it'));
}

export async function getUpload(
  app: App,
  caller: Caller,
  postId: string,
  uploadId: string,
  from = 1,
): Promise<Upload> {
  const post = await getPostRow(app, caller, postId);
  const asset = await requireUpload(app.db.read, caller, post.id, uploadId);
  if (asset.state === 'pending' && asset.expires_at <= app.clock.now())
    throw new AppError(
      'upload_void',
      'This upload was not complete within 7 days. Request a new one to send the file again.',
    );
  const arrived =
    asset.state === 'pending' ? await arrivedParts(app, asset) : partsOf(asset).map((_, i) => i + 1);
  return { ...presentParts(app, asset, arrived, from), arrived };
}

/** Joins the parts and inspects the file, before the transaction that reports its state. Returns the keys of both. */
export async function completeParts(
  app: App,
  caller: Caller,
  postId: string,
  uploadId: string,
): Promise<{ postId: string; objectKey: string }> {
  const post = await getPostRow(app, caller, postId);
  const asset = await requireUpload(app.db.read, caller, post.id, uploadId);
  if (asset.state === 'pending') {
    assertEditable(post);
    await withDeadline(async (deadline) => {
      // Concurrent requests share one join; it goes on when they wait no longer.
      await app.state.joins(asset.object_key, () => join(app, asset));
      await confirmUpload(app, asset, 'charged', deadline);
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
  const asset = await requireUpload(tx, caller, id, uploadId);
  if (asset.state === 'ready')
    throw new AppError(
      'already_uploaded',
      'The upload is complete, so there is nothing left to give up. To remove the video, delete the file.',
    );
  return removeAsset(app, tx, caller, id, asset.object_key);
}

const requireUpload = (read: Reader, caller: Caller, post_id: string, uploadId: string): Promise<AssetRow> =>
  requireFound('upload', caller, uploadId, async (row) => {
    const asset = await findAsset(read, { ...row, post_id });
    return asset?.part_size === null ? undefined : asset;
  });

/** The numbers of the parts that are here, all of them if the file is joined. */
async function arrivedParts(app: App, asset: AssetRow): Promise<number[]> {
  const { store } = app;
  const lengths = partsOf(asset);
  const found = await mapStoreError(store.parts.arrived(uploadOf(asset)));
  // Checked last: parts that were joined between the two lookups are all here.
  if (await mapStoreError(store.find(asset.object_key))) return lengths.map((_, i) => i + 1);
  if (found === null)
    throw new AppError(
      'upload_void',
      'The store no longer has the parts of this upload. Request a new one to send the file again.',
    );
  return lengths.flatMap((length, i) => (found.get(i + 1) === length ? [i + 1] : []));
}

async function join(app: App, asset: AssetRow): Promise<void> {
  const { store } = app;
  const lengths = partsOf(asset);
  const arrived = new Set(await arrivedParts(app, asset));
  const missing = lengths.flatMap((_, i) => (arrived.has(i + 1) ? [] : [i + 1]));
  if (missing.length > 0)
    throw new AppError(
      'upload_incomplete',
      `${missing.length} of ${lengths.length} parts have not arrived yet: ${formatPartNumbers(missing)}. PUT them first.`,
    );
  // What a process left that stopped before it had removed the parts.
  if (await mapStoreError(store.find(asset.object_key)))
    return mapStoreError(store.parts.abandon(asset.object_key));
  await mapStoreError(app.queues.joinParts(asset.org_id, () => store.parts.join(uploadOf(asset), lengths)));
}

/** If the store fails, the parts stay in it, and the next request tries again. */
const mapStoreError = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error) => {
    if (error instanceof AppError || isDiskFullError(error)) throw error;
    throw storeFailure(error, 'What has arrived is kept.');
  });

type Row = Pick<
  AssetRow,
  'id' | 'kind' | 'object_key' | 'announced_length' | 'part_size' | 'store_upload' | 'expires_at'
>;

const partsOf = ({ announced_length, part_size }: Row): number[] =>
  lengthsOf(announced_length ?? 0, part_size ?? 1);

const uploadOf = ({ object_key, store_upload }: Row) => ({ key: object_key, id: store_upload ?? '' });

/** An upload in parts as the API shows it, with URLs for the next parts from this number on. */
function presentParts(
  { store, clock }: Pick<TxApp, 'store' | 'clock'>,
  row: Row,
  arrived: readonly number[],
  from: number,
): PartsGrant {
  const expiresAt = Math.min(clock.now() + KINDS[row.kind].uploadLifeMs, row.expires_at);
  const known = new Set(arrived);
  const missing = partsOf(row)
    .map((length, i) => ({ number: i + 1, length }))
    .filter(({ number }) => number >= from && !known.has(number));
  return {
    object_key: row.object_key,
    upload_id: row.id,
    part_size: row.part_size ?? 0,
    expires_at: toTimestamp(row.expires_at),
    urls_expire_at: toTimestamp(expiresAt),
    parts: missing.slice(0, MAX_URLS).map(({ number, length }) => ({
      number,
      upload_url: store.signPart(uploadOf(row), { number, length, expiresAt }),
    })),
  };
}
