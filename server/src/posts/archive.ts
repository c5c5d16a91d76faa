// Moves posts into the archive, and out of it: up to 50 in one request.

import type { TxApp } from '../app/app.js';
import type { Tx } from '../db/database.js';
import type { CallerWithAddress } from '../request/caller.js';
import { postsWithOpenAttempts } from './attempts.js';
import { lockPosts } from './posts.js';
import type { PostUpdate } from './rows.js';
import { allows, statusAfterUnarchive, TRANSITIONS } from './state.js';
import { updatePosts } from './write.js';

/** Returns how many of the posts are the organization's, including those already archived. */
export async function archivePosts(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  ids: readonly string[],
): Promise<number> {
  const posts = await lockPosts(tx, caller, ids);
  const status = TRANSITIONS.archive.to;
  const updates = posts
    .filter((post) => post.status !== status)
    .map((before): PostUpdate => {
      const slot = before.status === 'scheduled' ? { scheduled_at: null, wait_until: null } : {};
      return { event: 'archive', before, changes: { status, ...slot }, labelIds: null };
    });
  await updatePosts(app, tx, caller, updates);
  return posts.length;
}

/** Returns how many posts left the archive. */
export async function unarchivePosts(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  ids: readonly string[],
): Promise<number> {
  const archived = (await lockPosts(tx, caller, ids)).filter((post) => allows('unarchive', post.status));
  const undecided = await postsWithOpenAttempts(
    tx,
    caller.orgId,
    archived.map((post) => post.id),
  );
  const updates = archived.map((before): PostUpdate => {
    const status = statusAfterUnarchive(before, undecided.has(before.id));
    return { event: 'unarchive', before, changes: { status }, labelIds: null };
  });
  await updatePosts(app, tx, caller, updates);
  return archived.length;
}
