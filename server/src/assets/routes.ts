import type { App } from '../app/app.js';
import { removeNow } from '../object-deletion/remove.js';
import { etagOf, presentPost } from '../posts/present.js';
import { DRAFT_EXAMPLE, PostRef } from '../posts/schema.js';
import { callerOf, callerWithAddressOf } from '../request/caller.js';
import { idempotent, idempotentPerCaller, idempotentWithPrepare } from '../request/idempotency.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../request/schema.js';
import type { Server } from '../request/server.js';
import { confirmIfArrived, getCompleted, listAssets, orderAssets, removeAsset } from './assets.js';
import { copyFiles, createDuplicate, discardCopies } from './duplicate.js';
import { grantUpload } from './grant.js';
import { AnyGrant } from './multipart/schema.js';
import { beginParts, discardParts, grantParts } from './multipart/uploads.js';
import { AssetListRef, AssetRef, DuplicatePost, NamedAsset, OrderAssets, RequestUpload } from './schema.js';

const tags = ['Assets'];

export function assetRoutes(server: Server, app: App): void {
  server.post(
    '/api/v1/posts/:id/assets',
    {
      schema: {
        operationId: 'requestUpload',
        tags,
        summary: 'Request an upload URL for a slide or the video, or URLs for the parts of a video',
        description:
          'PUT the file to `upload_url` with the same Content-Type. The URL works for one file. It is valid for 1 hour for a slide, 2 hours for a video.\n\nA post of type `slides` takes up to 35 PNG or JPEG files of at most 20 MB and 50 megapixels each, in the order in which you request their URLs. A post of type `video` takes one MP4, WebM or MOV file of at most 4 GB.\n\nWith `parts: true`, a video of declared length is sent in parts: PUT each to its own URL, then complete the upload. The upload is valid for 7 days, during which it counts as the video of the post, and its bytes count towards the quota; `GET /posts/{id}/uploads/{upload_id}` shows which parts have arrived and returns new URLs. Send the MD5 hash of a file or part as `Content-MD5`, in Base64, to have its bytes checked: 400 if they differ.\n\nThe PUT returns 200 without a body; 400 if the type or length differs from what you declared; 403 if the URL was changed or has expired; 409 if the file was already uploaded, or the upload was cancelled, replaced, rejected, or ended by a newer PUT to the same URL (`upload_superseded`), or if the organization has too few bytes left for a file whose length you did not declare (`quota_exceeded`); 413 if the file is too large; 422 with the reason if its content is not valid; 429 if you have used up your requests for this minute: inspecting a slide counts as 10 requests, a video as 50; 503 `busy` with `Retry-After` if 100 files of your organization are being uploaded or inspected, or if the file has arrived and waited 100 s for inspection: complete it later. With S3, the store itself responds to the PUT, and `complete` and the list report what is wrong with a file.\n\nFor a scheduled post, this requires the scope `posts:publish` in addition to `posts:write`. If you request the URL while the post is a draft and the post is scheduled before the file arrives, the file is accepted only if your key or role has `posts:publish`.',
        params: WithId,
        body: RequestUpload,
        response: responsesToBody(
          { 200: AnyGrant },
          'not_found',
          'wrong_state',
          'video_exists',
          'too_many_slides',
          'quota_exceeded',
          'file_too_large',
        ),
      },
    },
    (request, reply) => {
      const caller = callerOf(request);
      const { params, body } = request;
      if (body.parts === true)
        return idempotentWithPrepare(app, request, reply, {
          prepare: () => beginParts(app, caller, params.id, body),
          work: async (tx, begun) => ({ status: 200, body: await grantParts(app, tx, caller, begun) }),
          discard: (begun) => discardParts(app, begun),
          isPerCaller: true,
        });
      return idempotentPerCaller(app, request, reply, async (tx) => ({
        status: 200,
        body: await grantUpload(app, tx, caller, params.id, body),
      }));
    },
  );

  server.get(
    '/api/v1/posts/:id/assets',
    {
      schema: {
        operationId: 'listAssets',
        tags,
        summary: 'List the uploaded files of a post, in order',
        description:
          'Also lists pending and rejected uploads. Files are inspected before they are listed. Download URLs are valid for an hour.',
        params: WithId,
        response: responses({ 200: AssetListRef }, 'not_found', 'wrong_state', 'busy'),
      },
    },
    (request) => listAssets(app, callerOf(request), request.params.id),
  );

  server.patch(
    '/api/v1/posts/:id/assets',
    {
      schema: {
        operationId: 'orderAssets',
        tags,
        summary: 'Reorder the slides of a post',
        description:
          'Name every uploaded slide exactly once. Pending uploads come after them. For a scheduled post, this requires the scope `posts:publish` in addition to `posts:write`.',
        params: WithId,
        body: OrderAssets,
        response: responsesToBody({ 200: AssetListRef }, 'not_found', 'wrong_state'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: await orderAssets(app, tx, callerWithAddressOf(request), request.params.id, request.body.order),
      })),
  );

  server.post(
    '/api/v1/posts/:id/assets/complete',
    {
      schema: {
        operationId: 'completeUpload',
        tags,
        summary: 'Check that an upload has arrived and is valid',
        description:
          'Call this right after the PUT to get the finished asset, or the reason why the file was rejected. 503 `busy` if 100 other files of your organization wait to be inspected, or if this one has waited 100 s: call it again after `Retry-After`. It is optional: listing the assets checks uploads too.',
        params: WithId,
        body: NamedAsset,
        response: responsesToBody(
          { 200: dataEnvelope(AssetRef) },
          'not_found',
          'wrong_state',
          'upload_incomplete',
          'media_rejected',
          'busy',
        ),
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { object_key } = request.body;
      // Inspection is slow, so it happens outside the transaction.
      const postId = await confirmIfArrived(app, caller, request.params.id, object_key);
      return idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await getCompleted(app, tx, caller, postId, object_key) },
      }));
    },
  );

  server.post(
    '/api/v1/posts/:id/duplicate',
    {
      schema: {
        operationId: 'duplicatePost',
        tags: ['Posts'],
        summary: 'Copy a post with its files to a new draft',
        description:
          'Posts in every status can be copied. The draft has the same title, caption, hashtags, labels, mode and cover, the same account if that is connected, and copies of the uploaded files. It has no slot and no privacy level, and its toggles are off. Its files count towards the quota of bytes, and the draft counts as a post created today: a copy that would exceed a quota gets 409 `quota_exceeded` before anything is copied.',
        params: WithId,
        body: DuplicatePost,
        response: responsesToBody(
          { 201: dataEnvelope(PostRef, DRAFT_EXAMPLE) },
          'not_found',
          'wrong_state',
          'quota_exceeded',
          'busy',
        ),
      },
    },
    (request, reply) => {
      const caller = callerWithAddressOf(request);
      return idempotentWithPrepare(app, request, reply, {
        prepare: () => copyFiles(app, caller, request.params.id),
        async work(tx, copies) {
          const post = await createDuplicate(app, tx, caller, copies);
          const location = `/api/v1/posts/${post.id}`;
          return { status: 201, location, etag: etagOf(post), body: { data: presentPost(post) } };
        },
        discard: (copies) => discardCopies(app, copies),
      });
    },
  );

  server.delete(
    '/api/v1/posts/:id/assets',
    {
      schema: {
        operationId: 'removeAsset',
        tags,
        summary: 'Remove a file from a post, cancel a pending upload, or dismiss a rejected one',
        description:
          'The file is deleted from the store immediately. For a scheduled post, this requires the scope `posts:publish` in addition to `posts:write`.',
        params: WithId,
        querystring: NamedAsset,
        response: responsesToNoBody({ 204: NoContent }, 'not_found', 'wrong_state'),
      },
    },
    async (request, reply) => {
      const caller = callerWithAddressOf(request);
      const { object_key } = request.query;
      const objectKeys = await app.db.transact((tx) =>
        removeAsset(app, tx, caller, request.params.id, object_key),
      );
      await removeNow(app, objectKeys);
      return reply.code(204).send();
    },
  );
}
