// The rules of booking, moving and giving up a slot, as a pure function of the post and the change.
import type { Updateable } from 'kysely';
import { type FieldError, invalid } from '../core/problems.js';
import type { PostRow, PostTable } from '../db/tables.js';

type PostUpdate = Updateable<PostTable>;

/**
 * What a change means for the post's slot, as the columns to set besides `changes`. Throws if a rule is broken. `status` is
 * what the caller asked for: `scheduled` books or moves, `draft` gives up, undefined leaves the slot.
 */
export function slotChanges(
  post: PostRow,
  changes: PostUpdate,
  status: 'scheduled' | 'draft' | undefined,
  nowMs: number,
  minLeadMs: number,
): PostUpdate {
  const errors: FieldError[] = [];
  const at = after(post, changes, 'scheduled_at');
  if (status === 'draft') {
    if (changes.scheduled_at != null)
      fail(errors, 'scheduled_at', 'cannot be set with status draft, which gives up the slot');
    if (errors.length > 0) throw invalid(errors);
    const waited = post.wait_reason === 'file' ? { last_publish_error: null } : {};
    return { status: 'draft', scheduled_at: null, wait_until: null, ...waited };
  }

  const becomesScheduled = status === 'scheduled' && post.status !== 'scheduled';
  const isScheduled = status === 'scheduled' || post.status === 'scheduled';
  if (isScheduled) {
    for (const field of ['scheduled_at', 'social_account_id', 'privacy_level'] as const)
      if (after(post, changes, field) === null) fail(errors, field, 'is required for a scheduled post');
    if (
      after(post, changes, 'brand_content_toggle') === 1 &&
      after(post, changes, 'privacy_level') === 'SELF_ONLY'
    )
      fail(errors, 'privacy_level', 'cannot be SELF_ONLY for branded content');
  }
  if (at !== null && (becomesScheduled || changes.scheduled_at !== undefined)) {
    const earliest = Math.floor(nowMs / 1000) * 1000 + minLeadMs;
    const lead =
      minLeadMs === 0 ? 'must not be in the past' : `must be at least ${words(minLeadMs)} from now`;
    if (at < earliest) fail(errors, 'scheduled_at', lead);
  }
  if (errors.length > 0) throw invalid(errors);

  // A new slot is a new beginning: earlier failures no longer count.
  const newSlot = becomesScheduled || (isScheduled && at !== post.scheduled_at);
  // Nor does a post wait for an account that it no longer uses.
  const newAccount = isScheduled && after(post, changes, 'social_account_id') !== post.social_account_id;
  return {
    ...(status === 'scheduled' ? { status } : {}),
    ...(newSlot || newAccount ? { last_publish_error: null, wait_until: null } : {}),
    ...(newSlot ? { publish_retries: 0, last_slot: null } : {}),
  };
}

function after<K extends keyof PostRow>(post: PostRow, changes: PostUpdate, field: K): PostRow[K] {
  const changed = (changes as Partial<PostRow>)[field];
  return changed === undefined ? post[field] : changed;
}

function fail(errors: FieldError[], field: string, message: string): void {
  errors.push({ pointer: `/${field}`, message });
}

const words = (ms: number) => (ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1000} seconds`);
