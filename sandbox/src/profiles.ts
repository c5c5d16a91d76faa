// What the API says about accounts: who they are, and what they may post.
import type { FastifyInstance } from 'fastify';
import { avatar, USERNAME } from './accounts.js';
import { assertMayPost, countCall, privacyOptions } from './limits.js';
import { callerOf } from './oauth.js';
import type { Platform } from './platform.js';
import { ApiError, invalid, queryOf, succeed } from './responses.js';
import type { AccountRow, Store } from './store.js';
import { audienceOf, NO_AUDIENCE } from './videos.js';

/** The fields that each scope grants. */
const USER_FIELDS: Record<string, string[]> = {
  'user.info.basic': [
    'open_id',
    'union_id',
    'avatar_url',
    'avatar_url_100',
    'avatar_large_url',
    'display_name',
  ],
  'user.info.profile': ['bio_description', 'profile_deep_link', 'is_verified', 'username'],
  'user.info.stats': ['follower_count', 'following_count', 'likes_count', 'video_count'],
};

export function profileRoutes(app: FastifyInstance, platform: Platform): void {
  const { options, store } = platform;
  const avatarOf = ({ username }: AccountRow) => `${options.publicUrl()}/avatars/${username}.svg`;

  app.get('/v2/user/info/', async (request, reply) => {
    const caller = callerOf(platform, request, 'user.info.basic', 'user.info.profile', 'user.info.stats');
    countCall(platform, 'user_info', caller.accessToken);
    const fields = (queryOf(request).fields ?? '').split(',');
    const { account } = caller;
    const known: Record<string, unknown> = {
      open_id: account.open_id,
      union_id: `union${account.open_id}`,
      avatar_url: avatarOf(account),
      avatar_url_100: avatarOf(account),
      avatar_large_url: avatarOf(account),
      display_name: account.nickname,
      bio_description: '',
      profile_deep_link: `${options.publicUrl()}/#${account.username}`,
      is_verified: false,
      username: account.username,
      ...(fields.some((field) => USER_FIELDS['user.info.stats']?.includes(field))
        ? audienceOf(platform, account.username)
        : NO_AUDIENCE),
      video_count: publishedCount(store, account.username),
    };
    if (!fields.every((field) => Object.hasOwn(known, field))) throw invalid();
    const open = caller.scopes.flatMap((scope) => USER_FIELDS[scope] ?? []);
    if (!fields.every((field) => open.includes(field))) throw new ApiError('scope_not_authorized');
    return succeed(request, reply, { user: Object.fromEntries(fields.map((name) => [name, known[name]])) });
  });

  app.post(
    '/v2/post/publish/creator_info/query/',
    { config: { faultTarget: 'creator_info' } },
    async (request, reply) => {
      const { account, accessToken } = callerOf(platform, request, 'video.publish');
      countCall(platform, 'creator_info', accessToken);
      try {
        assertMayPost(platform, account);
      } catch (error) {
        // On purpose: a client that checks only the HTTP status takes this for success.
        if (error instanceof ApiError) throw new ApiError(error.code, error.message, 200);
        throw error;
      }
      return succeed(request, reply, {
        creator_avatar_url: avatarOf(account),
        creator_username: account.username,
        creator_nickname: account.nickname,
        privacy_level_options: privacyOptions(options.strict, account),
        comment_disabled: account.comment_disabled === 1,
        duet_disabled: account.duet_disabled === 1 || account.is_private === 1,
        stitch_disabled: account.stitch_disabled === 1 || account.is_private === 1,
        max_video_post_duration_sec: account.max_video_seconds,
      });
    },
  );

  app.get('/avatars/:file', async (request, reply) => {
    const username = (request.params as { file: string }).file.replace(/\.svg$/, '');
    if (!USERNAME.test(username)) throw new ApiError('unsupported_path');
    return reply
      .header('content-type', 'image/svg+xml')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('cache-control', 'max-age=7200')
      .send(avatar(username));
  });
}

function publishedCount(store: Store, username: string): number {
  const sql = "select count(*) as n from publishes where username = ? and status = 'PUBLISH_COMPLETE'";
  return store.get<{ n: number }>(sql, username)?.n ?? 0;
}
