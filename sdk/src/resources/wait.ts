// Waits for the outcome of a publish. Time that runs out is no outcome: the last known status is returned as it is.
import { type Client, newKey } from '../client/client.js';
import { AirdateError, OutcomeUnknown, RateLimited, Unavailable } from '../client/errors.js';
import { settlesEarlierTries, sleep } from '../client/retry.js';
import type { Dispatch, Post } from '../client/schemas.js';
import type { BodyOf } from '../client/typed.js';
import { type Outcome, outcomeOf, type SentOutcome } from './outcome.js';

export interface WaitOptions {
  /** How long to wait, in milliseconds. Default: as long as it takes. */
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called whenever the status was read. */
  onStatus?: ((status: Outcome['status']) => void) | undefined;
}

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;
const LOST_PAUSE_MS = 2_000;
/** How long a service that does not answer is asked for what became of a publish. */
const TIMEOUT_MS = 120_000;

export async function publishAndWait(
  client: Client,
  id: string,
  body: BodyOf<'publishPost'>,
  { idempotencyKey = newKey(), ...options }: WaitOptions & { idempotencyKey?: string | undefined } = {},
): Promise<SentOutcome> {
  const until = Date.now() + (options.timeout ?? Number.POSITIVE_INFINITY);
  const lostUntil = Math.min(until, Date.now() + TIMEOUT_MS);
  const { signal } = options;
  for (let mayHaveTakenEffect = false; ; ) {
    try {
      await client.data('POST', '/api/v1/posts/{id}/publish', { path: { id }, body, idempotencyKey, signal });
      break;
    } catch (error) {
      if (!(error instanceof AirdateError)) throw error;
      // The service knows the attempt, and does not know its end: from here on it is only asked about it.
      if (error.code === 'platform_timeout') break;
      mayHaveTakenEffect ||= error instanceof OutcomeUnknown;
      if (!mayHaveTakenEffect || settlesEarlierTries(error)) throw error;
      // Only the answer was lost. The same key asks for it, and publishes only if the first request never arrived.
      if (Date.now() > lostUntil)
        return outcomeOf({ status: 'unknown', fail_reason: error.message }) as SentOutcome;
      await sleep(LOST_PAUSE_MS, signal);
    }
  }
  // By now there is an attempt, and only a post without one is `not_sent`.
  return (await waitUntilPublished(client, id, { ...options, timeout: until - Date.now() })) as SentOutcome;
}

export async function waitUntilPublished(
  client: Client,
  id: string,
  options: WaitOptions = {},
): Promise<Outcome> {
  const until = Date.now() + (options.timeout ?? Number.POSITIVE_INFINITY);
  let answeredAt = Date.now();
  let last: Outcome = outcomeOf({ status: 'processing' });
  for (let pause = MIN_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    try {
      last = await statusOf(client, id, options.signal);
      answeredAt = Date.now();
      options.onStatus?.(last.status);
      if (last.status !== 'processing' && last.status !== 'scheduled') return last;
    } catch (error) {
      const isTransient = error instanceof Unavailable || error instanceof RateLimited;
      if (!isTransient || Date.now() - answeredAt > TIMEOUT_MS) throw error;
    }
    const left = until - Date.now();
    if (left <= 0) return last;
    await sleep(Math.min(pause, left), options.signal);
  }
}

async function statusOf(client: Client, id: string, signal: AbortSignal | undefined): Promise<Outcome> {
  const path = { id };
  const query = { per_page: 1 };
  const [dispatch] = await client.data('GET', '/api/v1/posts/{id}/dispatches', { path, query, signal });
  if (!dispatch || dispatch.outcome === 'failed')
    return outcomeOfPost(await client.data('GET', '/api/v1/posts/{id}', { path, signal }), dispatch);
  const attempt = attemptOf(dispatch);
  if (dispatch.outcome === 'started') return outcomeOf({ status: 'processing', ...attempt });
  if (dispatch.outcome === 'unknown') return outcomeOf({ status: 'unknown', ...attempt });
  const { updated_at: _, ...status } = await client.data('GET', '/api/v1/posts/{id}/publish-status', {
    path,
    signal,
  });
  return outcomeOf({ ...status, dispatch_id: dispatch.id });
}

/** Of a post without an attempt, or whose last attempt failed. */
function outcomeOfPost(
  { status, scheduled_at, last_publish_error }: Post,
  failed: Dispatch | undefined,
): Outcome {
  const attempt = failed ? attemptOf(failed) : {};
  // Its time has not come, or it is tried again.
  if (status === 'scheduled') return outcomeOf({ status, scheduled_at, dispatch_id: failed?.id });
  if (status === 'publishing') return outcomeOf({ status: 'processing', dispatch_id: failed?.id });
  if (!failed && last_publish_error === null) return outcomeOf({ status: 'not_sent' });
  return outcomeOf({ status: 'failed', fail_reason: last_publish_error, ...attempt });
}

const attemptOf = ({ id, publish_id, social_status, error_message }: Dispatch) => ({
  dispatch_id: id,
  publish_id,
  social_status,
  fail_reason: error_message,
});
