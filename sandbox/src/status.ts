// The status of a post, and cancelling one that is still being pulled.
import type { FastifyInstance } from 'fastify';
import { countCall } from './limits.js';
import { type Caller, callerOf } from './oauth.js';
import type { Platform } from './platform.js';
import type { Pulling } from './pulling.js';
import { ApiError, invalid, jsonOf, succeed } from './responses.js';
import type { PublishRow } from './store.js';

export function statusRoutes(app: FastifyInstance, platform: Platform, pulling: Pulling): void {
  const { store, settings } = platform;

  function find(caller: Caller, publishId: unknown): PublishRow {
    const row = store.get<PublishRow>(
      'update publishes set asked = asked + 1 where publish_id = ? returning *',
      String(publishId),
    );
    // Documented with its own code, but observed as the message of this one.
    if (!row || row.asked <= settings.unknown_after_init) throw invalid('invalid_publish_id');
    if (row.username !== caller.account.username)
      throw new ApiError('token_not_authorized_for_specified_publish_id');
    return row;
  }

  app.post(
    '/v2/post/publish/status/fetch/',
    { config: { faultTarget: 'status' } },
    async (request, reply) => {
      const caller = callerOf(platform, request, 'video.publish', 'video.upload');
      countCall(platform, 'status', caller.accessToken);
      const row = find(caller, jsonOf(request).publish_id);
      return succeed(request, reply, {
        status: row.status,
        ...(row.fail_reason === null ? {} : { fail_reason: row.fail_reason }),
        publicaly_available_post_id: publicIds(row),
        ...(row.source === 'FILE_UPLOAD' ? { uploaded_bytes: row.bytes } : { downloaded_bytes: row.bytes }),
      });
    },
  );

  /** Only for public posts. */
  function publicIds(row: PublishRow): bigint[] {
    if (row.status !== 'PUBLISH_COMPLETE' || row.post_id === null) return [];
    store.run('update publishes set told_complete = told_complete + 1 where seq = ?', row.seq);
    if (row.privacy_level !== 'PUBLIC_TO_EVERYONE' || settings.post_ids === 'never') return [];
    return settings.post_ids === 'later' && row.told_complete === 0 ? [] : [BigInt(row.post_id)];
  }

  app.post('/v2/post/publish/cancel/', async (request, reply) => {
    const caller = callerOf(platform, request, 'video.publish', 'video.upload');
    const row = find(caller, jsonOf(request).publish_id);
    if (row.source !== 'PULL_FROM_URL' || !pulling.cancel(row.publish_id))
      throw new ApiError('publish_not_cancellable');
    return succeed(request, reply);
  });
}
