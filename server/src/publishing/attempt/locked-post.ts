// How the engine locks and changes posts: by their whole key, whatever their status.

import type { Selectable } from 'kysely';
import type { TxApp } from '../../api/app.js';
import { writeColumnsOnce, writeOnce } from '../../db/compiled-once.js';
import type { Tx } from '../../db/database.js';
import { POST_COLUMNS, type PostRow, type PostTable } from '../../db/tables.js';

/** Columns and their new values; none is undefined. */
export type PostChanges = Partial<Selectable<PostTable>>;

export async function findAndLockPost(tx: Tx, orgId: string, id: string): Promise<PostRow | null> {
  return (await lockOne(tx, orgId, id)).rows[0] ?? null;
}

const lockOne = writeOnce((tx, orgId: string, id: string) =>
  tx.selectFrom('posts').select(POST_COLUMNS).where('org_id', '=', orgId).where('id', '=', id).forUpdate(),
);

/**
 * Changes a locked post; the caller records the change in the counters. The result is known without reading it: no other
 * transaction can have changed the post, and returning the row takes longer than changing it.
 */
export async function changeLockedPost(
  { clock }: TxApp,
  tx: Tx,
  post: PostRow,
  changes: PostChanges,
): Promise<PostRow> {
  const all = { ...changes, updated_at: clock.now() };
  const { numAffectedRows } = await change(tx, all, post.org_id, post.id, post.status);
  if (numAffectedRows !== 1n) throw new Error(`post ${post.id} was not locked`);
  return { ...post, ...all };
}

const change = writeColumnsOnce(
  (tx, changes: PostChanges, orgId: string, id: string, status: PostRow['status']) =>
    tx
      .updateTable('posts')
      .set(changes)
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('status', '=', status),
);
