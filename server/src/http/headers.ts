// Headers on every response: the request id, browser restrictions, and which other origins may call.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';
import { STORAGE_PATH } from '../object-store/object-store.js';

const ALLOWED_METHODS = 'GET, POST, PATCH, DELETE';
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID';
const EXPOSED_HEADERS =
  'ETag, Location, Retry-After, X-Request-Id, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Deprecation, Sunset, Link';

/** Sets the headers that every response has, whatever becomes of its request. */
export function setHeaders(config: Config) {
  const always: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    ...(config.publicUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  };
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    reply.headers(always);
    reply.header('x-request-id', request.id);
    done();
  };
}

/** Adds a header by which responses differ. */
export function varyBy(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? header : `${others}, ${header}`);
}

export function allowOrigins(config: Config) {
  const origins = new Set(config.corsOrigins);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    // Signed URLs allow every origin and set their own headers.
    const isOurs = !request.url.startsWith(STORAGE_PATH);
    if (origins.size > 0 && isOurs && replyToPreflight(request, reply, origins)) return;
    done();
  };
}

/** Sets the CORS headers of an allowed origin. Returns true if it answered a preflight request. */
function replyToPreflight(request: FastifyRequest, reply: FastifyReply, origins: Set<string>): boolean {
  const { origin } = request.headers;
  reply.header('vary', 'Origin');
  if (origin === undefined || !origins.has(origin)) return false;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
    return false;
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': '600',
    })
    .send();
  return true;
}
