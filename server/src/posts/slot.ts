// The rules of booking, moving and giving up a slot, as a pure function of the post and the change.
import type { Updateable } from 'kysely';
import { type FieldError, invalid } from '../core/problems.js';
import type { PostRow, PostTable } from '../db/tables.js';
import { TOGGLES } from './toggles.js';

/** When, where and how a scheduled post goes out. Its text is not part of it, and its files have their own rule. */
export const SLOT_COLUMNS = [
  'scheduled_at',
  'social_account_id',
  'privacy_level',
  'publish_mode',
  ...TOGGLES,
] as const satisfies (keyof PostRow)[];

type Changes = Updateable<PostTable>;

/**
 * What a change means for the post's slot, as the columns to set besides `changes`. Throws if a rule is broken. `status` is
 * what the caller asked for: `scheduled` books or moves, `draft` gives up, undefined leaves the slot.
 */
export function slotChanges(
  post: PostRow,
  changes: Changes,
  status: 'scheduled' | 'draft' | undefined,
  nowMs: number,
  minLeadMs: number,
): Changes {
  if (status === 'draft') return unscheduleChanges(post, changes);
  const becomesScheduled = status === 'scheduled' && post.status !== 'scheduled';
  const isScheduled = becomesScheduled || post.status === 'scheduled';
  const at = after(post, changes, 'scheduled_at');
  const errors = isScheduled ? slotErrors(post, changes) : [];
  if (at !== null && (becomesScheduled || changes.scheduled_at !== undefined))
    errors.push(...leadErrors(at, nowMs, minLeadMs));
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

function unscheduleChanges({ wait_reason }: PostRow, { scheduled_at }: Changes): Changes {
  if (scheduled_at != null)
    throw invalid([fieldError('scheduled_at', 'cannot be set with status draft, which gives up the slot')]);
  const waited = wait_reason === 'file' ? { last_publish_error: null } : {};
  return { status: 'draft', scheduled_at: null, wait_until: null, ...waited };
}

/** What keeps a post from having a slot at all. */
function slotErrors(post: PostRow, changes: Changes): FieldError[] {
  const required = ['scheduled_at', 'social_account_id', 'privacy_level'] as const;
  const errors = required
    .filter((field) => after(post, changes, field) === null)
    .map((field) => fieldError(field, 'is required for a scheduled post'));
  const isBranded = after(post, changes, 'brand_content_toggle') === 1;
  if (isBranded && after(post, changes, 'privacy_level') === 'SELF_ONLY')
    errors.push(fieldError('privacy_level', 'cannot be SELF_ONLY for branded content'));
  return errors;
}

function leadErrors(at: number, nowMs: number, minLeadMs: number): FieldError[] {
  const earliest = Math.floor(nowMs / 1000) * 1000 + minLeadMs;
  if (at >= earliest) return [];
  return [
    fieldError(
      'scheduled_at',
      minLeadMs === 0 ? 'must not be in the past' : `must be at least ${formatLead(minLeadMs)} from now`,
    ),
  ];
}

/** The column as the change leaves it. */
function after<K extends keyof PostRow>(post: PostRow, changes: Changes, field: K): PostRow[K] {
  const changed = (changes as Partial<PostRow>)[field];
  return changed === undefined ? post[field] : changed;
}

const fieldError = (field: string, message: string): FieldError => ({ pointer: `/${field}`, message });

const formatLead = (ms: number) => (ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1000} seconds`);
