// Fills columns that posts written before migrations 0019 and 0029 lack: the key that lists sort their title by, the slot that
// they lost, and the outcome of their last attempt.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '../api/app.js';
import { noteChange } from '../db/changes.js';
import { writeOnce } from '../db/compiled-once.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import { goOnWithOldPosts, hasRows } from './old-posts.js';
import { titleKey } from './text-keys.js';

type OldPost = Pick<PostRow, 'org_id' | 'id' | 'created_at' | 'version' | 'title' | 'status'> &
  Pick<PostRow, 'posted_at' | 'scheduled_at' | 'last_slot' | 'last_publish_error' | 'last_outcome'> & {
    title_key: string | null;
  };

/** One transaction is short, because it stops every other writer on SQLite. */
const BATCH = 25;
/** A run leaves most of the time to everything else. */
const MAX_PER_RUN = 1_000;

/** A list for each: a process of the previous release goes through those that it knows. */
const FILLED = [
  { list: 'organizations_to_backfill', write: fill },
  { list: 'organizations_without_outcomes', write: fillOutcomes },
] as const;

export async function backfillPosts(app: App, most = MAX_PER_RUN): Promise<void> {
  for (const { list, write } of FILLED) await goThrough(app, list, write, most);
}

async function goThrough(
  app: App,
  list: (typeof FILLED)[number]['list'],
  write: (tx: Tx, posts: OldPost[]) => Promise<number>,
  most: number,
): Promise<void> {
  for (let done = 0; done < most; done += BATCH) {
    if (!(await hasRows(app.db.read, list))) return;
    const isMoreLeft = await app.db.transact((tx) =>
      goOnWithOldPosts(tx, { list, read: oldPosts, write, most: BATCH }),
    );
    if (!isMoreLeft) return;
    await nextTurn();
  }
}

const oldPosts = (
  tx: Tx,
  orgId: string,
  { created_at, id }: Pick<OldPost, 'created_at' | 'id'>,
  most: number,
): Promise<OldPost[]> =>
  tx
    .selectFrom('posts')
    .select(['org_id', 'id', 'created_at', 'version', 'title', 'status', 'posted_at'])
    .select(['scheduled_at', 'last_slot', 'last_publish_error', 'last_outcome', 'title_key'])
    .where('org_id', '=', orgId)
    .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(created_at, id)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .execute();

async function fill(tx: Tx, posts: OldPost[]): Promise<number> {
  for (const { org_id, id, version, title, title_key } of posts)
    if (title_key === null) await setTitleKey(tx, titleKey(title), org_id, id, version);
  for (const post of posts.filter(mayHaveLostSlot)) {
    const slot = await slotOfLastAttempt(tx, post);
    if (slot === null) continue;
    await setLastSlot(tx, slot, post.org_id, post.id);
    noteChange(tx, post.org_id, { posts: [post.id] });
  }
  return posts.length;
}

async function fillOutcomes(tx: Tx, posts: OldPost[]): Promise<number> {
  for (const { org_id, id, last_outcome } of posts) {
    if (last_outcome !== null) continue;
    const last = await lastAttempt(tx, org_id, id);
    if (!last) continue;
    await setLastOutcome(tx, last.outcome, org_id, id);
    noteChange(tx, org_id, { posts: [id] });
  }
  return posts.length;
}

const lastAttempt = (tx: Tx, orgId: string, postId: string) =>
  tx
    .selectFrom('dispatches')
    .select(['outcome', 'scheduled_for', 'error_message'])
    .where('org_id', '=', orgId)
    .where('post_id', '=', postId)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst();

const mayHaveLostSlot = ({ status, scheduled_at, posted_at, last_slot, last_publish_error }: OldPost) =>
  (status === 'draft' || status === 'archived') &&
  scheduled_at === null &&
  posted_at === null &&
  last_slot === null &&
  last_publish_error !== null;

/** Null unless the post's error comes from its last attempt. A new slot clears the error, so the slot is the last one, too. */
async function slotOfLastAttempt(
  tx: Tx,
  { org_id, id, last_publish_error }: OldPost,
): Promise<number | null> {
  const last = await lastAttempt(tx, org_id, id);
  if (last?.outcome !== 'failed' || last.error_message === null) return null;
  return last_publish_error?.includes(last.error_message) ? last.scheduled_for : null;
}

/**
 * Does nothing if the post has changed since it was read, or has the key: the version of a post stays only if nothing but its key
 * changes.
 */
export const setTitleKey = writeOnce((tx, key: string, orgId: string, id: string, version: number) =>
  tx
    .updateTable('posts')
    .set({ title_key: key })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('version', '=', version)
    .where((eb) => eb.or([eb('title_key', 'is', null), eb('title_key', '<>', key)])),
);

const setLastSlot = writeOnce((tx, last_slot: number, orgId: string, id: string) =>
  tx.updateTable('posts').set({ last_slot }).where('org_id', '=', orgId).where('id', '=', id),
);

const setLastOutcome = writeOnce(
  (tx, outcome: NonNullable<PostRow['last_outcome']>, orgId: string, id: string) =>
    tx.updateTable('posts').set({ last_outcome: outcome }).where('org_id', '=', orgId).where('id', '=', id),
);
