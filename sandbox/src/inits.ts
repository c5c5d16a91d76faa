// The three endpoints that begin a post: direct video, inbox video, photos.
//
// They check in this order: token, scope, calls per minute, shape, chunks, URLs, privacy, bans and caps. What passes is
// accepted: after that only the files can make it fail.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { chunkMistake } from './chunks.js';
import {
  assertMayPost,
  assertMayShare,
  checkPrivacy,
  checkUrl,
  countCall,
  type LimitedCall,
} from './limits.js';
import { type Caller, callerOf } from './oauth.js';
import { HOUR_MS, type Platform } from './platform.js';
import { newNumber } from './processing.js';
import type { Pulling } from './pulling.js';
import { type Fields, invalid, isFields, jsonOf, succeed } from './responses.js';
import type { PublishRow } from './store.js';

const VIDEO_TITLE = 2200;
const PHOTO_TITLE = 90;
const PHOTO_DESCRIPTION = 4000;
const MAX_PHOTOS = 35;

/** A requested post, checked. */
interface Draft {
  kind: PublishRow['kind'];
  mode: PublishRow['mode'];
  title: string;
  privacy: string | null;
  source: Source;
}

type Source =
  | { is: 'FILE_UPLOAD'; videoSize: number; chunkSize: number; chunkCount: number }
  | { is: 'PULL_FROM_URL'; urls: string[] };

export function initRoutes(app: FastifyInstance, platform: Platform, pulling: Pulling): void {
  const config = { faultTarget: 'init' } as const;

  app.post('/v2/post/publish/video/init/', { config }, async (request, reply) => {
    const { caller, body } = enter(platform, request, 'video', 'video.publish');
    const post = postInfo(body, VIDEO_TITLE);
    const source = videoSource(platform, body.source_info);
    checkPrivacy(platform, caller.account, post.privacy_level);
    assertMayPost(platform, caller.account);
    const draft: Draft = {
      kind: 'video',
      mode: 'direct',
      title: post.title,
      privacy: String(post.privacy_level),
      source,
    };
    return succeed(request, reply, accept(platform, pulling, caller, body, draft));
  });

  app.post('/v2/post/publish/inbox/video/init/', { config }, async (request, reply) => {
    const { caller, body } = enter(platform, request, 'inbox_video', 'video.upload');
    const source = videoSource(platform, body.source_info);
    assertMayShare(platform, caller.account);
    // A caption or privacy level in the request is ignored, as on the platform.
    const draft: Draft = { kind: 'video', mode: 'inbox', title: '', privacy: null, source };
    return succeed(request, reply, accept(platform, pulling, caller, body, draft));
  });

  app.post('/v2/post/publish/content/init/', { config }, async (request, reply) => {
    const caller = callerOf(platform, request, 'video.publish', 'video.upload');
    const body = jsonOf(request);
    const isDirect = body.post_mode === 'DIRECT_POST';
    if (!isDirect && body.post_mode !== 'MEDIA_UPLOAD') throw invalid('post_mode is invalid.');
    callerOf(platform, request, isDirect ? 'video.publish' : 'video.upload');
    countCall(platform, 'content', caller.accessToken);
    if (body.media_type !== 'PHOTO') throw invalid('media_type is invalid.');
    const post = postInfo(body, PHOTO_TITLE, PHOTO_DESCRIPTION);
    if (
      platform.options.strict &&
      (Object.hasOwn(post, 'disable_duet') || Object.hasOwn(post, 'disable_stitch'))
    )
      throw invalid('Photos have no duet and no stitch.');
    const source = photoSource(platform, body.source_info);
    if (isDirect) {
      checkPrivacy(platform, caller.account, post.privacy_level);
      assertMayPost(platform, caller.account);
    } else assertMayShare(platform, caller.account);
    const draft: Draft = {
      kind: 'photo',
      mode: isDirect ? 'direct' : 'inbox',
      title: [post.title, post.description].filter((text) => text !== '').join('\n'),
      privacy: isDirect ? String(post.privacy_level) : null,
      source,
    };
    return succeed(request, reply, accept(platform, pulling, caller, body, draft));
  });
}

function enter(platform: Platform, request: FastifyRequest, call: LimitedCall, scope: string) {
  const caller = callerOf(platform, request, scope);
  countCall(platform, call, caller.accessToken);
  return { caller, body: jsonOf(request) };
}

const FLAGS = [
  'disable_duet',
  'disable_stitch',
  'disable_comment',
  'auto_add_music',
  'brand_content_toggle',
  'brand_organic_toggle',
  'is_aigc',
];

function postInfo(body: Fields, titleLength: number, descriptionLength = 0) {
  const info = body.post_info;
  if (!isFields(info)) throw invalid('post_info is missing.');
  if (FLAGS.some((flag) => typeof (info[flag] ?? false) !== 'boolean')) throw invalid();
  return {
    ...info,
    privacy_level: info.privacy_level,
    title: textOf(info.title, titleLength, 'The title is too long.'),
    description: textOf(info.description, descriptionLength, 'The description is too long.'),
  };
}

/** Lengths are counted in UTF-16 code units, as JavaScript does. */
function textOf(value: unknown, limit: number, mistake: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw invalid();
  if (value.length > limit) throw invalid(mistake);
  return value;
}

function videoSource(platform: Platform, info: unknown): Source {
  if (!isFields(info)) throw invalid('source_info is missing.');
  if (info.source === 'PULL_FROM_URL') {
    checkUrl(platform, info.video_url);
    return { is: 'PULL_FROM_URL', urls: [String(info.video_url)] };
  }
  if (info.source !== 'FILE_UPLOAD') throw invalid('The source is invalid.');
  const plan = {
    videoSize: info.video_size as number,
    chunkSize: info.chunk_size as number,
    chunkCount: info.total_chunk_count as number,
  };
  const mistake = chunkMistake(plan);
  if (mistake !== null) throw invalid(mistake);
  return { is: 'FILE_UPLOAD', ...plan };
}

function photoSource(platform: Platform, info: unknown): Source {
  if (!isFields(info) || info.source !== 'PULL_FROM_URL') throw invalid('The source is invalid.');
  const { photo_images: images, photo_cover_index: cover } = info;
  if (!Array.isArray(images) || images.length < 1 || images.length > MAX_PHOTOS)
    throw invalid('photo_images is invalid.');
  for (const image of images) checkUrl(platform, image);
  if (!Number.isInteger(cover) || Number(cover) < 0 || Number(cover) >= images.length)
    throw invalid('photo_cover_index is invalid.');
  return { is: 'PULL_FROM_URL', urls: images.map(String) };
}

/** Stores the post, and starts pulling if there is anything to pull. */
function accept(platform: Platform, pulling: Pulling, { account }: Caller, request: Fields, draft: Draft) {
  const { store, options } = platform;
  const { kind, mode, title, privacy, source } = draft;
  const digits = newNumber();
  const publishId = publishIdOf(draft, digits);
  const upload = source.is === 'FILE_UPLOAD' ? { ...source, token: randomUUID() } : null;
  store.transact(() => {
    store.insert('publishes', {
      publish_id: publishId,
      digits,
      username: account.username,
      kind,
      mode,
      source: source.is,
      at: platform.now(),
      request: JSON.stringify(request),
      status: upload ? 'PROCESSING_UPLOAD' : 'PROCESSING_DOWNLOAD',
      privacy_level: privacy,
      title,
      upload_token: upload?.token ?? null,
      upload_expires_at: upload ? platform.now() + HOUR_MS : null,
      video_size: upload?.videoSize ?? null,
      chunk_size: upload?.chunkSize ?? null,
      chunk_count: upload?.chunkCount ?? null,
    });
    const urls = source.is === 'PULL_FROM_URL' ? source.urls : [null];
    for (const [position, url] of urls.entries()) store.insert('media', { digits, position, url });
  });
  if (!upload) {
    pulling.begin(publishId);
    return { publish_id: publishId };
  }
  const query = new URLSearchParams({ upload_id: digits, upload_token: upload.token });
  return { publish_id: publishId, upload_url: `${options.publicUrl()}/upload/?${query}` };
}

function publishIdOf({ kind, mode, source }: Draft, digits: string): string {
  const letter = kind === 'video' ? 'v' : 'p';
  const where = mode === 'direct' ? 'pub' : 'inbox';
  const how = source.is === 'FILE_UPLOAD' ? 'file' : 'url';
  // Observed on the platform: only this kind has the longer version.
  const version = where === 'pub' && how === 'file' ? 'v2-1' : 'v2';
  return `${letter}_${where}_${how}~${version}.${digits}`;
}
