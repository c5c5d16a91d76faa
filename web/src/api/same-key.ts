// A request whose response never came may have taken effect. Sent again with its Idempotency-Key, it takes effect only once.
import { newId } from '../uploads/newId.js';

interface Sent {
  request: string;
  key: string;
  at: number;
}

/** Another press after that is another wish. */
const TTL_MS = 10 * 60_000;

const unanswered = new Map<string, Sent>();

/**
 * Sends a request with a key, the same as before while that one is unanswered. Of each purpose the last request counts: one
 * with another body replaces it.
 */
export async function withSameKey<T>(
  purpose: string,
  body: unknown,
  send: (key: string) => Promise<T>,
): Promise<T> {
  const request = JSON.stringify(body);
  const before = unanswered.get(purpose);
  const isRepeated = before?.request === request && Date.now() - before.at < TTL_MS;
  const sent = isRepeated ? before : { request, key: newId(), at: Date.now() };
  unanswered.set(purpose, sent);
  const forget = () => {
    if (unanswered.get(purpose) === sent) unanswered.delete(purpose);
  };
  try {
    const answer = await send(sent.key);
    forget();
    return answer;
  } catch (error) {
    if (isRefusal(error)) forget();
    throw error;
  }
}

/** An answer that says that nothing was done. While the first request still runs, its key is in use. */
function isRefusal(error: unknown): boolean {
  const { status, problem } = (error ?? {}) as { status?: number; problem?: { code?: string } };
  return status !== undefined && status >= 400 && status < 500 && problem?.code !== 'idempotency_key_in_use';
}
