// What follows from the changes that a caller makes to posts: rows of the audit log, and events. What the engine does with posts
// has events of its own.
import { findPlatform } from '../accounts/accounts.js';
import { type Act, recordEdit } from '../audit/record.js';
import { toTimestamp } from '../core/clock.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import type { NewEvent } from '../events/record.js';
import type { TxApp } from '../request/app.js';
import type { CallerWithAddress } from '../request/caller.js';
import type { Platform } from '../request/platforms.js';
import { TOGGLES } from './toggles.js';

/** A post that was created (`after` only), deleted (`before` only) or changed (both). */
export type WrittenPost =
  | { before: null; after: PostRow }
  | { before: PostRow; after: PostRow }
  | { before: PostRow; after: null; files: number };

/** The rows of the audit log, but for edits. A new draft has none: its event says as much. */
export function actsOf(change: WrittenPost): Act[] {
  const { before, after } = change;
  if (after === null)
    return [
      {
        action: 'post.deleted',
        target: targetOf(before),
        details: { status: before.status, files: change.files },
      },
    ];
  const target = targetOf(after);
  const from = before?.status === 'scheduled' && before.scheduled_at !== null ? before.scheduled_at : null;
  if (before && before.status !== after.status) {
    if (after.status === 'archived')
      return [{ action: 'post.archived', target, details: { status: before.status } }];
    if (before.status === 'archived')
      return [{ action: 'post.unarchived', target, details: { status: before.status } }];
    if (before.status === 'scheduled' && after.status === 'draft')
      return [{ action: 'post.unscheduled', target, details: fromSlot(from) }];
  }
  return newSlotOf(change).map(({ scheduled_at, social_account_id }) => ({
    action: 'post.scheduled',
    target,
    details: { ...fromSlot(from), scheduled_at: toTimestamp(scheduled_at), social_account_id },
  }));
}

const targetOf = ({ id, title }: PostRow) => ({ id, name: title });
const fromSlot = (slot: number | null) => (slot === null ? {} : { from: toTimestamp(slot) });

/** The post with its slot, if that is new. */
function newSlotOf({ before, after }: WrittenPost) {
  if (after === null) return [];
  const { org_id, id, status, scheduled_at, social_account_id } = after;
  if (status !== 'scheduled' || scheduled_at === null || social_account_id === null) return [];
  if (before?.status === status && before.scheduled_at === scheduled_at) return [];
  return [{ org_id, id, scheduled_at, social_account_id }];
}

const CONTENT = ['title', 'caption', 'hashtags', 'labels', 'cover_index', 'cover_ms'] as const;

/** Chosen with the slot, whose row says so. */
const SLOT = ['scheduled_at', 'social_account_id', 'privacy_level', 'publish_mode', ...TOGGLES] as const;

/** Records that a caller changed what a post says, or how it goes out. */
export async function recordEdits(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  changes: readonly WrittenPost[],
): Promise<void> {
  for (const { before, after } of changes) {
    if (before === null || after === null) continue;
    const isOfSlot =
      before.status !== after.status ||
      (after.status === 'scheduled' && before.scheduled_at !== after.scheduled_at);
    const fields = [...CONTENT, ...(isOfSlot ? [] : SLOT)].filter((name) => before[name] !== after[name]);
    if (fields.length > 0) await recordEdit(app, tx, caller, after, fields);
  }
}

/** In the order of the changes; a new post's own event comes before that of its slot. */
export async function eventsOf(tx: Tx, changes: readonly WrittenPost[]): Promise<NewEvent[]> {
  const platforms = new Map<string, Platform>();
  const events: NewEvent[] = [];
  for (const change of changes) {
    const { before, after } = change;
    if (after === null) events.push({ type: 'post.deleted', data: { post_id: before.id } });
    else if (before === null) events.push(createdEvent(after));
    for (const { org_id, id, scheduled_at, social_account_id } of newSlotOf(change)) {
      const platform =
        platforms.get(social_account_id) ?? (await findPlatform(tx, org_id, social_account_id));
      platforms.set(social_account_id, platform);
      const slot = { post_id: id, social_account_id, platform, scheduled_at: toTimestamp(scheduled_at) };
      events.push({ type: 'post.scheduled', data: slot });
    }
  }
  return events;
}

export const createdEvent = ({ id }: Pick<PostRow, 'id'>): NewEvent => ({
  type: 'post.created',
  data: { post_id: id },
});
