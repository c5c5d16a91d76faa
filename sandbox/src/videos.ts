// Reading back: the public posts of a creator, and how they do.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { avatar } from './accounts.js';
import { figuresOf } from './figures.js';
import type { Size } from './inspection.js';
import { countCall } from './limits.js';
import { callerOf } from './oauth.js';
import { HOUR_MS, type Platform } from './platform.js';
import { ApiError, type Fields, invalid, isFields, jsonOf, queryOf, succeed } from './responses.js';
import type { PublishRow } from './store.js';

const FIELDS = [
  'id',
  'create_time',
  'cover_image_url',
  'share_url',
  'video_description',
  'duration',
  'height',
  'width',
  'title',
  'embed_html',
  'embed_link',
  'like_count',
  'comment_count',
  'share_count',
  'view_count',
];
const MAX_VIDEOS = 20;
const DEFAULT_COUNT = 10;
const COVER_MS = 6 * HOUR_MS;
const NO_SIZE: Size = { width: 0, height: 0, seconds: 0 };

type Post = PublishRow & { post_id: string; finished_at: number };

const IS_PUBLIC = "status = 'PUBLISH_COMPLETE' and privacy_level = 'PUBLIC_TO_EVERYONE'";

export function videoRoutes(app: FastifyInstance, platform: Platform): void {
  const { store } = platform;

  app.post('/v2/video/list/', async (request, reply) => {
    const { account, accessToken } = callerOf(platform, request, 'video.list');
    countCall(platform, 'video_list', accessToken);
    const fields = fieldsOf(request);
    const { cursor, max_count = DEFAULT_COUNT } = optionalJsonOf(request);
    const before = cursor === undefined || cursor === 0 ? Number.MAX_SAFE_INTEGER : cursor;
    if (!isWhole(before, 1, Number.MAX_SAFE_INTEGER) || !isWhole(max_count, 1, MAX_VIDEOS)) throw invalid();
    const found = store.all<Post>(
      `select * from publishes where username = ? and finished_at < ? and ${IS_PUBLIC}
        order by finished_at desc limit ?`,
      account.username,
      before,
      max_count + 1,
    );
    const posts = found.slice(0, max_count);
    return succeed(request, reply, {
      videos: posts.map((post) => videoOf(post, fields)),
      cursor: posts.at(-1)?.finished_at ?? 0,
      has_more: found.length > max_count,
    });
  });

  app.post('/v2/video/query/', async (request, reply) => {
    const { account, accessToken } = callerOf(platform, request, 'video.list');
    countCall(platform, 'video_query', accessToken);
    const fields = fieldsOf(request);
    const { filters } = jsonOf(request);
    const ids = isFields(filters) && Array.isArray(filters.video_ids) ? filters.video_ids : [];
    if (ids.length < 1 || ids.length > MAX_VIDEOS || ids.some((id) => typeof id !== 'string'))
      throw invalid();
    // Other creators' posts, deleted ones and those that are not public are left out.
    const posts = store.all<Post>(
      `select * from publishes where post_id in (${ids.map(() => '?').join()}) and username = ? and ${IS_PUBLIC}
        order by finished_at desc`,
      ...ids,
      account.username,
    );
    return succeed(request, reply, { videos: posts.map((post) => videoOf(post, fields)) });
  });

  function videoOf(post: Post, fields: string[]): Fields {
    const base = platform.options.publicUrl();
    const link = `${base}/@${post.username}/${post.kind}/${post.post_id}`;
    const size = store.get<Size>('select * from sizes where digits = ?', post.digits) ?? NO_SIZE;
    const expires = Math.floor((platform.now() + COVER_MS) / 1000);
    const all: Fields = {
      id: post.post_id,
      create_time: Math.floor(post.finished_at / 1000),
      cover_image_url: `${base}/covers/${post.post_id}?x-expires=${expires}`,
      share_url: link,
      video_description: post.title,
      duration: Math.round(size.seconds),
      height: size.height,
      width: size.width,
      title: post.title,
      embed_html: `<iframe src="${link}" title="${post.username} in the sandbox"></iframe>`,
      embed_link: link,
      ...figuresOf(post.post_id, platform.now() - post.finished_at),
    };
    return Object.fromEntries(fields.map((name) => [name, all[name]]));
  }

  app.get('/covers/:postId', async (request, reply) => {
    const { postId } = request.params as { postId: string };
    const post = store.get<Post>(`select * from publishes where post_id = ? and ${IS_PUBLIC}`, postId);
    const isCurrent = Number(queryOf(request)['x-expires']) * 1000 > platform.now();
    if (!post || !isCurrent) throw new ApiError('unsupported_path');
    if (post.kind === 'photo')
      return reply.redirect(`${platform.options.publicUrl()}/media/${post.digits}/0`);
    return reply
      .header('content-type', 'image/svg+xml')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(avatar(post.username));
  });
}

/** Reading all posts takes a while, so only those who ask for figures pay for it. */
export const NO_AUDIENCE = { follower_count: 0, following_count: 0, likes_count: 0 };

/** The figures of an account follow from those of its public posts. */
export function audienceOf({ store, now }: Platform, username: string): typeof NO_AUDIENCE {
  const posts = store.all<Post>(`select * from publishes where username = ? and ${IS_PUBLIC}`, username);
  const figures = posts.map(({ post_id, finished_at }) => figuresOf(post_id, now() - finished_at));
  const sum = (name: 'view_count' | 'like_count') => figures.reduce((total, one) => total + one[name], 0);
  return {
    follower_count: Math.floor(sum('view_count') / 100),
    following_count: 0,
    likes_count: sum('like_count'),
  };
}

const isWhole = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

function fieldsOf(request: FastifyRequest): string[] {
  const fields = (queryOf(request).fields ?? '').split(',');
  if (!fields.every((name) => FIELDS.includes(name))) throw invalid();
  return fields;
}

/** All parameters of the list are optional, and so is the body. */
const optionalJsonOf = (request: FastifyRequest): Fields => (request.body ? jsonOf(request) : {});
