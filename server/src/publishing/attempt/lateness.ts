// A post that was wanted for a certain time is not published when that time is too long ago: its slot, or the moment of
// the request to publish now.

import { type Reason, reasonWithoutCode } from '../../core/reasons.js';
import type { AttemptRow, PostRow } from '../../db/tables.js';
import { draftChanges } from './post-after-failure.js';
import type { Snapshot } from './snapshot.js';
import type { AttemptState, Policy, Transition } from './transition.js';
import { closed } from './transition.js';

type Attempt = Pick<AttemptRow, 'scheduled_for' | 'started_at'>;

/** When publishing now was requested. An attempt that replaces an interrupted one carries the time along. */
export const requestedAt = ({ started_at }: Attempt, { asked_at }: Snapshot): number =>
  asked_at ?? started_at; // mutant: lateness-since-asked

export const isTooLate = (
  attempt: Attempt,
  snapshot: Snapshot,
  { now, maxLatenessMs }: Pick<Policy, 'now' | 'maxLatenessMs'>,
): boolean => (attempt.scheduled_for ?? requestedAt(attempt, snapshot)) + maxLatenessMs < now; // mutant: lateness-of-publish-now

/** Ends an attempt that was never sent; the post returns and says why. */
export function expireTransition(state: AttemptState, policy: Policy): Transition {
  const { attempt, post } = state;
  const { scheduled_for: slot } = attempt;
  const failure = slot !== null ? missedSlot(post) : ASKED_TOO_LONG_AGO;
  return {
    attempt: closed(failure, 'retryable', policy.now),
    post: draftChanges(state, failure, policy),
  };
}

/** Without the time, which readers see in their own time zone: the slot is in `last_slot` and in the attempt. */
export function missedSlot({
  last_publish_error,
  last_publish_error_code,
}: Pick<PostRow, 'last_publish_error' | 'last_publish_error_code'>): Reason {
  const lastError =
    last_publish_error === null
      ? ''
      : ` Last error: ${reasonWithoutCode(last_publish_error, last_publish_error_code)}`;
  return {
    code: 'slot_missed',
    reason: `The post missed its time, and it's now too late to publish. Schedule it again.${lastError} (slot_missed)`,
  };
}

const ASKED_TOO_LONG_AGO: Reason = {
  code: 'too_late',
  reason: "Publishing was interrupted, and it's now too late to continue. Publish the post again (too_late)",
};
