// What becomes of an attempt that waits to be sent, and whose worker is gone, as a pure function. No record says whether a
// call was sent; what can be known is whether that call can still publish the post.
import type { Block } from '../../accounts/blocks.js';
import type { PlatformFailure } from '../../connectors/connector.js';
import type { Reason } from '../../core/reasons.js';
import { decide, isSubmitted } from './decide.js';
import { expireTransition, isTooLate, requestedAt } from './lateness.js';
import type { Snapshot } from './snapshot.js';
import type { AttemptState, Policy, Transition } from './transition.js';

export type RecoveryDecision =
  | { kind: 'end'; transition: Transition }
  /** The attempt is closed and its slide URLs are dead. The post stays as it is, and a new attempt begins immediately. */
  | { kind: 'reopen'; transition: Transition; snapshot: Snapshot }
  /** The same attempt continues: its submit is asked about or repeated. */
  | { kind: 'resume'; transition: Transition };

/**
 * How many interrupted attempts are replaced immediately, one after the other. The post may be what stops each process that sends it,
 * so the fifth ends instead: a scheduled post loses a retry and waits for the next, one that was published now is as before.
 */
const MAX_INTERRUPTIONS = 4;

/** `reconnect`: why the account cannot be used; null if it can. `block`: what the platform refuses at the moment. */
export function decideInterrupted(
  state: AttemptState,
  reconnect: Reason | null,
  policy: Policy,
  block: Block | null = null,
): RecoveryDecision {
  const { attempt, post, snapshot } = state;
  // The request that asked is gone, so the post must say what happened.
  const next = {
    ...snapshot,
    interruptions: snapshot.interruptions + 1,
    asked_at: requestedAt(attempt, snapshot),
  };
  const seen = { ...state, snapshot: next };
  const interrupted = decide(seen, INTERRUPTED, policy);
  // The post says why it is not sent again, the attempt that it was interrupted.
  const interruptedBy = (outcome: PlatformFailure): Transition => {
    const { attempt, post } = decide(seen, outcome, policy);
    return { attempt: { ...attempt, error_code: INTERRUPTED.code }, post };
  };
  const mayBeThere = interrupted.attempt.outcome === 'unknown';
  if (isSubmitted(state) && !mayBeThere)
    return { kind: 'resume', transition: { attempt: { checks: attempt.checks + 1 }, post: {} } };
  if (mayBeThere || post.status !== 'publishing' || snapshot.interruptions >= MAX_INTERRUPTIONS)
    return { kind: 'end', transition: interrupted };
  // A new attempt needs what every attempt needs: a connected account, no block, and a time that is not too long ago.
  if (reconnect !== null) return { kind: 'end', transition: interruptedBy(notConnected(reconnect)) };
  if (isTooLate(attempt, snapshot, policy))
    return { kind: 'end', transition: expireTransition(state, policy) };
  if (block !== null) return { kind: 'end', transition: interruptedBy(stillBlocked(block, policy.now)) };
  return { kind: 'reopen', transition: { attempt: interrupted.attempt, post: {} }, snapshot: next };
}

const INTERRUPTED = {
  kind: 'unknown',
  code: 'interrupted',
  reason:
    'No answer was recorded before the lease expired: the process that was sending the post stopped, or could not reach the database (interrupted)',
} as const;

const stillBlocked = ({ reason, code, until }: Block, now: number) =>
  ({
    kind: 'blocked',
    code,
    reason,
    scope: 'account',
    windowMs: until - now,
    isRolling: false,
  }) as const;

const notConnected = ({ reason, code }: Reason) =>
  ({ kind: 'reauthorize', code, reason, cure: 'consent' }) as const;
