// One log line and one observation per request. Only the fields named here are written: no bodies, headers or queries.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../core/log.js';
import type { Caller } from '../request/caller.js';
import type { Metrics } from './metrics.js';

export function logRequest(log: Log, metrics: Metrics) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    // A stream lasts as long as its client stays connected, which says nothing about response times.
    const lasts = reply.raw.getHeader('content-type') === 'text/event-stream';
    if (!lasts) metrics.observeRequest(request, reply);
    log.info(
      {
        request_id: request.id,
        method: request.method,
        path: pathOf(request.originalUrl),
        status: reply.statusCode,
        ...(lasts ? {} : { ms: Math.round(reply.elapsedTime * 10) / 10 }),
        client_address: request.ip,
        ...(request.tool ? { tool: request.tool } : {}),
        ...(request.caller ? whoIs(request.caller) : {}),
      },
      'request',
    );
    done();
  };
}

const whoIs = (caller: Caller) =>
  caller.via === 'key'
    ? { org_id: caller.orgId, key_id: caller.keyId }
    : { org_id: caller.orgId, user_id: caller.personId };

/** Query strings and the names in slide addresses are secrets, and stay out of the log. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return path.startsWith('/media/') ? path.replace(/^\/media\/[^/]+/, '/media/*') : path;
}
