// One HTTP exchange with a deadline, which tells whether the request can have arrived.
//
// Not fetch: it hides whether a connection was made, and that is the difference between "send again" and "never send
// again". Redirects are not followed: they count as responses like any other.
import http from 'node:http';
import https from 'node:https';
import type { Writable } from 'node:stream';

/** More than any response of the platform has. */
const MAX_BYTES = 1024 * 1024;

/** not_sent: no connection was made. lost: it may have arrived, but no response came. malformed: an unusable response. */
export type Fault = 'not_sent' | 'lost' | 'malformed';

export interface Exchange {
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  /** Text, or a function that writes the body; if that fails, the exchange is aborted. */
  body?: string | ((request: Writable) => Promise<void>);
  /**
   * Uses a new connection. The other side may just have closed a kept-alive one, and then it is unknown whether the request
   * arrived: harmless for a query, costly for an init.
   */
  isFresh: boolean;
}

export type Raw =
  | { status: number; headers: http.IncomingHttpHeaders; text: string; isWhole: boolean }
  | { fault: Fault };

const keepAliveAgents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
};

/** Never rejects. Ends with the signal, whatever the other side does, unless the answer has arrived by then. */
export function exchange(
  url: URL,
  { method, headers, body, isFresh }: Exchange,
  signal: AbortSignal,
): Promise<Raw> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ fault: 'not_sent' });
    const isSecure = url.protocol === 'https:';
    const agent = isFresh ? false : keepAliveAgents[isSecure ? 'https:' : 'http:'];
    const request = (isSecure ? https : http).request(url, { method, headers, agent });
    let mayHaveArrived = false;
    const settle = (raw: Raw) => {
      signal.removeEventListener('abort', stop);
      resolve(raw);
      if (!request.writableFinished) request.destroy();
    };
    const fail = () => settle({ fault: mayHaveArrived ? 'lost' : 'not_sent' });
    // The answer may have arrived while the process was paused beyond the deadline. What was not sent by then stays unsent.
    const stop = () => (mayHaveArrived ? afterReading(abort) : abort());
    const abort = () => request.destroy(new Error('the call was aborted'));
    signal.addEventListener('abort', stop);

    request.on('error', fail);
    request.on('socket', (socket) => {
      if (request.reusedSocket) mayHaveArrived = true;
      // Until then no byte of the request has left: DNS, connection and certificate errors come earlier.
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (mayHaveArrived = true));
    });
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const answer = (isWhole: boolean) => {
        const { statusCode: status = 0, headers } = response;
        settle({ status, headers, text: isWhole ? Buffer.concat(parts).toString() : '', isWhole });
      };
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes <= MAX_BYTES) return parts.push(part);
        answer(false);
        response.destroy();
      });
      response.on('end', () => answer(true));
      response.on('error', fail);
      response.on('close', fail);
    });

    if (typeof body === 'function')
      body(request).catch(() => {
        // A response that came before the last byte still counts.
        if (!request.destroyed) request.destroy(new Error('the body could not be written'));
      });
    else request.end(body);
  });
}

/**
 * Acts after the event loop has read what has arrived by now: a process that was paused finds its expired timer before the bytes.
 * Connectors import nothing; core/outbound/outbound.ts does the same for other requests.
 */
function afterReading(act: () => void, rounds = 4): void {
  setImmediate(() => (rounds > 1 ? afterReading(act, rounds - 1) : act()));
}

/** The header's delay in milliseconds; undefined if it is missing or unreadable. */
export function retryAfterMs({ 'retry-after': header }: http.IncomingHttpHeaders): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,6}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
