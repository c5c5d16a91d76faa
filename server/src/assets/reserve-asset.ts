// Reserves the asset of a file that is about to arrive: a pending row with its position, its key and its share of the quota.
// Whether the file comes by one PUT, in parts or from an address, its asset is reserved here.

import type { TxApp } from '../app/app.js';
import { AppError } from '../core/problems.js';
import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { AssetRow, PostRow } from '../db/tables.js';
import { deleteFiles } from '../object-deletion/mark.js';
import { safeName } from '../object-store/object-keys.js';
import { reserveBytes } from '../quotas/quotas.js';
import type { Caller } from '../request/caller.js';
import { type AssetKind, KINDS, kindOf, MAX_SLIDES } from './limits.js';

type KnownAsset = Pick<AssetRow, 'id' | 'state' | 'object_key' | 'position' | 'expires_at' | 'is_fetched'>;

/** A row as it is inserted; the other columns have defaults. */
export type ReservedAsset = Omit<AssetRow, 'has_thumbnail' | 'inspection_failures' | 'inspection_began_at'>;

export interface ExpectedFile {
  filename: string;
  contentType: string;
  /** The extension in its key. */
  extension: string;
  /** Null: counted in the quota when the file arrives. */
  length: number | null;
  /** Video only: voids pending uploads, and the present video once this one is ready. */
  replace: boolean;
  /** How long the asset is reserved. */
  lifeMs: number;
  /** A worker fetches it: from now on it belongs to the post. */
  isFetched: boolean;
}

/** What is known of an upload in parts, which begins before its asset is reserved. */
export interface BegunParts {
  /** The id of the asset's row, and so part of its object key. */
  id: string;
  partSize: number;
  storeUpload: string;
}

export function objectKeyFor(
  { org_id, id }: Pick<PostRow, 'org_id' | 'id'>,
  kind: AssetKind,
  { filename, extension }: Pick<ExpectedFile, 'filename' | 'extension'>,
  assetId: string,
): string {
  const { folder } = KINDS[kind];
  return `orgs/${org_id}/posts/${id}/${folder}/${safeName(filename, assetId.slice(-12), extension)}`;
}

/** The post must be locked and its files changeable (`lockPostToChangeFiles`). */
export async function reserveAsset(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  post: PostRow,
  file: ExpectedFile,
  parts: BegunParts | null = null,
): Promise<ReservedAsset> {
  const kind = kindOf(post.post_type);
  const now = app.clock.now();
  const known = await tx
    .selectFrom('assets')
    .select(['id', 'state', 'object_key', 'position', 'expires_at', 'is_fetched'])
    .where('org_id', '=', post.org_id)
    .where('post_id', '=', post.id)
    .where((eb) => eb.or([eb('state', 'in', ['pending', 'ready']), eb('is_fetched', '=', 1)]))
    .execute();
  if (kind === 'video') await voidPendingVideos(tx, post, known, file, now);
  else assertSlideLimit(known, now);

  await reserveBytes(app, tx, post.org_id, caller, file.length);

  const position = 1 + Math.max(0, ...known.map(({ position }) => position));
  const row = pendingRow(app, caller, post, file, position, parts);
  await tx.insertInto('assets').values(row).execute();
  markChanged(tx, post.org_id, { posts: [post.id] });
  return row;
}

/** The row of a file of a post, which is there or about to be created. */
export function pendingRow(
  app: Pick<TxApp, 'newId' | 'clock'>,
  caller: Pick<Caller, 'scopes'>,
  post: Pick<PostRow, 'org_id' | 'id' | 'post_type'>,
  file: ExpectedFile,
  position: number,
  parts: BegunParts | null = null,
): ReservedAsset {
  const now = app.clock.now();
  const id = parts?.id ?? app.newId();
  const kind = kindOf(post.post_type);
  return {
    org_id: post.org_id,
    id,
    post_id: post.id,
    kind,
    state: 'pending',
    object_key: objectKeyFor(post, kind, file, id),
    filename: file.filename,
    content_type: file.contentType,
    announced_length: file.length,
    part_size: parts?.partSize ?? null,
    store_upload: parts?.storeUpload ?? null,
    position,
    // Whole seconds: the reported time is exactly the signed one.
    expires_at: Math.floor((now + file.lifeMs) / 1000) * 1000,
    size: null,
    width: null,
    height: null,
    duration_ms: null,
    codec: null,
    reason: null,
    is_fetched: file.isFetched ? 1 : 0,
    may_change_scheduled: caller.scopes.has('posts:publish') ? 1 : 0,
    created_at: now,
    settled_at: null,
  };
}

/** A fetched file that was rejected counts too: it belongs to the post until it is removed. */
const countsTowardLimit = ({ state, expires_at, is_fetched }: KnownAsset, now: number) =>
  is_fetched === 1 || state === 'ready' || (state === 'pending' && expires_at > now);

/**
 * One video, or one pending upload; a rejected one is not in the way. Replacing voids pending uploads, and the video stays until
 * the new one arrives. So does a video that is being fetched, unless the new one is fetched too: the post would otherwise be whole
 * before the client has sent anything.
 */
async function voidPendingVideos(
  tx: Tx,
  post: PostRow,
  known: KnownAsset[],
  { replace, isFetched }: ExpectedFile,
  now: number,
): Promise<void> {
  const holding = known.find((asset) => asset.state !== 'rejected' && countsTowardLimit(asset, now));
  if (holding && !replace)
    throw new AppError(
      'video_exists',
      holding.state === 'ready'
        ? 'The post already has a video. To replace it, send replace: true.'
        : 'A video upload is in progress. To start over, send replace: true.',
    );
  const voided = known.filter(
    ({ state, is_fetched }) => state !== 'ready' && (isFetched || is_fetched === 0),
  );
  if (voided.length === 0) return;
  const ids = voided.map(({ id }) => id);
  await deleteFiles(tx, post.org_id, (eb) => eb('id', 'in', ids), now);
}

function assertSlideLimit(known: KnownAsset[], now: number): void {
  if (known.filter((asset) => countsTowardLimit(asset, now)).length >= MAX_SLIDES)
    throw new AppError(
      'too_many_slides',
      `A post can have up to ${MAX_SLIDES} slides, including pending uploads and files that could not be fetched. Remove one first.`,
    );
}
