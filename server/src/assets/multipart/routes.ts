import type { App } from '../../app/app.js';
import { removeNow } from '../../object-deletion/remove.js';
import { callerOf, callerWithAddressOf } from '../../request/caller.js';
import { idempotent } from '../../request/idempotency.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
} from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { getCompleted } from '../assets.js';
import { AssetRef } from '../schema.js';
import { CompleteParts, NamedUpload, UploadQuery, UploadRef } from './schema.js';
import { abortUpload, completeParts, getUpload } from './uploads.js';

const tags = ['Assets'];

export function partRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/posts/:id/uploads/:upload_id',
    {
      schema: {
        operationId: 'getUpload',
        tags,
        summary: 'Get the parts of an upload that have arrived, and URLs for the others',
        description:
          'Call this to continue after a broken connection, or when the URLs have expired: send only the parts that are not in `arrived`. The URLs are new and valid for 2 hours. An upload that is not complete within 7 days expires: 409 `upload_void`.',
        params: NamedUpload,
        querystring: UploadQuery,
        response: responses({ 200: dataEnvelope(UploadRef) }, 'not_found', 'upload_void'),
      },
    },
    async (request) => {
      const { id, upload_id } = request.params;
      return { data: await getUpload(app, callerOf(request), id, upload_id, request.query.from) };
    },
  );

  server.post(
    '/api/v1/posts/:id/uploads/:upload_id/complete',
    {
      schema: {
        operationId: 'completeParts',
        tags,
        summary: 'Join the parts of an upload and check the file',
        description:
          'Call this when all parts have arrived. The response is the finished asset, or the reason why the file was rejected. 409 `upload_incomplete` names the parts that are missing. Repeat the call if its response is lost, or after `Retry-After` if it is 503: it continues where it stopped, and returns the same asset once it is done. Inspecting the video counts as 50 requests.',
        params: NamedUpload,
        body: CompleteParts,
        response: responsesToBody(
          { 200: dataEnvelope(AssetRef) },
          'not_found',
          'wrong_state',
          'upload_incomplete',
          'upload_void',
          'media_rejected',
          'busy',
        ),
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { id, upload_id } = request.params;
      // Joining and inspecting are slow, so they happen outside the transaction.
      const { postId, objectKey } = await completeParts(app, caller, id, upload_id);
      return idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await getCompleted(app, tx, caller, postId, objectKey) },
      }));
    },
  );

  server.delete(
    '/api/v1/posts/:id/uploads/:upload_id',
    {
      schema: {
        operationId: 'giveUpUpload',
        tags,
        summary: 'Cancel an upload in parts',
        description:
          'The parts that have arrived are deleted, and the post can take another video. 409 `already_uploaded` if the upload is complete. For a scheduled post, this requires the scope `posts:publish` in addition to `posts:write`.',
        params: NamedUpload,
        response: responsesToNoBody({ 204: NoContent }, 'not_found', 'wrong_state', 'already_uploaded'),
      },
    },
    async (request, reply) => {
      const caller = callerWithAddressOf(request);
      const { id, upload_id } = request.params;
      const objectKeys = await app.db.transact((tx) => abortUpload(app, tx, caller, id, upload_id));
      await removeNow(app, objectKeys);
      return reply.code(204).send();
    },
  );
}
