// Objects are deleted so that none is lost and none is left behind: a key is marked for deletion in the transaction that deletes its
// row, and the mark goes only after the store has removed the object (remove.ts). After a crash the removal is repeated.
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Tx } from '../db/database.js';
import type { Tables } from '../db/tables.js';

/** Marks objects for removal at this time or later. Those with a size count as stored until then. */
export async function markForDeletion(
  tx: Tx,
  org_id: string,
  objects: readonly { object_key: string; size?: number | null }[],
  remove_after: number,
): Promise<void> {
  if (objects.length === 0) return;
  await tx
    .insertInto('objects_to_delete')
    .values(objects.map(({ object_key, size = null }) => ({ object_key, org_id, remove_after, size })))
    .onConflict((conflict) => conflict.column('object_key').doUpdateSet({ remove_after }))
    .execute();
}

/** Deletes rows of files, and marks their objects for removal now. Returns their keys. */
export async function deleteFiles(
  tx: Tx,
  orgId: string,
  which: (eb: ExpressionBuilder<Tables, 'assets'>) => ExpressionWrapper<Tables, 'assets', SqlBool>,
  now: number,
): Promise<string[]> {
  const gone = await tx
    .deleteFrom('assets')
    .where('org_id', '=', orgId)
    .where(which)
    .returning('object_key')
    .execute();
  await markForDeletion(tx, orgId, gone, now);
  return gone.map(({ object_key }) => object_key);
}

/** Marks all objects of a post, which is deleted in this transaction. */
export async function markAssetsForDeletion(
  tx: Tx,
  orgId: string,
  postId: string,
  now: number,
): Promise<string[]> {
  const keys = await deleteFiles(tx, orgId, (eb) => eb('post_id', '=', postId), now);
  // Videos replaced earlier lose the rest of their grace period.
  const folder = `orgs/${orgId}/posts/${postId}/`;
  const earlier = await tx
    .updateTable('objects_to_delete')
    .set({ remove_after: now })
    .where('org_id', '=', orgId)
    .where('object_key', '>', folder)
    .where('object_key', '<', `${folder}~`)
    .returning('object_key')
    .execute();
  return [...new Set([...keys, ...earlier.map((row) => row.object_key)])];
}
