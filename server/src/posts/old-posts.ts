// Goes once through the posts that were there before something new was kept of posts: the oldest first, a few in a transaction,
// each organization in turn. A table says how far it has come.
import type { Reader, Tx } from '../db/database.js';

type ListOfOrganizations =
  | 'organizations_to_index'
  | 'organizations_to_backfill'
  | 'organizations_without_outcomes';

interface Place {
  id: string;
  created_at: number;
}

/** One batch of one organization. */
interface Batch<Post extends Place> {
  list: ListOfOrganizations;
  /** The posts of the organization behind a place, oldest first, locked: as many as make a full batch, if there are so many. */
  read(tx: Tx, orgId: string, behind: Place, most: number): Promise<Post[]>;
  /** Returns how many of them it has done. */
  write(tx: Tx, posts: Post[]): Promise<number>;
  most: number;
}

/** Returns whether there may be more. */
export async function goOnWithOldPosts<Post extends Place>(tx: Tx, batch: Batch<Post>): Promise<boolean> {
  const { list, most } = batch;
  const organization = await tx
    .selectFrom(list)
    .selectAll()
    .orderBy('batches')
    .orderBy('org_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!organization) return false;
  const { org_id, created_at, post_id, batches } = organization;
  const posts = await batch.read(tx, org_id, { created_at, id: post_id }, most);
  const written = await batch.write(tx, posts);
  const last = posts[written - 1];
  if (!last || (written === posts.length && written < most))
    await tx.deleteFrom(list).where('org_id', '=', org_id).execute();
  else
    await tx
      .updateTable(list)
      .set({ created_at: last.created_at, post_id: last.id, batches: batches + 1 })
      .where('org_id', '=', org_id)
      .execute();
  return true;
}

/** Most of the time there is nothing to do, and a transaction need not begin. */
export const hasRows = async (
  read: Reader,
  table: ListOfOrganizations | 'posts_to_index',
): Promise<boolean> =>
  (await read.selectFrom(table).select('org_id').limit(1).executeTakeFirst()) !== undefined;
