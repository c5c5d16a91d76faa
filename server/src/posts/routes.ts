// The routes of posts; /posts/import is in import/. What else begins with /api/v1/posts and is not here needs files or attempts, which
// this folder knows nothing of:
//
//   /posts/:id/assets/import                                        assets/fetch/routes.ts
//   /posts/:id/assets · /posts/:id/assets/complete                  assets/routes.ts
//   /posts/:id/duplicate                                            assets/routes.ts
//   /posts/:id/uploads/:upload_id · …/complete                      assets/multipart/routes.ts
//   /posts/:id/publish · /preflight · /publish-status · /resolve    publishing/routes.ts
//   /posts/:id/dispatches                                           publishing/history/routes.ts
import { Type } from 'typebox';
import type { App } from '../app/app.js';
import { problemDocument } from '../core/problems.js';
import { afterCommit } from '../db/after-commit.js';
import { removeNow } from '../object-deletion/remove.js';
import { callerOf, callerWithAddressOf } from '../request/caller.js';
import { exportResponses } from '../request/exports.js';
import { idempotent } from '../request/idempotency.js';
import { replyFromCache } from '../request/response-cache.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../request/schema.js';
import type { Server } from '../request/server.js';
import { archivePosts, unarchivePosts } from './archive.js';
import { type BulkResult, changeInBulk } from './bulk.js';
import { BulkPosts, BulkResults } from './bulk-schema.js';
import { countPosts } from './counters.js';
import { createPost } from './create.js';
import { deletePost } from './delete.js';
import { EXPORTED_POST_FIELDS, ExportPosts, exportPosts } from './export.js';
import { listPosts, showPost } from './list/list.js';
import { CountPosts, IncludeInPost, ListPosts, PostCountsRef, PostPage } from './list/schema.js';
import { updatePost } from './posts.js';
import { etagOf, presentPost } from './present.js';
import { BatchPosts, CreatePost, DRAFT_EXAMPLE, PostRef, UpdatePost } from './schema.js';

const tags = ['Posts'];

export function postRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/posts',
    {
      schema: {
        operationId: 'listPosts',
        tags,
        summary: 'List posts, newest first unless sorted otherwise',
        description:
          '`total` is exact, with two exceptions. With `label`, a time range (`…_from`, `…_to`), `needs_attention` or an `outcome` other than `in_inbox`, counting stops at 100,000, the last post that you can page to; use a `cursor` to read further. With `q`, a search returns at most the newest 1,000 matches, and `total` stops there; a search that takes too long returns what it has found by then.',
        querystring: ListPosts,
        response: responses({ 200: PostPage }, 'busy'),
      },
    },
    (request, reply) =>
      replyFromCache(app, request, reply, async () => ({
        body: await listPosts(app, callerOf(request), request.query),
        etag: null,
      })),
  );

  server.post(
    '/api/v1/posts',
    {
      schema: {
        operationId: 'createPost',
        tags,
        summary: 'Create a draft or a scheduled post',
        description:
          'Accepts every field that PATCH accepts. With `status: "scheduled"`, one request creates the post and books its slot, or does neither: `scheduled_at`, `social_account_id` and `privacy_level` are then required, and so is the scope `posts:publish` in addition to `posts:write`. Upload the files afterwards; they must have arrived by the time of the slot.',
        body: CreatePost,
        response: responsesToBody({ 201: dataEnvelope(PostRef, DRAFT_EXAMPLE) }, 'quota_exceeded'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const post = await createPost(app, tx, callerWithAddressOf(request), request.body);
        const location = `/api/v1/posts/${post.id}`;
        return { status: 201, location, etag: etagOf(post), body: { data: presentPost(post) } };
      }),
  );

  server.get(
    '/api/v1/posts/counts',
    {
      schema: {
        operationId: 'countPosts',
        tags,
        summary: 'Get the number of posts of each status',
        description: 'The numbers are exact, and the request takes as long for many posts as for few.',
        querystring: CountPosts,
        response: responses({ 200: dataEnvelope(PostCountsRef) }),
      },
    },
    async (request) => ({ data: await countPosts(app, callerOf(request), request.query) }),
  );

  server.get(
    '/api/v1/posts/export',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportPosts',
        tags,
        summary: 'Export posts as CSV or NDJSON, newest first',
        description:
          'The response is streamed and shows one state of the posts, without their files. Labels are ids, separated by semicolons in CSV, so that an import accepts them. An organization can run one export at a time: another one gets 503 `busy`. A client that stops reading for 20 seconds, or takes longer than 15 minutes, gets an incomplete response.',
        querystring: ExportPosts,
        response: responses(exportResponses(EXPORTED_POST_FIELDS), 'busy'),
      },
    },
    (request, reply) => exportPosts(app, callerWithAddressOf(request), request.query, reply),
  );

  server.patch(
    '/api/v1/posts/batch',
    {
      schema: {
        operationId: 'batchPosts',
        tags,
        summary: 'Archive or unarchive up to 50 posts',
        description: 'Unknown ids and ids of other organizations are skipped.',
        body: BatchPosts,
        response: responsesToBody({
          200: Type.Object(
            {
              data: Type.Object(
                {
                  archived: Type.Optional(
                    Type.Integer({
                      description:
                        'For `archive`: how many posts are now archived, including any that already were',
                    }),
                  ),
                  unarchived: Type.Optional(
                    Type.Integer({ description: 'For `unarchive`: how many posts left the archive' }),
                  ),
                },
                { examples: [{ archived: 3 }] },
              ),
            },
            { description: 'Success' },
          ),
        }),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const caller = callerWithAddressOf(request);
        const { ids, action } = request.body;
        const data =
          action === 'archive'
            ? { archived: await archivePosts(app, tx, caller, ids) }
            : { unarchived: await unarchivePosts(app, tx, caller, ids) };
        return { status: 200, body: { data } };
      }),
  );

  server.post(
    '/api/v1/posts/bulk',
    {
      schema: {
        operationId: 'bulkPosts',
        tags,
        summary: 'Schedule, move, unschedule or delete up to 100 posts',
        description:
          'Each post is handled as if it had its own request: a refused post stays unchanged and does not affect the others. An unknown id, or one of another organization, gets an entry with status 404. All changes are made in one transaction. `schedule` and `shift` require the scope `posts:publish` in addition to `posts:write`. A field that the action does not take is refused.',
        body: BulkPosts,
        response: responsesToBody({ 200: BulkResults }),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const { results, objectKeys } = await changeInBulk(
          app,
          tx,
          callerWithAddressOf(request),
          request.body,
        );
        afterCommit(tx, () => removeNow(app, objectKeys));
        const data = results.map((result) => presentResult(result, request.id));
        return { status: 200, body: { data } };
      }),
  );

  server.get(
    '/api/v1/posts/:id',
    {
      schema: {
        operationId: 'getPost',
        tags,
        summary: 'Get a post',
        description:
          '`include` adds `cover_url` and `cover_video_url` (`cover`), or what the post still needs before it can be published, and when its last attempt failed (`readiness`).',
        params: WithId,
        querystring: IncludeInPost,
        response: responses({ 200: dataEnvelope(PostRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      replyFromCache(app, request, reply, async () => {
        const { post, etag } = await showPost(app, callerOf(request), request.params.id, request.query);
        return { body: { data: post }, etag };
      }),
  );

  server.patch(
    '/api/v1/posts/:id',
    {
      schema: {
        operationId: 'updatePost',
        tags,
        summary: 'Update, schedule, reschedule or unschedule a draft or scheduled post',
        description:
          'Fields that you leave out stay unchanged; null clears a nullable field. To schedule a post, set `status` to `scheduled`. `scheduled_at`, `social_account_id` and `privacy_level` must be in the request or already set. Booking or moving a slot requires the scope `posts:publish` in addition to `posts:write`. So does changing the account, privacy level, mode or toggles of a scheduled post. Unscheduling a post or changing its text does not.',
        params: WithId,
        body: UpdatePost,
        response: responsesToBody(
          { 200: dataEnvelope(PostRef) },
          'not_found',
          'wrong_state',
          'precondition_failed',
        ),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const { params, body, headers } = request;
        const post = await updatePost(
          app,
          tx,
          callerWithAddressOf(request),
          params.id,
          body,
          headers['if-match'],
        );
        return { status: 200, etag: etagOf(post), body: { data: presentPost(post) } };
      }),
  );

  server.delete(
    '/api/v1/posts/:id',
    {
      schema: {
        operationId: 'deletePost',
        tags,
        summary: 'Delete a draft or an archived post permanently',
        description:
          'Its files and the log of its publish attempts are deleted too. Unschedule a scheduled post first; archive a published one first. With `If-Match`, a post that has changed since is kept.',
        params: WithId,
        response: responsesToNoBody(
          { 204: NoContent },
          'not_found',
          'wrong_state',
          'publish_in_progress',
          'precondition_failed',
        ),
      },
    },
    async (request, reply) => {
      const caller = callerWithAddressOf(request);
      const { params, headers } = request;
      const objectKeys = await app.db.transact((tx) =>
        deletePost(app, tx, caller, params.id, headers['if-match']),
      );
      await removeNow(app, objectKeys);
      return reply.code(204).send();
    },
  );
}

function presentResult(result: BulkResult, requestId: string) {
  const { kind, id } = result;
  if (kind === 'refused')
    return { id, status: result.problem.status, problem: problemDocument(result.problem, requestId) };
  return kind === 'deleted' ? { id, status: 204 } : { id, status: 200, post: presentPost(result.post) };
}
