// What the answer of an endpoint means for the delivery and for the endpoint.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pause before each further try, as Standard Webhooks proposes: three days in all. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Endpoints that failed together do not all come back at the same moment. */
const JITTER = 0.2;
const MAX_WAIT = 24 * HOUR;

/** No wait for the next try is longer. */
export const MAX_WAIT_MS = MAX_WAIT * (1 + JITTER);

/** An endpoint that only fails is disabled after this long, and this many failures. */
const FAILING_MS = 5 * 24 * HOUR;
const MIN_FAILURES = 10;

/** `status` is null if no response came. */
export interface WebhookResponse {
  status: number | null;
  retryAfterMs: number | null;
}

export interface State {
  /** How often this delivery was tried before. */
  tries: number;
  failingSince: number | null;
  failures: number;
}

export type Decision =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: number; disable: 'failing' | null }
  | { kind: 'failed'; disable: 'gone' | 'failing' | null };

/** `random` is from 0 to 1. */
export function decideDelivery(
  { status, retryAfterMs }: WebhookResponse,
  { tries, failingSince, failures }: State,
  now: number,
  random: number,
): Decision {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'failed', disable: 'gone' };
  const isFailing = failingSince !== null && now - failingSince >= FAILING_MS && failures + 1 >= MIN_FAILURES;
  const disable = isFailing ? 'failing' : null;
  const delay = DELAYS[tries];
  if (delay === undefined) return { kind: 'failed', disable };
  const wanted = Math.min(retryAfterMs ?? 0, MAX_WAIT);
  return { kind: 'retry', at: Math.ceil(now + Math.max(delay * (1 + JITTER * random), wanted)), disable };
}
