import { Type } from 'typebox';
import type { App } from '../../app/app.js';
import { callerOf } from '../../request/caller.js';
import { idempotent } from '../../request/idempotency.js';
import { responsesToBody, WithId } from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { ImportAsset, PendingAsset } from '../schema.js';
import { importAsset } from './sources.js';

export function fetchRoutes(server: Server, app: App): void {
  server.post(
    '/api/v1/posts/:id/assets/import',
    {
      schema: {
        operationId: 'importAsset',
        tags: ['Assets'],
        summary: 'Add a slide or the video from a URL',
        description: DESCRIPTION,
        params: WithId,
        body: ImportAsset,
        response: responsesToBody(
          { 202: Type.Object({ data: PendingAsset }, { description: 'The file is being fetched' }) },
          'not_found',
          'wrong_state',
          'video_exists',
          'too_many_slides',
          'quota_exceeded',
        ),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 202,
        body: { data: await importAsset(app, tx, callerOf(request), request.params.id, request.body) },
      })),
  );
}

const DESCRIPTION =
  'A worker fetches the file and inspects it like an upload, with the same limits; its type is read from its bytes, not from its name, and determines the extension of `object_key`. Until it has arrived, the list of assets shows it in `pending`. A file that cannot be fetched in three tries or within 24 hours, or is refused, is listed in `rejected` with the reason. From this request on, the file belongs to the post, which is not published without it: a scheduled post waits while the file is pending, and publish now is 409 `uploads_pending`; once it is rejected, a scheduled post returns to `draft` at its slot, and publish now is 422 `media_rejected`, until the file is removed or replaced. Airdate fetches only from public addresses, over https, and from those that the operator allows (`WEBHOOK_ALLOW`). For a scheduled post, this requires the scope `posts:publish` in addition to `posts:write`.';
