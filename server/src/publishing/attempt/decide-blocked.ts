// The platform has blocked the account, or the app: nothing was taken, or what was taken has come to nothing. The post is not to
// blame, so a scheduled one waits and loses no retry. Part of decide.ts.
import type { PlatformFailure } from '../../connectors/connector.js';
import type { PostChanges } from '../../posts/rows.js';
import { waitsBecause } from './block-waiting.js';
import { closed } from './closed.js';
import { draftChanges, isScheduled, restoreChanges, stillArchived } from './post-after-failure.js';
import type { AttemptState, Policy, Transition } from './transition.js';

export function blocked(
  state: AttemptState,
  outcome: PlatformFailure & { kind: 'blocked' },
  policy: Policy,
): Transition {
  const { now } = policy;
  const until = state.blockedUntil ?? now + outcome.windowMs;
  const wasAccepted = state.dispatch.accepted_at !== null;
  const dispatch = {
    ...closed(outcome, 'later', now),
    retry_after_ms: until - now,
    ...(wasAccepted ? { social_status: 'FAILED', checked_at: now } : {}),
  };
  if (!state.isLatest) return { dispatch, post: {} };
  const mayWait = isScheduled(state) && !(wasAccepted && state.snapshot.is_restored);
  const post = mayWait
    ? waiting(state, outcome.reason, until, policy)
    : wasAccepted
      ? draftChanges(state, outcome.reason, policy)
      : restoreChanges(state, outcome.reason);
  return { dispatch, post: wasAccepted ? { ...post, posted_at: null } : post };
}

/** Until the block is over, or until it is too late for the slot. */
function waiting(
  state: AttemptState,
  reason: string,
  until: number,
  { now, maxLatenessMs }: Policy,
): PostChanges {
  const { dispatch, post } = state;
  if (post.status === 'archived') return stillArchived(state, reason);
  const slot = dispatch.scheduled_for ?? now;
  return {
    status: 'scheduled',
    last_publish_error: waitsBecause(reason),
    wait_until: Math.min(until, slot + maxLatenessMs + 1),
  };
}
