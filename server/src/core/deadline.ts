// How long a request waits for files that are inspected, converted or joined.
import { rejectOnAbort } from './concurrency.js';
import { busy } from './problems.js';

/**
 * The server closes a connection on which nothing has moved for 120 s (`connectionTimeout`). A request that waits in a queue is
 * answered before that.
 */
const QUEUE_TIMEOUT_MS = 100_000;

/**
 * Fails with 503 when the request has waited long enough. What has begun then continues by itself; by the signal, work can
 * refrain from beginning more.
 */
export async function withDeadline<T>(
  work: (deadline: AbortSignal) => Promise<T>,
  ms = QUEUE_TIMEOUT_MS,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(
    () =>
      deadline.abort(busy('Too many files are waiting to be inspected or converted. Try again later.', 5)),
    ms,
  ).unref();
  try {
    return await rejectOnAbort(deadline.signal, work(deadline.signal));
  } finally {
    clearTimeout(timer);
  }
}
