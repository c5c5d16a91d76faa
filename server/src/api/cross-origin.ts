// A browser sends the session's cookie whoever made it ask. What changes something must therefore come from our own pages:
// they name themselves in a header that other origins may not send, and browsers say where a request comes from.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../ground/problems.js';
import type { App } from './app.js';

const READS = new Set(['GET', 'HEAD']);

/** For a request with the cookie. Undefined: nothing is wrong with it. */
export function refuseForeignPage(app: App, request: FastifyRequest): AppError | undefined {
  if (READS.has(request.method)) return undefined;
  const { origin, 'x-airdate': page } = request.headers;
  return page === 'dashboard' && origin !== undefined && isOwnOrigin(app, origin, request.headers.host)
    ? undefined
    : crossOrigin();
}

/** For a request that begins a session: without a cookie there is nothing to abuse, but nobody else may sign people in. */
export function refuseForeignOrigin(app: App, request: FastifyRequest): AppError | undefined {
  const { origin, host } = request.headers;
  return READS.has(request.method) || origin === undefined || isOwnOrigin(app, origin, host)
    ? undefined
    : crossOrigin();
}

/** PUBLIC_URL's, or that of the address the request came to: `localhost` and 127.0.0.1 are both this server. */
function isOwnOrigin(app: App, origin: string, host: string | undefined): boolean {
  const { publicUrl } = app.address;
  if (origin === new URL(publicUrl).origin) return true;
  if (host === undefined) return false;
  // Behind TLS a page that came without it could be anybody's.
  return origin === `https://${host}` || (!publicUrl.startsWith('https:') && origin === `http://${host}`);
}

const crossOrigin = () =>
  new AppError(
    'forbidden',
    'This is a cross-origin request. With a session, changes are taken from the dashboard alone: send "X-Airdate: dashboard" and an Origin that is this server (if it is, PUBLIC_URL is not the address that people use). Programs use an API key.',
  );
