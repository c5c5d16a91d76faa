// One line and one observation per request. Only what is named here is written: no bodies, headers or query strings.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.js';
import type { Metrics } from './metrics.js';

export function logRequest(log: Log, metrics: Metrics) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    metrics.observeRequest(request, reply);
    log.info(
      {
        request_id: request.id,
        method: request.method,
        path: pathOf(request.originalUrl),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.caller ? { org_id: request.caller.orgId, key_id: request.caller.keyId } : {}),
      },
      'request',
    );
    done();
  };
}

/** Query strings stay out of the log, and so do the names in addresses of pictures: both are secrets. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return path.startsWith('/media/') ? path.replace(/^\/media\/[^/]+/, '/media/*') : path;
}
