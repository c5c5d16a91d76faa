// The commit that makes an inspected upload count.

import type { Reader, Tx } from '../db/database.js';
import type { AssetRow } from '../db/tables.js';
import { lockEditablePost } from '../posts/posts.js';
import { touchPost } from '../posts/unrecorded.js';
import { overQuotaReason } from '../quotas/quotas.js';
import type { TxApp } from '../request/app.js';
import { markForDeletion } from '../request/garbage.js';
import { MAX_SLIDES } from './limits.js';
import type { Found } from './media/tasks.js';
import { endWaiting } from './missing.js';

const FULL = `The post already has ${MAX_SLIDES} slides. Remove one and upload this one again.`;
const SCHEDULED =
  'The post was scheduled before this file arrived, and changing the files of a scheduled post needs the scope posts:publish. Unschedule it, or upload with a key that has the scope.';

export const stateOf = (read: Reader, { org_id, id }: AssetRow) =>
  read
    .selectFrom('assets')
    .select(['state', 'reason', 'size'])
    .where('org_id', '=', org_id)
    .where('id', '=', id);

export async function settle(
  app: TxApp,
  tx: Tx,
  asset: AssetRow,
  size: number,
  { width, height, durationMs, codec }: Found,
  hasThumbnail: boolean,
): Promise<'ready' | 'void' | { unwanted: string }> {
  // Cancelling a grant takes one of these locks. A post may be scheduled while its files are uploading. Such a file is accepted
  // only if its requester had the scope to change a scheduled post.
  const post = await lockEditablePost(tx, { orgId: asset.org_id }, asset.post_id);
  const current = await stateOf(tx, asset).forUpdate().executeTakeFirst();
  if (current?.state === 'ready') return 'ready';
  if (current?.state !== 'pending') return 'void';
  if (post.status === 'scheduled' && asset.may_change_scheduled === 0) return { unwanted: SCHEDULED };
  if (asset.kind === 'slide' && (await countReady(tx, asset)) >= MAX_SLIDES) return { unwanted: FULL };
  // An announced length was counted when the upload was granted, any other when the file arrived. Since then another file may have
  // taken its place, through another process.
  const isCounted = asset.announced_length !== null || current.size === size;
  const misfit = isCounted ? null : await overQuotaReason(app, tx, asset.org_id, size, current.size ?? 0);
  if (misfit !== null) return { unwanted: misfit };
  const now = app.clock.now();
  if (asset.kind === 'video') {
    // Also what was to be fetched: this video was asked for later.
    const replaced = await tx
      .deleteFrom('assets')
      .where('org_id', '=', asset.org_id)
      .where('post_id', '=', asset.post_id)
      .where('id', '<>', asset.id)
      .where((eb) => eb.or([eb('state', '=', 'ready'), eb('is_fetched', '=', 1)]))
      .returning(['object_key', 'size'])
      .execute();
    for (const { object_key, size } of replaced)
      await markForDeletion(tx, asset.org_id, [object_key], now + app.config.garbageGraceMs, size);
  }
  await tx
    .updateTable('assets')
    .set({
      state: 'ready',
      size,
      width,
      height,
      duration_ms: durationMs,
      codec,
      has_thumbnail: hasThumbnail ? 1 : 0,
      settled_at: now,
    })
    .where('org_id', '=', asset.org_id)
    .where('id', '=', asset.id)
    .where('state', '=', 'pending')
    .execute();
  await touchPost(app, tx, post);
  await endWaiting(app, tx, post);
  return 'ready';
}

/** A slide may arrive after its grant expired, when its place has been given to another. */
async function countReady(tx: Tx, { org_id, post_id }: AssetRow): Promise<number> {
  const { n } = await tx
    .selectFrom('assets')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', org_id)
    .where('post_id', '=', post_id)
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow();
  return n;
}
