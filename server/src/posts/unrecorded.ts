// Changes of posts that no counter depends on. No event and no row of the audit log is written here: what belongs to such a change, the
// caller records, as for posts that begin to wait for their account (publishing/attempt/waiting.ts).
import type { UpdateObject, UpdateQueryBuilder, UpdateResult } from 'kysely';
import type { TxApp } from '../app/app.js';
import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { PostRow, Tables } from '../db/tables.js';
import { withErrorDetails } from './rows.js';

/** Records in the post's row that its files have changed. */
export async function touchPost(app: TxApp, tx: Tx, post: Pick<PostRow, 'org_id' | 'id'>): Promise<void> {
  await tx.updateTable('posts').set({ updated_at: app.clock.now() }).where(isRow(post)).execute();
  markChanged(tx, post.org_id, { posts: [post.id] });
}

type Waits = Pick<
  UpdateObject<Tables, 'posts'>,
  'wait_until' | 'last_publish_error' | 'last_publish_error_code' | 'wait_reason' | 'updated_at'
>;
type PostUpdates = UpdateQueryBuilder<Tables, 'posts', 'posts', UpdateResult>;

/** Until when scheduled posts wait, and what for. `which` chooses them. Returns those that it has changed. */
export async function updateWaits(
  tx: Tx,
  waits: Waits,
  which: (posts: PostUpdates) => PostUpdates,
): Promise<Pick<PostRow, 'org_id' | 'id' | 'social_account_id' | 'scheduled_at'>[]> {
  const changed = await which(tx.updateTable('posts').set(withErrorDetails(waits)))
    .returning(['org_id', 'id', 'social_account_id', 'scheduled_at'])
    .execute();
  // No response shows that a wait got longer.
  if ('last_publish_error' in waits || waits.wait_until === null)
    for (const { org_id, id } of changed) markChanged(tx, org_id, { posts: [id] });
  return changed;
}
