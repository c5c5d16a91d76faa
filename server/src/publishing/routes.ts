import { Readable } from 'node:stream';
import { SocialAccountRef } from '../accounts/schema.js';
import type { App } from '../app/app.js';
import { AppError } from '../core/problems.js';
import { POSTED_EXAMPLE, PostRef } from '../posts/schema.js';
import { callerOf, callerWithAddressOf } from '../request/caller.js';
import { idempotencyRecordOf, idempotent } from '../request/idempotency.js';
import { DEFAULT_PLATFORM } from '../request/platforms.js';
import { dataEnvelope, responses, responsesToAct, responsesToBody, WithId } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { unblockAccount } from './attempt/blocks/unblock.js';
import { receiveWebhook } from './attempt/platform-webhooks.js';
import { serveSlide } from './attempt/slide-server.js';
import { preflight } from './preflight.js';
import { publishNow } from './publish-now.js';
import { resolvePost } from './resolve.js';
import { PreflightRef, PublishedRef, PublishPost, PublishStatusRef, ResolvePost } from './schema.js';
import { publishStatus } from './status.js';

const tags = ['Publishing'];

export function publishingRoutes(server: Server, app: App): void {
  server.post(
    '/api/v1/posts/:id/publish',
    {
      schema: {
        operationId: 'publishPost',
        tags,
        summary: 'Publish a draft or a scheduled post now',
        description:
          'Uses only the fields of the request: a field that is left out takes its default, not the value stored in the post, and the values used are stored in the post. Responds once the platform accepts the post. Poll publish-status for the outcome. 503 means that the platform accepted nothing and you can repeat the request after `Retry-After`: `account_paced` if the account has reached its limit for now (SOCIAL_INITS_PER_MINUTE, SOCIAL_POSTS_PER_DAY), `account_blocked` if the platform refuses all posts of the account or of this app for now, `platform_unavailable` if the platform is down or asks to wait, `busy` if uploaded files of the post have waited a minute for inspection. 504 means that the outcome is unknown. While a file is being fetched from a URL the response is 409 `uploads_pending`, and once it is rejected, 422 `media_rejected`: a post is published with all of its files, or not at all.',
        params: WithId,
        body: PublishPost,
        response: responsesToBody(
          { 200: dataEnvelope(PublishedRef) },
          'not_found',
          'wrong_state',
          'no_media',
          'uploads_pending',
          'reconnect_required',
          'media_rejected',
          'caption_too_long',
          'privacy_level_missing',
          'privacy_level_not_offered',
          'branded_content_private',
          'slide_count',
          'cover_out_of_range',
          'video_size',
          'video_type',
          'video_too_long',
          'platform_refused',
          'platform_failed',
          'platform_unavailable',
          'account_paced',
          'account_blocked',
          'busy',
          'platform_timeout',
          'safe_mode',
        ),
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      const record = idempotencyRecordOf(app, request);
      const { publishId, isReplay } = await publishNow(
        app,
        callerWithAddressOf(request),
        params.id,
        body,
        record,
      );
      if (isReplay) reply.header('idempotency-replayed', 'true');
      return { data: { publish_id: publishId } };
    },
  );

  server.get(
    '/api/v1/posts/:id/publish-status',
    {
      schema: {
        operationId: 'getPublishStatus',
        tags,
        summary: 'Get the outcome of the latest publish attempt',
        description:
          'Reports the latest attempt that the platform accepted or whose outcome is unknown; 404 if there is none. Polls the platform first if its last status is older than 5 seconds and not final.',
        params: WithId,
        response: responses({ 200: dataEnvelope(PublishStatusRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await publishStatus(app, callerOf(request), request.params.id) }),
  );

  server.get(
    '/api/v1/posts/:id/preflight',
    {
      schema: {
        operationId: 'preflightPost',
        tags,
        summary: 'Check what would be refused, and see exactly what would be sent',
        description:
          "Sends nothing and changes nothing. `problems` lists errors, which would stop the post, and warnings, which would not; `request` is what the platform would receive. The account's current options are read from the platform.",
        params: WithId,
        response: responses({ 200: dataEnvelope(PreflightRef) }, 'not_found', 'wrong_state', 'busy'),
      },
    },
    async (request) => ({ data: await preflight(app, callerOf(request), request.params.id) }),
  );

  server.post(
    '/api/v1/posts/:id/resolve',
    {
      schema: {
        operationId: 'resolvePost',
        tags,
        summary: 'Resolve a post whose outcome is unknown',
        description:
          'For a post that was sent, whose response was lost, and whose outcome Airdate cannot get from the platform. Check on the platform whether the post is there, then report it: `posted` marks it as published, `not_posted` makes it a draft again.',
        params: WithId,
        body: ResolvePost,
        response: responsesToBody({ 200: dataEnvelope(PostRef, POSTED_EXAMPLE) }, 'not_found', 'wrong_state'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: {
          data: await resolvePost(app, tx, callerWithAddressOf(request), request.params.id, request.body),
        },
      })),
  );

  server.post(
    '/api/v1/social-accounts/:id/unblock',
    {
      schema: {
        operationId: 'unblockSocialAccount',
        tags: ['Accounts'],
        summary: 'Try again to publish to a blocked account',
        description:
          "For an account with `blocked_until`: the block counts as over from now on, and so does that of the platform, if the app's cap was reached. One post that waits goes first, and the others follow once the platform has accepted it. If it refuses again, the account is blocked again. Without effect on an account that is not blocked.",
        params: WithId,
        response: responsesToAct({ 200: dataEnvelope(SocialAccountRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await unblockAccount(app, tx, callerWithAddressOf(request), request.params.id) },
      })),
  );

  server.get(
    '/media/:nonce/:file',
    { schema: { hide: true }, config: { mustBeRead: true } },
    async (request, reply) => {
      const { nonce, file } = request.params as { nonce: string; file: string };
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort(new AppError('bad_request', 'The connection was closed.')));
      const picture = await serveSlide(app, nonce, file, gone.signal);
      return reply
        .headers({ 'cache-control': 'private, no-store', 'content-length': picture.length })
        .type('image/jpeg')
        .send(inPieces(picture));
    },
  );

  webhookRoute(server, app);
}

const PIECE_BYTES = 64 * 1024;

/** Whether a client takes a response is seen by what is written after its first piece. */
function inPieces(bytes: Buffer): Readable {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }
  return Readable.from(pieces(), { objectMode: false, highWaterMark: PIECE_BYTES });
}

/** In its own scope: the signature covers the raw bytes, so the body must not be parsed first. */
function webhookRoute(server: Server, app: App): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post('/webhooks/social', { schema: { hide: true } }, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      await receiveWebhook(app, DEFAULT_PLATFORM, request.headers, body);
      return reply.send({});
    });
  });
}
