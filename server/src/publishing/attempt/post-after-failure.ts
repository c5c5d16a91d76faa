// What becomes of a post when its attempt failed. One that was archived meanwhile stays archived and is never retried.

import type { PlatformFailure } from '../../connectors/connector.js';
import type { PostRow } from '../../db/tables.js';
import type { PostChanges } from '../../posts/rows.js';
import { MAX_RETRIES, retryDelay } from './backoff.js';
import type { AttemptState, Policy } from './transition.js';

export const isScheduled = ({ dispatch }: AttemptState) =>
  dispatch.trigger_kind === 'schedule' || dispatch.trigger_kind === 'retry';

/** The slot that the post loses without being published; the calendar still shows it there. */
export function lostSlot({
  dispatch,
  post,
}: Pick<AttemptState, 'dispatch' | 'post'>): Pick<PostChanges, 'last_slot'> {
  const slot = dispatch.scheduled_for ?? post.scheduled_at;
  return slot === null ? {} : { last_slot: slot };
}

/** Retried later, while retries are left. */
export function retryChanges(
  state: AttemptState,
  reason: string,
  { now, backoffMs, random }: Policy,
  askedMs = 0,
): PostChanges {
  const { post } = state;
  if (post.status === 'archived') return stillArchived(state, reason);
  if (post.publish_retries >= MAX_RETRIES) return backToDraft(state, reason);
  const retry = post.publish_retries + 1;
  return {
    status: 'scheduled',
    publish_retries: retry,
    wait_until: now + retryDelay(retry, backoffMs, random, askedMs),
    last_publish_error: reason,
  };
}

/** For failures on our side, which say nothing about the post: they cost no retry, and only lateness ends the waiting. */
export function postponeChanges(
  state: AttemptState,
  reason: string,
  { now, backoffMs, random }: Policy,
): PostChanges {
  if (state.post.status === 'archived') return stillArchived(state, reason);
  const wait_until = now + retryDelay(1, backoffMs, random);
  return { status: 'scheduled', wait_until, last_publish_error: reason };
}

/** Publish now replaces the slot once the platform has accepted the post. A scheduled post keeps its slot. */
export const slotAfter = (state: AttemptState): Pick<PostChanges, 'scheduled_at'> =>
  isScheduled(state) ? {} : { scheduled_at: null };

/** Back to draft; a slot that is still ahead is kept if publish now was refused at once. */
export function draftChanges(state: AttemptState, reason: string, { now }: Policy): PostChanges {
  const { dispatch, post, snapshot } = state;
  if (post.status === 'archived') return stillArchived(state, reason);
  const isBefore = !isScheduled(state) && dispatch.accepted_at === null;
  const hasSlot = isBefore && snapshot.from === 'scheduled' && (post.scheduled_at ?? 0) > now;
  return hasSlot
    ? { status: 'scheduled', wait_until: null, last_publish_error: reason }
    : backToDraft(state, reason);
}

const backToDraft = (state: AttemptState, reason: string): PostChanges => ({
  status: 'draft',
  scheduled_at: null,
  ...lostSlot(state),
  wait_until: null,
  last_publish_error: reason,
});

export const stillArchived = (state: AttemptState, reason: string): PostChanges => ({
  last_publish_error: reason,
  scheduled_at: null,
  ...lostSlot(state),
});

/** As before the request. If the request no longer waits for an answer, the post carries the error instead. */
export function restoreChanges({ post, snapshot }: AttemptState, reason: string): PostChanges {
  const told = snapshot.interruptions > 0 ? { last_publish_error: reason } : {};
  return post.status === 'archived' ? { ...told, scheduled_at: null } : { status: snapshot.from, ...told };
}

export const keepArchivedOr = <Status extends PostRow['status']>(
  post: PostRow,
  status: Status,
): Status | 'archived' => (post.status === 'archived' ? 'archived' : status);

/** What happened, what it means and what to do; ends with the code, like all these texts. */
export function unknownBecause({ kind, code, reason }: PlatformFailure): string {
  const what = lowerFirst(reason.replace(/\s*\([\w.-]+\)$/, ''));
  const told = kind === 'unknown' ? what : `the platform fetched the slides, and then answered: ${what}`;
  return `The outcome is unknown: ${told}. The post is not sent again automatically; check the account and resolve the post (${code})`;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
