// What a block by the platform means for an attempt and its post. Part of ../decide.ts.
import type { PlatformFailure } from '../../../connectors/connector.js';
import { draftChanges, isScheduled, restoreChanges, suspendChanges } from '../post-after-failure.js';
import { type AttemptState, closed, type Policy, type Transition } from '../transition.js';
import { waitsBecause } from './waiting-posts.js';

/**
 * The platform has blocked the account, or the app: nothing was taken, or what was taken has come to nothing. The post is not to
 * blame, so a scheduled one loses no retry: it waits until the block is over, or until it is too late for the slot.
 */
export function decideBlocked(
  state: AttemptState,
  outcome: PlatformFailure & { kind: 'blocked' },
  policy: Policy,
): Transition {
  const { now, maxLatenessMs } = policy;
  const until = state.blockedUntil ?? now + outcome.windowMs;
  const wasAccepted = state.attempt.accepted_at !== null;
  const attempt = {
    ...closed(outcome, 'retryable', now),
    retry_after_ms: until - now,
    ...(wasAccepted ? { social_status: 'FAILED', checked_at: now } : {}),
  };
  if (!state.isLatest) return { attempt, post: {} };
  const mayWait = isScheduled(state) && !(wasAccepted && state.snapshot.is_restored);
  const last = (state.attempt.scheduled_for ?? now) + maxLatenessMs + 1;
  const post = mayWait
    ? suspendChanges(state, waitsBecause(outcome), Math.min(until, last), { wait_reason: 'block' })
    : wasAccepted
      ? draftChanges(state, outcome, policy)
      : restoreChanges(state, outcome);
  return { attempt, post: wasAccepted ? { ...post, posted_at: null } : post };
}
