// The commits by which an uploaded file counts: its bytes when it has arrived, and the file once it is inspected.

import type { App, TxApp } from '../app/app.js';
import { markChanged } from '../db/changes.js';
import type { Reader, Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow } from '../db/tables.js';
import { markForDeletion } from '../object-deletion/mark.js';
import { lockEditablePost } from '../posts/posts.js';
import { touchPost } from '../posts/unrecorded.js';
import { overQuotaReason } from '../quotas/quotas.js';
import { MAX_SLIDES } from './limits.js';
import type { MediaFacts } from './media/tasks.js';
import { resumeAfterFiles } from './missing.js';

const FULL = `The post already has ${MAX_SLIDES} slides. Remove one and upload this one again.`;
const SCHEDULED =
  'The post was scheduled before this file arrived, and changing the files of a scheduled post needs the scope posts:publish. Unschedule it, or upload with a key that has the scope.';

export const stateOf = (read: Reader, asset: AssetRow) =>
  read.selectFrom('assets').select(['state', 'reason', 'size']).where(isRow(asset));

/**
 * A file of unannounced length counts as stored from its arrival on, because its inspection may come much later: the request that
 * should have it inspected may end early, and so may its process. Returns why the file does not fit into the organization's quota;
 * null: it fits, and counts from now on. Without a size, nothing of it counts any more.
 */
export function countUploadedBytes(app: App, asset: AssetRow, size: number | null): Promise<string | null> {
  return app.db.transact(async (tx) => {
    const current = await stateOf(tx, asset).forUpdate().executeTakeFirst();
    if (current?.state !== 'pending') return null;
    const overQuota =
      size === null ? null : await overQuotaReason(app, tx, asset.org_id, size, current.size ?? 0);
    if (overQuota !== null) return overQuota;
    await tx.updateTable('assets').set({ size }).where(isRow(asset)).where('state', '=', 'pending').execute();
    markChanged(tx, asset.org_id, { posts: [asset.post_id] });
    return null;
  });
}

export async function acceptUpload(
  app: TxApp,
  tx: Tx,
  asset: AssetRow,
  size: number,
  { width, height, durationMs, codec }: MediaFacts,
  hasThumbnail: boolean,
): Promise<'ready' | 'void' | { unwanted: string }> {
  // Cancelling a grant takes one of these locks. A post may be scheduled while its files are uploading. Such a file is accepted
  // only if its requester had the scope to change a scheduled post.
  const post = await lockEditablePost(tx, { orgId: asset.org_id }, asset.post_id);
  const current = await stateOf(tx, asset).forUpdate().executeTakeFirst();
  if (current?.state === 'ready') return 'ready';
  if (current?.state !== 'pending') return 'void';
  if (post.status === 'scheduled' && asset.may_change_scheduled === 0) return { unwanted: SCHEDULED };
  const { org_id, post_id } = asset;
  if (asset.kind === 'slide') {
    // A slide may arrive after its grant expired, when another has taken the last free position.
    const { n } = await tx
      .selectFrom('assets')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where(({ and }) => and({ org_id, post_id, state: 'ready' }))
      .executeTakeFirstOrThrow();
    if (n >= MAX_SLIDES) return { unwanted: FULL };
  }
  // An announced length was counted when the upload was granted, any other when the file arrived. Since then another file may have
  // used up the quota, through another process.
  const isCounted = asset.announced_length !== null || current.size === size;
  const overQuota = isCounted ? null : await overQuotaReason(app, tx, org_id, size, current.size ?? 0);
  if (overQuota !== null) return { unwanted: overQuota };
  const now = app.clock.now();
  if (asset.kind === 'video') {
    // Also what was to be fetched: this video was asked for later.
    const replaced = await tx
      .deleteFrom('assets')
      .where(({ and }) => and({ org_id, post_id }))
      .where('id', '<>', asset.id)
      .where((eb) => eb.or([eb('state', '=', 'ready'), eb('is_fetched', '=', 1)]))
      .returning(['object_key', 'size'])
      .execute();
    await markForDeletion(tx, org_id, replaced, now + app.config.garbageGraceMs);
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
    .where(isRow(asset))
    .where('state', '=', 'pending')
    .execute();
  await touchPost(app, tx, post);
  await resumeAfterFiles(app, tx, post);
  return 'ready';
}
