// Inserts, updates and deletes posts, with all that follows from it, in one order, in which every transaction takes its locks:
//
//   posts, with text and labels → their files → posts of the day → counters → audit log → events
//
// What a caller asks for is planned and checked before: only the quota can still refuse it. It is the last thing that a transaction
// writes: events are numbered in the order of commits.
//
// `update…ByEngine` only counts: the engine records events and audit log itself. Two other files write posts, neither with counters:
// `unrecorded.ts` files and waits, `labels/post-labels.ts` a deleted label.
import { setImmediate } from 'node:timers/promises';
import { findPlatform } from '../accounts/accounts.js';
import { countDispatches } from '../analytics/dispatch-counters.js';
import { raiseRevision } from '../analytics/revision.js';
import type { TxApp } from '../app/app.js';
import { type Act, byCaller, recordAudit, recordEdit } from '../audit/record.js';
import { toTimestamp } from '../core/clock.js';
import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { VersionedPost } from '../db/epoch.js';
import { countDraftAndAppendEvent } from '../db/event-appends.js';
import { NO_ACCOUNT, type PostRow } from '../db/tables.js';
import { type NewEvent, recordEvents } from '../events/record.js';
import { countDailyPosts } from '../quotas/quotas.js';
import type { CallerWithAddress } from '../request/caller.js';
import type { Platform } from '../request/platforms.js';
import { recordPostChanges } from './counters.js';
import {
  deletePostRow,
  insertPostRow,
  insertPostRows,
  type NewPost,
  type PostChanges,
  type PostDeletion,
  type PostUpdate,
  updateLockedPostRow,
  updatePostRow,
  withErrorDetails,
} from './rows.js';
import { SLOT_COLUMNS } from './slot.js';

/** `writeFiles` writes the files of new posts. They count stored bytes, which are locked before posts of the day and counters. */
export async function insertPost(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  planned: NewPost,
  writeFiles?: () => Promise<void>,
): Promise<VersionedPost> {
  const after = await insertPostRow(tx, planned);
  await writeFiles?.();
  await countDailyPosts(app, tx, caller.orgId, caller, 1);
  const now = app.clock.now();
  if (after.status === 'draft') {
    // The counter and the event of a new draft, together: on Postgres they are one statement. Its event says all that an audit would.
    const { org_id, id, post_type, social_account_id } = after;
    const { type, data } = createdEvent(after);
    const accountId = social_account_id ?? NO_ACCOUNT;
    await countDraftAndAppendEvent(tx, org_id, post_type, accountId, type, JSON.stringify(data), now);
    markChanged(tx, org_id, { posts: [id], events: true });
    return after;
  }
  const changes = [{ before: null, after }];
  await recordPostChanges(tx, changes);
  await recordAudit(app, tx, byCaller(caller), ...changes.flatMap(actsOf));
  await recordEvents(tx, caller.orgId, now, await eventsOf(tx, changes));
  return after;
}

const POSTS_PER_COUNT = 1_000;

/** Many posts. `act` is the one row of the audit log that stands for all of them. */
export async function insertPosts(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  planned: readonly NewPost[],
  act: Act,
  writeFiles: () => Promise<void>,
): Promise<void> {
  const changes = (await insertPostRows(tx, planned)).map((after) => ({ before: null, after }));
  await writeFiles();
  await countDailyPosts(app, tx, caller.orgId, caller, changes.length);
  for (let from = 0; from < changes.length; from += POSTS_PER_COUNT) {
    // Other requests are served during a large import.
    if (from > 0) await setImmediate();
    await recordPostChanges(tx, changes.slice(from, from + POSTS_PER_COUNT));
  }
  await recordAudit(app, tx, byCaller(caller), act);
  await recordEvents(tx, caller.orgId, app.clock.now(), await eventsOf(tx, changes));
}

/** Returns the posts after the updates, in their order. Each update has its own rows in the audit log. */
export async function updatePosts(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  updates: readonly PostUpdate[],
): Promise<VersionedPost[]> {
  const now = app.clock.now();
  const written: { before: PostRow; after: VersionedPost }[] = [];
  for (const one of updates) written.push({ before: one.before, after: await updatePostRow(tx, one, now) });
  await recordPostChanges(tx, written);
  for (const { before, after } of written) {
    const isOfSlot =
      before.status !== after.status ||
      (after.status === 'scheduled' && before.scheduled_at !== after.scheduled_at);
    // What was chosen with a slot is in the row of the slot.
    const fields = [...CONTENT, ...(isOfSlot ? [] : SLOT_COLUMNS)].filter(
      (name) => before[name] !== after[name],
    );
    if (fields.length > 0) await recordEdit(app, tx, caller, after, fields);
  }
  await recordAudit(app, tx, byCaller(caller), ...written.flatMap(actsOf));
  await recordEvents(tx, caller.orgId, now, await eventsOf(tx, written));
  return written.map(({ after }) => after);
}

/** Returns the keys of the objects of deleted posts, to be removed after the commit. */
export async function deletePosts(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  deletions: readonly PostDeletion[],
): Promise<string[]> {
  if (deletions.length === 0) return [];
  const { orgId } = caller;
  const now = app.clock.now();
  const objectKeys: string[] = [];
  const acts: Act[] = [];
  for (const one of deletions) {
    const keys = await deletePostRow(tx, one, now);
    objectKeys.push(...keys);
    const { id, title, status } = one.before;
    const details = { status, files: keys.length };
    acts.push({ action: 'post.deleted', target: { id, name: title }, details });
  }
  await recordPostChanges(tx, deletions);
  const outcomes = deletions.flatMap((one) => one.outcomes);
  await countDispatches(
    tx,
    orgId,
    outcomes.map((before) => ({ before })),
  );
  await raiseRevision(tx, orgId);
  await recordAudit(app, tx, byCaller(caller), ...acts);
  const events = deletions.map(
    ({ before }): NewEvent => ({ type: 'post.deleted', data: { post_id: before.id } }),
  );
  await recordEvents(tx, orgId, now, events);
  return objectKeys;
}

/** The posts must be locked, in this order. */
export async function updatePostsByEngine(
  { clock }: Pick<TxApp, 'clock'>,
  tx: Tx,
  all: readonly { post: PostRow; changes: PostChanges }[],
): Promise<void> {
  const now = clock.now();
  const written: { before: PostRow; after: PostRow }[] = [];
  for (const { post: before, changes } of all) {
    const columns = { ...withErrorDetails(changes), updated_at: now };
    const { numAffectedRows } = await updateLockedPostRow(
      tx,
      columns,
      before.org_id,
      before.id,
      before.status,
    );
    if (numAffectedRows !== 1n) throw new Error(`post ${before.id} was not locked`);
    // Known without reading it: no other transaction can have changed the post, and returning the row takes longer than changing it.
    written.push({ before, after: { ...before, ...columns } });
  }
  await recordPostChanges(tx, written);
}

/** A post that was created (`after` only) or changed (both). */
interface WrittenPost {
  before: PostRow | null;
  after: PostRow;
}

const CONTENT = ['title', 'caption', 'hashtags', 'labels', 'cover_index', 'cover_ms'] as const;

/** The rows of the audit log, but for edits. */
function actsOf(change: WrittenPost): Act[] {
  const { before, after } = change;
  const target = { id: after.id, name: after.title };
  const slot = before?.status === 'scheduled' ? before.scheduled_at : null;
  const from = slot === null ? {} : { from: toTimestamp(slot) };
  if (before && before.status !== after.status) {
    const details = { status: before.status };
    if (after.status === 'archived') return [{ action: 'post.archived', target, details }];
    if (before.status === 'archived') return [{ action: 'post.unarchived', target, details }];
    if (before.status === 'scheduled' && after.status === 'draft')
      return [{ action: 'post.unscheduled', target, details: from }];
  }
  return newSlotOf(change).map(({ scheduled_at, social_account_id }) => ({
    action: 'post.scheduled',
    target,
    details: { ...from, scheduled_at, social_account_id },
  }));
}

/** The slot, if it is new. */
function newSlotOf({ before, after }: WrittenPost) {
  const { status, scheduled_at, social_account_id } = after;
  if (status !== 'scheduled' || scheduled_at === null || social_account_id === null) return [];
  if (before?.status === status && before.scheduled_at === scheduled_at) return [];
  return [{ scheduled_at: toTimestamp(scheduled_at), social_account_id }];
}

/** In the order of the changes; a new post's own event comes before that of its slot. */
async function eventsOf(tx: Tx, changes: readonly WrittenPost[]): Promise<NewEvent[]> {
  const platforms: Record<string, Platform> = {};
  const events: NewEvent[] = [];
  for (const change of changes) {
    const { org_id, id } = change.after;
    if (change.before === null) events.push(createdEvent(change.after));
    for (const { scheduled_at, social_account_id } of newSlotOf(change)) {
      platforms[social_account_id] ??= await findPlatform(tx, org_id, social_account_id);
      const platform = platforms[social_account_id];
      events.push({
        type: 'post.scheduled',
        data: { post_id: id, social_account_id, platform, scheduled_at },
      });
    }
  }
  return events;
}

const createdEvent = ({ id }: Pick<PostRow, 'id'>): NewEvent => ({
  type: 'post.created',
  data: { post_id: id },
});
