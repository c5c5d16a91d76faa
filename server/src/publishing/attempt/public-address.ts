// The public address of a published post, as pure functions. The platform tells it only after moderation, and only if the post
// is public. Nothing else of a published attempt ever changes.
import type { Outcome } from '../../connectors/connector.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/durations.js';
import type { AttemptRow } from '../../db/tables.js';
import type { AttemptState, Transition } from './transition.js';

/** How long after the publication the platform is asked. A webhook about the address asks in between, and later. */
export const ADDRESS_POLLS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
] as const;

/** No wait for the next of them is longer. */
export const MAX_ADDRESS_DELAY_MS = DAY_MS;

/** Once all of these have passed, a poll without an answer is repeated this often, for this long after the publication. */
const UNANSWERED_MS = HOUR_MS;
const FORGET_MS = 7 * DAY_MS;

/** The columns that hold the address, of what the platform has told. */
const addressColumns = ({ postId, postUrl }: Outcome & { kind: 'published' }) => ({
  ...(postId === undefined ? {} : { platform_post_id: postId }),
  ...(postUrl === undefined ? {} : { post_url: postUrl }),
});

/** When to ask for the address next, of a post published at `publishedAt`. Null: it is known, will not exist, or is given up. */
function nextAddressPoll(
  { attempt: { publish_id, mode }, snapshot: { draft } }: Pick<AttemptState, 'attempt' | 'snapshot'>,
  publishedAt: number,
  now: number,
): number | null {
  // The audience of a draft is chosen on the platform, so it may be public. An attempt that a person resolved may lack the id.
  const mayBePublic = mode === 'inbox' || draft.privacyLevel === 'PUBLIC_TO_EVERYONE';
  if (publish_id === null || !mayBePublic) return null;
  const after = ADDRESS_POLLS_MS.find((ms) => publishedAt + ms > now);
  return after === undefined ? null : publishedAt + after; // mutant: last-address-poll
}

/** The columns of an attempt that is published now: its address, or when to ask for it. */
export function publicColumns(state: AttemptState, outcome: Outcome & { kind: 'published' }, now: number) {
  const known = addressColumns(outcome);
  return 'platform_post_id' in known ? known : { ...known, next_at: nextAddressPoll(state, now, now) };
}

/** An answer about an attempt that is known to be published. */
export function addressAnswered(state: AttemptState, outcome: Outcome, now: number): Transition {
  const { attempt } = state;
  const free = { lease_until: null, next_at: null } satisfies Partial<AttemptRow>;
  const columns = outcome.kind === 'published' ? addressColumns(outcome) : {};
  if ('platform_post_id' in columns) return { attempt: { ...free, ...columns }, post: {} };
  const publishedAt = attempt.finished_at ?? now;
  const next = nextAddressPoll(state, publishedAt, now);
  // A webhook that triggered this poll is not repeated.
  const isUnanswered = outcome.kind === 'later' || outcome.kind === 'reauthorize';
  const isRepeated = next === null && isUnanswered && now < publishedAt + FORGET_MS;
  return { attempt: { ...free, next_at: isRepeated ? now + UNANSWERED_MS : next }, post: {} };
}
