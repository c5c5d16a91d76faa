// Use cases on many posts at once.
import type { Updateable } from 'kysely';
import type { TxApp } from '../api/app.js';
import type { ActingCaller } from '../api/caller.js';
import { byCaller, recordAudits } from '../audit/record.js';
import type { Tx } from '../db/database.js';
import type { PostRow, PostTable } from '../db/tables.js';
import { undecidedPosts } from './attempts.js';
import { recordPostChanges } from './counters.js';
import { lockPosts } from './posts.js';
import { allows, type PostStatus, statusAfterUnarchive, TRANSITIONS } from './state.js';

/** Returns how many of the posts are the organization's, including those already archived. */
export async function archivePosts(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  ids: readonly string[],
): Promise<number> {
  const posts = await lockPosts(tx, caller, ids);
  const changes = [];
  for (const status of TRANSITIONS.archive.from) {
    if (status === TRANSITIONS.archive.to) continue;
    const slot = status === 'scheduled' ? { scheduled_at: null, wait_until: null } : {};
    const moved = await moveTogether(
      app,
      tx,
      posts.filter((post) => post.status === status),
      'archived',
      slot,
    );
    changes.push(...moved);
  }
  await recordMoves(app, tx, caller, 'post.archived', changes);
  await recordPostChanges(tx, changes);
  return posts.length;
}

/** Returns how many posts left the archive. */
export async function unarchivePosts(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  ids: readonly string[],
): Promise<number> {
  const archived = (await lockPosts(tx, caller, ids)).filter((post) => allows('unarchive', post.status));
  const undecided = await undecidedPosts(
    tx,
    caller.orgId,
    archived.map((post) => post.id),
  );
  const changes = [];
  for (const target of TRANSITIONS.unarchive.to) {
    const posts = archived.filter((post) => statusAfterUnarchive(post, undecided.has(post.id)) === target);
    changes.push(...(await moveTogether(app, tx, posts, target, {})));
  }
  await recordMoves(app, tx, caller, 'post.unarchived', changes);
  await recordPostChanges(tx, changes);
  return archived.length;
}

const recordMoves = (
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  action: 'post.archived' | 'post.unarchived',
  changes: readonly { before: PostRow }[],
) =>
  recordAudits(
    app,
    tx,
    byCaller(caller),
    changes.map(({ before: { id, title, status } }) => ({
      action,
      target: { id, name: title },
      details: { status },
    })),
  );

/** Moves locked posts of one status to another in one statement. */
async function moveTogether(
  app: TxApp,
  tx: Tx,
  posts: PostRow[],
  to: PostStatus,
  also: Pick<Updateable<PostTable>, 'scheduled_at' | 'wait_until'>,
): Promise<{ before: PostRow; after: PostRow }[]> {
  const [first] = posts;
  if (!first) return [];
  const change = { status: to, updated_at: app.clock.now(), ...also };
  await tx
    .updateTable('posts')
    .set(change)
    .where('org_id', '=', first.org_id)
    .where(
      'id',
      'in',
      posts.map((post) => post.id),
    )
    .where('status', '=', first.status)
    .execute();
  return posts.map((before) => ({ before, after: { ...before, status: to } }));
}
