// What was wanted for a certain time is worth nothing when that is too long ago: for the slot, or for "now" when a person
// has asked for it.

import type { DispatchRow, PostRow } from '../../db/tables.js';
import { closed } from './decide.js';
import { returned } from './post-after-failure.js';
import type { Snapshot } from './snapshot.js';
import type { AttemptState, Policy, Transition } from './transition.js';

type Attempt = Pick<DispatchRow, 'scheduled_for' | 'started_at'>;

/** When a person asked for an attempt without a slot. Those that go on for others carry it along. */
export const askedAt = ({ started_at }: Attempt, { asked_at }: Snapshot): number => asked_at ?? started_at;

export const isTooLate = (
  attempt: Attempt,
  snapshot: Snapshot,
  { now, maxLatenessMs }: Pick<Policy, 'now' | 'maxLatenessMs'>,
): boolean => (attempt.scheduled_for ?? askedAt(attempt, snapshot)) + maxLatenessMs < now;

/** The attempt is over without having been sent; the post goes back, and says why. Nothing was taken. */
export function expired(state: AttemptState, policy: Policy): Transition {
  const { dispatch, post, snapshot } = state;
  const { scheduled_for: slot } = dispatch;
  const told =
    slot !== null
      ? { code: 'slot_missed', reason: missedBecause(post, slot) }
      : { code: 'too_late', reason: askedTooLongAgo(askedAt(dispatch, snapshot)) };
  return { dispatch: closed(told, 'later', policy.now), post: returned(state, told.reason, policy) };
}

export function missedBecause({ last_publish_error }: PostRow, slot: number): string {
  const said = last_publish_error === null ? '' : ` Last trouble: ${last_publish_error}`;
  return `The slot of ${dayAndTime(slot)} was missed, and is too long ago to be made up for. Schedule the post again.${said} (slot_missed)`;
}

const askedTooLongAgo = (asked: number) =>
  `The post was to be published at once on ${dayAndTime(asked)}, was interrupted, and that is too long ago now. Publish it again (too_late)`;

const dayAndTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
