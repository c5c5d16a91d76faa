// The id of each request: our own, or the one that a trusted proxy has given it.
import type { IncomingMessage } from 'node:http';
import { createTrust } from '../core/networks.js';

/** Nothing that could be mistaken for another field of a log line, and not too long for one. */
const ACCEPTABLE = /^[\w.:-]{8,64}$/;

export function requestIds(trustedProxies: readonly string[]): (request?: IncomingMessage) => string {
  const isTrusted = createTrust(trustedProxies);
  const newId = ownIds();
  return (request) => {
    const given = request?.headers['x-request-id'];
    if (typeof given !== 'string' || !ACCEPTABLE.test(given)) return newId();
    return isTrusted(request?.socket.remoteAddress) ? given : newId();
  };
}

/** Short and unique in practice: a random prefix per process, then a count. */
function ownIds(): () => string {
  const start = Math.random().toString(36).slice(2, 10).padEnd(8, '0');
  let count = 0;
  return () => `req_${start}${(count++).toString(36)}`;
}
