// Keeps the searched text of posts: with the post, in the same transaction.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { prepareWrite } from '../../db/prepared-statements.js';
import type { App } from '../../request/app.js';

/** For a post that was just created. */
export const addText = prepareWrite(
  (tx, org_id: string, post_id: string, created_at: number, content: string) =>
    tx.insertInto('post_search').values({ org_id, post_id, created_at, content }),
);

/** For a post that was changed. */
export const replaceText = prepareWrite((tx, content: string, orgId: string, postId: string) =>
  tx.updateTable('post_search').set({ content }).where('org_id', '=', orgId).where('post_id', '=', postId),
);

/** A run leaves most of the time to everything else. */
const MAX_BATCHES = 40;

/** Has SQLite write what it has left for later. */
export async function indexPosts(app: App): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES && (await app.db.runMaintenance()); batches++) await nextTurn();
}
