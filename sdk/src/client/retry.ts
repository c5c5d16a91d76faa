// Which failures are worth another try, and when.
import { type AirdateError, OutcomeUnknown, Unreachable } from './errors.js';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** Longer Retry-After values are not waited for; the error is thrown to the caller. */
const MAX_WAIT_SECONDS = 30;

const PASSING = [0, 408, 429, 502, 503, 504];

/** Nothing was sent: there was no connection to send it through. Each runtime has its own word for it. */
const NEVER_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ConnectionRefused|tcp connect error|dns error/;

export const isTransient = (error: AirdateError): boolean =>
  PASSING.includes(error.status) || error.code === 'idempotency_key_in_use';

/** How long to wait before the next try; undefined if there is none. */
export function retryDelayMs(attempt: number, { retryAfter }: AirdateError): number | undefined {
  if (retryAfter !== undefined && retryAfter > MAX_WAIT_SECONDS) return undefined;
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return Math.max(pause, (retryAfter ?? 0) * 1000);
}

/** Whether the request may have taken effect although no answer says so. */
export function mayHaveTakenEffect(error: AirdateError): boolean {
  if (error instanceof Unreachable) return !NEVER_CONNECTED.test(wordsOf(error.cause));
  if (error.code === 'idempotency_key_in_use') return true;
  // The service itself says that nothing was sent by 503 or 507; a proxy does not know.
  return error.status >= 500 && !(error.problem && (error.status === 503 || error.status === 507));
}

/** Whether a failure tells what became of an earlier try with the same key, whose answer was lost. */
export const settlesEarlierTries = ({ status, code, problem }: AirdateError): boolean =>
  problem !== undefined &&
  (code === 'platform_unavailable' ||
    ([400, 404, 409, 422].includes(status) && code !== 'idempotency_key_in_use'));

/** The failure of a publish of which no answer tells the outcome. */
export const unknownOutcome = (cause: AirdateError): OutcomeUnknown => {
  const detail = cause.problem?.detail ?? `${cause.message} The post may or may not have been published.`;
  const code = cause.problem?.code ?? 'outcome_unknown';
  const { problem, idempotencyKey } = cause;
  const error = new OutcomeUnknown(detail, code, { problem, idempotencyKey, cause });
  return Object.assign(error, { status: cause.status, requestId: cause.requestId });
};

function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const { code = '' } = cause as { code?: string };
  const all = (cause as { errors?: unknown[] }).errors?.map(wordsOf) ?? [];
  return [code, cause.message, wordsOf(cause.cause), ...all].join(' ');
}

/** Waits; rejects with the reason of the signal when that is aborted. */
export function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
