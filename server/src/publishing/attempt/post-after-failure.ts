// What becomes of a post when its attempt has failed, and what becomes of its slot and an archived post's status also when the attempt
// was accepted or resolved. A post that was archived meanwhile stays archived and is never retried.

import type { Reason } from '../../core/reasons.js';
import type { PostRow } from '../../db/tables.js';
import { errorColumns, type PostChanges } from '../../posts/rows.js';
import { MAX_RETRIES, retryDelay } from './backoff.js';
import type { AttemptState, Policy } from './transition.js';

export const isScheduled = ({ attempt }: AttemptState) =>
  attempt.trigger_kind === 'schedule' || attempt.trigger_kind === 'retry';

/** The slot that the post loses without being published; the calendar still shows it there. */
export function lostSlot({
  attempt,
  post,
}: Pick<AttemptState, 'attempt' | 'post'>): Pick<PostChanges, 'last_slot'> {
  const slot = attempt.scheduled_for ?? post.scheduled_at;
  return slot === null ? {} : { last_slot: slot };
}

/** The post waits until then, and is tried again. One that was archived meanwhile is not. */
export const suspendChanges = (
  state: AttemptState,
  failure: Reason,
  wait_until: number | null,
  more: PostChanges = {},
): PostChanges =>
  state.post.status === 'archived'
    ? backToDraft(state, failure)
    : { status: 'scheduled', wait_until, ...errorColumns(failure), ...more };

/** Retried later, while retries are left. */
export function retryChanges(
  state: AttemptState,
  failure: Reason,
  { now, backoffMs, random }: Policy,
  askedMs = 0,
): PostChanges {
  const retry = state.post.publish_retries + 1;
  if (retry > MAX_RETRIES) return backToDraft(state, failure);
  const wait_until = now + retryDelay(retry, backoffMs, random, askedMs);
  return suspendChanges(state, failure, wait_until, { publish_retries: retry });
}

/** Publish now replaces the slot once the platform has accepted the post. A scheduled post keeps its slot. */
export const slotAfter = (state: AttemptState): Pick<PostChanges, 'scheduled_at'> =>
  isScheduled(state) ? {} : { scheduled_at: null };

/** Back to draft; a slot that is still ahead is kept if publish now was refused immediately. */
export function draftChanges(state: AttemptState, failure: Reason, { now }: Policy): PostChanges {
  const { attempt, post, snapshot } = state;
  const isBefore = !isScheduled(state) && attempt.accepted_at === null;
  const hasSlot = isBefore && snapshot.from === 'scheduled' && (post.scheduled_at ?? 0) > now;
  return hasSlot ? suspendChanges(state, failure, null) : backToDraft(state, failure);
}

const backToDraft = (state: AttemptState, failure: Reason): PostChanges => ({
  ...(state.post.status === 'archived' ? {} : { status: 'draft', wait_until: null }),
  scheduled_at: null,
  ...lostSlot(state),
  ...errorColumns(failure),
});

/** The post is as it was before the request. If the request no longer waits for an answer, the post carries the error instead. */
export function restoreChanges({ post, snapshot }: AttemptState, failure: Reason): PostChanges {
  const changes = snapshot.interruptions > 0 ? errorColumns(failure) : {};
  return post.status === 'archived'
    ? { ...changes, scheduled_at: null }
    : { status: snapshot.from, ...changes };
}

export const keepArchivedOr = <Status extends PostRow['status']>(
  post: PostRow,
  status: Status,
): Status | 'archived' => (post.status === 'archived' ? 'archived' : status);
