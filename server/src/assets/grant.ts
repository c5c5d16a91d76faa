// Granting an upload: the rules for what a post may contain, a row that reserves the place, and a signed URL.
import type { TxApp } from '../api/app.js';
import type { Caller } from '../api/caller.js';
import { noteChange } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { AssetRow, PostRow } from '../db/tables.js';
import { markForDeletion } from '../files/garbage.js';
import { safeName, uploadKey } from '../files/keys.js';
import { toTimestamp } from '../ground/clock.js';
import { AppError, invalid } from '../ground/problems.js';
import { lockPostToChangeFiles } from '../posts/posts.js';
import { takeBytes } from '../quotas/quotas.js';
import { type AssetKind, KINDS, kindOf, MAX_SLIDES } from './limits.js';
import type { RequestUpload, UploadGrant } from './schema.js';

type Known = Pick<AssetRow, 'id' | 'state' | 'object_key' | 'position' | 'expires_at'>;

export async function grantUpload(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  postId: string,
  input: RequestUpload,
): Promise<UploadGrant> {
  const post = await lockPostToChangeFiles(tx, caller, postId);
  const kind = kindOf(post.post_type);
  const ending = endingFor(kind, post, input.content_type);
  const { maxLength, maxLengthInWords, uploadLifeMs, folder } = KINDS[kind];
  if (input.content_length !== undefined && input.content_length > maxLength)
    throw new AppError('file_too_large', `A ${kind} can be up to ${maxLengthInWords}.`);

  const now = app.clock.now();
  const known = await tx
    .selectFrom('assets')
    .select(['id', 'state', 'object_key', 'position', 'expires_at'])
    .where('org_id', '=', post.org_id)
    .where('post_id', '=', post.id)
    .where('state', 'in', ['pending', 'ready'])
    .execute();
  if (kind === 'video') await makeRoomForVideo(tx, post, known, input.replace === true, now);
  else refuseTooManySlides(known, now);

  await takeBytes(app, tx, post.org_id, caller, input.content_length ?? null);

  const id = app.newId();
  const row: Omit<AssetRow, 'has_thumbnail' | 'looks'> = {
    org_id: post.org_id,
    id,
    post_id: post.id,
    kind,
    state: 'pending',
    object_key: `orgs/${post.org_id}/posts/${post.id}/${folder}/${safeName(input.filename, id.slice(-12), ending)}`,
    filename: input.filename,
    content_type: input.content_type,
    announced_length: input.content_length ?? null,
    position: 1 + Math.max(0, ...known.map(({ position }) => position)),
    // Whole seconds: the reported time is exactly the signed one.
    expires_at: Math.floor((now + uploadLifeMs) / 1000) * 1000,
    size: null,
    width: null,
    height: null,
    duration_ms: null,
    codec: null,
    reason: null,
    may_change_scheduled: caller.scopes.has('posts:publish') ? 1 : 0,
    created_at: now,
    settled_at: null,
  };
  await tx.insertInto('assets').values(row).execute();
  noteChange(tx, post.org_id, { posts: [post.id] });
  return {
    upload_url: app.store.signUpload({
      key: uploadKey(row.object_key),
      contentType: row.content_type,
      length: row.announced_length,
      maxLength,
      expiresAt: row.expires_at,
    }),
    object_key: row.object_key,
    expires_at: toTimestamp(row.expires_at),
  };
}

function endingFor(kind: AssetKind, { post_type }: PostRow, contentType: string): string {
  const { endings } = KINDS[kind];
  const ending = endings[contentType];
  if (ending !== undefined) return ending;
  const message = `must be one of ${Object.keys(endings).join(', ')} in a post of type ${post_type}`;
  throw invalid([{ pointer: '/content_type', message }]);
}

const holdsPlace = ({ state, expires_at }: Known, now: number) =>
  state === 'ready' || (state === 'pending' && expires_at > now);

/** One video, or one pending upload. Replacing voids pending uploads; the video stays until the new one arrives. */
async function makeRoomForVideo(
  tx: Tx,
  post: PostRow,
  known: Known[],
  replace: boolean,
  now: number,
): Promise<void> {
  const holding = known.find((asset) => holdsPlace(asset, now));
  if (holding && !replace)
    throw new AppError(
      'video_exists',
      holding.state === 'ready'
        ? 'The post already has a video. To replace it, send replace: true.'
        : 'A video upload is in progress. To start over, send replace: true.',
    );
  const voided = known.filter(({ state }) => state === 'pending');
  if (voided.length === 0) return;
  await tx
    .deleteFrom('assets')
    .where('org_id', '=', post.org_id)
    .where(
      'id',
      'in',
      voided.map(({ id }) => id),
    )
    .execute();
  await markForDeletion(
    tx,
    post.org_id,
    voided.map(({ object_key }) => object_key),
    now,
  );
}

function refuseTooManySlides(known: Known[], now: number): void {
  if (known.filter((asset) => holdsPlace(asset, now)).length >= MAX_SLIDES)
    throw new AppError(
      'too_many_slides',
      `A post can have up to ${MAX_SLIDES} slides, pending uploads included. Remove one first.`,
    );
}
