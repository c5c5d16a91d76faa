// The one way to write posts. Everything that follows from a change of posts is done here, and in one order, which is also that in
// which every transaction takes its locks:
//
//   posts, with text and labels → their files → posts of the day → counters → audit log → events
import { setImmediate as nextTick } from 'node:timers/promises';
import { countDispatches } from '../analytics/dispatch-counters.js';
import { raiseRevision } from '../analytics/revision.js';
import { type Act, byCaller, recordAudits } from '../audit/record.js';
import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { VersionedPost } from '../db/epoch.js';
import { countDraftAndAppendEvent } from '../db/event-appends.js';
import type { PostRow } from '../db/tables.js';
import { recordEvents } from '../events/record.js';
import { countDailyPosts } from '../quotas/quotas.js';
import type { TxApp } from '../request/app.js';
import type { CallerWithAddress } from '../request/caller.js';
import { NO_ACCOUNT, recordPostChanges } from './counters.js';
import { actsOf, createdEvent, eventsOf, recordEdits, type WrittenPost } from './post-events.js';
import {
  changeLockedRow,
  deleteRow,
  insertPosts,
  type NewPost,
  type PostChanges,
  type PostDeletion,
  type PostUpdate,
  updateRow,
} from './rows.js';

/** Posts of one organization. Nothing speaks against these changes any more: they cannot be refused, but by the quota. */
export interface PostWrites {
  create?: readonly NewPost[];
  update?: readonly PostUpdate[];
  delete?: readonly PostDeletion[];
}

interface Options {
  /** Writes the files of new posts. They count stored bytes, which are locked before posts of the day and counters. */
  writeFiles?: () => Promise<void>;
  /** The one row of the audit log that stands for all changes; otherwise each has its own. */
  act?: Act;
}

interface WrittenPosts {
  created: VersionedPost[];
  updated: VersionedPost[];
  /** Of deleted posts, to be removed after the commit. */
  objectKeys: string[];
}

/** Writes what a caller changes. It is the last thing that a transaction writes: events are numbered in the order of commits. */
export async function writePosts(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { create = [], update = [], delete: remove = [] }: PostWrites,
  { writeFiles, act }: Options = {},
): Promise<WrittenPosts> {
  const { orgId } = caller;
  const now = app.clock.now();
  const changes: WrittenPost[] = [];
  const created = await insertPosts(tx, create);
  for (const after of created) changes.push({ before: null, after });
  const updated: VersionedPost[] = [];
  for (const one of update) {
    const after = await updateRow(tx, one, now);
    updated.push(after);
    changes.push({ before: one.before, after });
  }
  const objectKeys: string[] = [];
  for (const one of remove) {
    const keys = await deleteRow(tx, one, now);
    objectKeys.push(...keys);
    changes.push({ before: one.before, after: null, files: keys.length });
  }

  await writeFiles?.();
  await countDailyPosts(app, tx, orgId, caller, created.length);
  const [draft] = created;
  if (draft?.status === 'draft' && changes.length === 1 && act === undefined)
    await recordDraft(tx, draft, now);
  else {
    await countPosts(tx, changes);
    if (remove.length > 0) await forgetAttempts(tx, orgId, remove);
    await recordEdits(app, tx, caller, changes);
    await recordAudits(app, tx, byCaller(caller), act ? [act] : changes.flatMap(actsOf));
    await recordEvents(tx, orgId, now, await eventsOf(tx, changes));
  }
  return { created, updated, objectKeys };
}

/** Writes what the engine changes: locked posts, in this order. Audit and events tell of the attempt, and are the engine's. */
export async function changePosts(
  { clock }: Pick<TxApp, 'clock'>,
  tx: Tx,
  all: readonly { post: PostRow; changes: PostChanges }[],
): Promise<PostRow[]> {
  const now = clock.now();
  const written: { before: PostRow; after: PostRow }[] = [];
  for (const { post, changes } of all)
    written.push({ before: post, after: await changeLockedRow(tx, post, changes, now) });
  await recordPostChanges(tx, written);
  return written.map(({ after }) => after);
}

export const changePost = async (app: TxApp, tx: Tx, post: PostRow, changes: PostChanges): Promise<PostRow> =>
  (await changePosts(app, tx, [{ post, changes }]))[0] as PostRow;

const POSTS_PER_COUNT = 1_000;

async function countPosts(tx: Tx, changes: readonly WrittenPost[]): Promise<void> {
  for (let from = 0; from < changes.length; from += POSTS_PER_COUNT) {
    // Other requests are served during a large import.
    if (from > 0) await nextTick();
    await recordPostChanges(tx, changes.slice(from, from + POSTS_PER_COUNT));
  }
}

async function forgetAttempts(tx: Tx, orgId: string, deleted: readonly PostDeletion[]): Promise<void> {
  const outcomes = deleted.flatMap((one) => one.outcomes);
  await countDispatches(
    tx,
    orgId,
    outcomes.map((before) => ({ before })),
  );
  await raiseRevision(tx, orgId);
}

/** The counter and the event of a new draft, together: on Postgres they are one statement. */
async function recordDraft(tx: Tx, post: PostRow, now: number): Promise<void> {
  const { type, data } = createdEvent(post);
  const { org_id, id, post_type, social_account_id } = post;
  const cell = { postType: post_type, accountId: social_account_id ?? NO_ACCOUNT };
  await countDraftAndAppendEvent(tx, cell, { orgId: org_id, type, data: JSON.stringify(data), now });
  markChanged(tx, org_id, { posts: [id], events: true });
}
