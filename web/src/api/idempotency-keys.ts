// A request whose response never came may have taken effect. Sent again with its Idempotency-Key, it takes effect only once.

/** Unlike crypto.randomUUID, also available when the dashboard is served over plain http. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

interface Sent {
  request: string;
  key: string;
  at: number;
}

/** A click after this long counts as a new request. */
const TTL_MS = 10 * 60_000;

const unanswered = new Map<string, Sent>();

/**
 * Sends a request with a key, the same as before while that one is unanswered. Of each purpose the last request counts: one
 * with another body replaces it.
 */
export async function withIdempotencyKey<T>(
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

/** Keys of requests about several posts, of which many may be unanswered. */
export interface KeysOfMany<Body extends { ids: string[] }> {
  keyFor: (body: Body) => string;
  /** The API has refused the request: the next try is a new one. */
  forget: (body: Body) => void;
  /**
   * The request has taken effect. An unanswered one on the same posts is over: if a member makes it again, it is a new request,
   * but its old key would bring back the old response.
   */
  succeeded: (body: Body) => void;
}

export function createIdempotencyKeys<Body extends { ids: string[] }>(newKey = newId): KeysOfMany<Body> {
  const waiting = new Map<string, { key: string; ids: string[] }>();
  const nameOf = (body: Body) => JSON.stringify(body);
  return {
    keyFor(body) {
      const known = waiting.get(nameOf(body)) ?? { key: newKey(), ids: body.ids };
      waiting.set(nameOf(body), known);
      return known.key;
    },
    forget: (body) => void waiting.delete(nameOf(body)),
    succeeded(body) {
      for (const [name, { ids }] of waiting)
        if (ids.some((id) => body.ids.includes(id))) waiting.delete(name);
    },
  };
}
