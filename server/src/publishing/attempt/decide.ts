// What an outcome of the platform means for the attempt and for its post, as a pure function: the contract's table.
//
// "Now" and "scheduled" differ only here. A post that was archived meanwhile stays archived whatever its outcome, and is
// never retried. An attempt that has been followed by a newer one no longer changes the post.
import { causeOf } from '../../accounts/blocks.js';
import type { Outcome, PlatformFailure } from '../../connectors/connector.js';
import { DAY_MS, HOUR_MS } from '../../core/durations.js';
import { errorColumns } from '../../posts/rows.js';
import { pollDelay, retryDelay } from './backoff.js';
import { decideBlocked } from './blocks/decide.js';
import { isTooLate } from './lateness.js';
import { OPEN_OUTCOMES } from './open-outcomes.js';
import {
  draftChanges,
  isScheduled,
  keepArchivedOr,
  restoreChanges,
  retryChanges,
  slotAfter,
  suspendChanges,
} from './post-after-failure.js';
import { addressAnswered, publicColumns } from './public-address.js';
import { publishOptionsOf } from './snapshot.js';
import {
  type AttemptState,
  closed,
  closedColumns,
  isFailure,
  type Policy,
  type Transition,
} from './transition.js';

/** After this long without a final status, an accepted post becomes unknown and is polled less often. */
export const GIVE_UP_MS = DAY_MS;
/** After this long, polling ends. */
const FORGET_MS = 7 * GIVE_UP_MS;
const LATE_POLL_MS = HOUR_MS;

export function decide(state: AttemptState, outcome: Outcome, policy: Policy): Transition {
  // Published is final: only the address may still become known.
  if (state.attempt.outcome === 'published') return addressAnswered(state, outcome, policy.now);
  const isSuccess = outcome.kind === 'published' || outcome.kind === 'in_inbox';
  const isOpen = OPEN_OUTCOMES.includes(state.attempt.outcome);
  // Once an attempt has ended, only a success that was not known yet changes it.
  if (!isOpen && (!isSuccess || outcome.kind === state.attempt.outcome)) {
    // A webhook triggered this poll and is not repeated, so a poll without an answer must be retried.
    const isUnseen = outcome.kind === 'later' || outcome.kind === 'reauthorize';
    if (isUnseen) return pollAgain(state, outcome, policy);
    return { attempt: { checked_at: policy.now, lease_until: null, next_at: null }, post: {} };
  }
  const isRevocable = state.attempt.phase === 'sending' && state.snapshot.lost === 'revoke';
  const wasFetched = isRevocable && state.attempt.fetched_at !== null;
  // The platform has begun to process a submit: only an acceptance is believed, because the post may exist, whatever else it answers.
  if (wasFetched && isFailure(outcome)) return unknown(state, outcome); // mutant: fetched-slides
  if (isSubmitted(state) && outcome.kind === 'unknown') return onLostAnswer(state, outcome, policy);
  switch (outcome.kind) {
    case 'accepted':
      return state.attempt.publish_id === null
        ? accepted(state, outcome, policy)
        : pollAgain(state, outcome, policy);
    case 'published':
    case 'in_inbox':
      return succeeded(state, outcome, policy);
    case 'refused':
      return failed(state, outcome, policy);
    case 'blocked':
      return decideBlocked(state, outcome, policy);
    case 'reauthorize':
    case 'later':
    case 'unknown':
      return state.attempt.phase === 'sending'
        ? onNotAccepted(state, outcome, policy)
        : pollAgain(state, outcome, policy);
    default:
      return outcome satisfies never;
  }
}

/** The visible act may have taken place. For the class `revoke`, `fetched_at` shows that instead. */
export const isSubmitted = ({ attempt: { phase, sent_at }, snapshot }: AttemptState): boolean =>
  phase === 'sending' && snapshot.lost !== 'revoke' && sent_at !== null; // mutant: same-memo

/** Against a post that stops every process that continues it; an outage ends before that. */
const MAX_RESUMPTIONS = 200;

/** The answer to a submit was lost. The class tells whether the engine can find out what became of it. */
function onLostAnswer(state: AttemptState, outcome: PlatformFailure, policy: Policy): Transition {
  const { attempt, snapshot } = state;
  const { now, reconcileIntervalMs } = policy;
  // Asking is never too late; repeating might publish.
  const mayAsk = snapshot.lost === 'ask' && now - attempt.started_at < GIVE_UP_MS;
  const canContinue = mayAsk || (snapshot.lost === 'repeat' && !isTooLate(attempt, snapshot, policy));
  if (!canContinue || attempt.checks >= MAX_RESUMPTIONS) return unknown(state, outcome);
  const next_at = now + pollDelay(attempt.checks, reconcileIntervalMs);
  return { attempt: { lease_until: null, next_at }, post: {} };
}

const cleared = { failure: null, error_code: null, error_message: null, retry_after_ms: null } as const;

function accepted(
  state: AttemptState,
  { publishId, socialStatus, upload }: Outcome & { kind: 'accepted' },
  { now, reconcileIntervalMs }: Policy,
): Transition {
  const { attempt, post, snapshot } = state;
  return {
    attempt: {
      ...cleared,
      outcome: 'accepted',
      publish_id: publishId,
      social_status: socialStatus,
      accepted_at: now,
      checked_at: now,
      checks: 0,
      phase: upload ? 'transferring' : 'observing',
      lease_until: null,
      next_at: upload ? now : now + reconcileIntervalMs,
    },
    post: {
      ...publishOptionsOf(snapshot),
      social_account_id: attempt.social_account_id,
      ...slotAfter(state),
      status: keepArchivedOr(post, 'posted'),
      posted_at: now,
      last_slot: null,
      last_publish_error: null,
      wait_until: null,
    },
  };
}

/**
 * No final status yet: the platform is still processing the post, or the poll got no answer, which says nothing about the post.
 * After a day that is an outcome of its own.
 */
function pollAgain(
  { attempt, post }: AttemptState,
  outcome: Outcome & { kind: 'accepted' | 'reauthorize' | 'later' | 'unknown' },
  { now, reconcileIntervalMs }: Policy,
): Transition {
  const pauseMs = pollDelay(
    attempt.checks,
    reconcileIntervalMs,
    outcome.kind === 'later' ? outcome.retryAfterMs : 0,
  );
  const age = now - (attempt.accepted_at ?? attempt.started_at);
  const waiting = {
    ...(outcome.kind === 'accepted' ? { social_status: outcome.socialStatus, checked_at: now } : {}),
    checks: attempt.checks + 1,
    lease_until: null,
  };
  if (age < GIVE_UP_MS) return { attempt: { ...waiting, next_at: now + pauseMs }, post: {} };
  const next_at = age < FORGET_MS ? now + Math.max(LATE_POLL_MS, pauseMs) : null;
  if (attempt.outcome !== 'accepted') return { attempt: { ...waiting, next_at }, post: {} };
  return {
    attempt: { ...waiting, ...NO_FINAL_STATUS, outcome: 'unknown', next_at },
    post: {
      status: keepArchivedOr(post, 'publishing'),
      posted_at: null,
      ...errorColumns({ code: NO_FINAL_STATUS.error_code, reason: NO_FINAL_STATUS.error_message }),
    },
  };
}

const NO_FINAL_STATUS = {
  failure: 'unknown',
  error_code: 'no_final_status',
  error_message:
    'The outcome is unknown: the platform accepted the post but reported no final status within 24 hours. Check the account and resolve the post (no_final_status)',
} as const;

function succeeded(
  state: AttemptState,
  outcome: Outcome & { kind: 'published' | 'in_inbox' },
  { now }: Policy,
): Transition {
  const { attempt, post, isLatest } = state;
  return {
    attempt: {
      ...cleared,
      ...closedColumns(now),
      outcome: outcome.kind,
      social_status: outcome.socialStatus,
      ...(outcome.kind === 'published' ? publicColumns(state, outcome, now) : {}),
      accepted_at: attempt.accepted_at ?? now,
      checked_at: now,
      finished_at: now,
    },
    // A late success counts, unless a newer attempt has replaced this one.
    post: isLatest
      ? {
          ...slotAfter(state),
          status: keepArchivedOr(post, 'posted'),
          posted_at: post.posted_at ?? attempt.accepted_at ?? now,
          last_slot: null,
          last_publish_error: null,
          wait_until: null,
        }
      : {},
  };
}

/** The platform refused the post, immediately or after accepting it. */
function failed(
  state: AttemptState,
  outcome: PlatformFailure & { kind: 'refused' },
  policy: Policy,
): Transition {
  const { now } = policy;
  const wasAccepted = state.attempt.accepted_at !== null;
  const attempt = closed(outcome, 'refused', now);
  if (!state.isLatest) return { attempt, post: {} };
  const mayRetry = isScheduled(state) && !state.snapshot.is_restored;
  const isAgain = wasAccepted && outcome.isRepeatable && mayRetry;
  const post = isAgain ? retryChanges(state, outcome, policy) : draftChanges(state, outcome, policy);
  return {
    attempt: {
      ...attempt,
      ...(wasAccepted ? { social_status: 'FAILED', checked_at: now } : {}),
    },
    post: { ...post, posted_at: null },
  };
}

/** Only a person or the platform can tell the outcome; the engine never sends the post again. */
function unknown({ attempt, post, snapshot }: AttemptState, outcome: PlatformFailure): Transition {
  const { kind, code } = outcome;
  const what = causeOf(outcome);
  const cause = kind === 'unknown' ? what : `the platform fetched the slides, and then answered: ${what}`;
  const message = `The outcome is unknown: ${cause}. The post is not sent again automatically; check the account and resolve the post (${code})`;
  return {
    attempt: {
      outcome: 'unknown',
      failure: 'unknown',
      error_code: code,
      error_message: message,
      // The slide URLs stay valid: the post may exist, and the platform may still be fetching.
      phase: 'done',
      lease_until: null,
      next_at: null,
    },
    post: {
      ...publishOptionsOf(snapshot),
      social_account_id: attempt.social_account_id,
      status: keepArchivedOr(post, 'publishing'),
      ...errorColumns({ code, reason: message }),
      wait_until: null,
    },
  };
}

/** The platform has accepted nothing, and nothing can come of the attempt any more. */
function onNotAccepted(
  state: AttemptState,
  outcome: PlatformFailure & { kind: 'reauthorize' | 'later' | 'unknown' },
  policy: Policy,
): Transition {
  const { now, maxLatenessMs, backoffMs, random } = policy;
  if (outcome.kind === 'reauthorize') {
    const attempt = closed(outcome, 'reauthorize', now);
    if (!isScheduled(state)) return { attempt, post: restoreChanges(state, outcome) };
    const missedAt = (state.attempt.scheduled_for ?? now) + maxLatenessMs;
    return {
      attempt,
      post: suspendChanges(state, outcome, state.isReconnected ? now : missedAt, { wait_reason: 'account' }),
    };
  }
  // It can no longer publish anything: slide URLs are revoked by this commit, no byte was sent, or the platform said so.
  const askedMs = outcome.kind === 'later' ? outcome.retryAfterMs : undefined;
  const attempt = { ...closed(outcome, 'retryable', now), retry_after_ms: askedMs ?? null };
  if (!isScheduled(state)) return { attempt, post: restoreChanges(state, outcome) };
  // A failure on our side says nothing about the post: it costs no retry, and only lateness ends the waiting.
  const isOurs = outcome.kind === 'later' && outcome.isUnsent;
  return {
    attempt,
    post: isOurs
      ? suspendChanges(state, outcome, now + retryDelay(1, backoffMs, random))
      : retryChanges(state, outcome, policy, askedMs),
  };
}
