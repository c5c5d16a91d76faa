// A browser sends the session cookie whichever page made the request. A request that changes something must therefore come
// from our own pages: they send a header that other origins may not send, and browsers add the request's origin.
import type { FastifyRequest } from 'fastify';
import type { App } from '../app/app.js';
import { AppError } from '../core/problems.js';

const READS = new Set(['GET', 'HEAD']);

/** Why a request with the session cookie must be refused; undefined if it is acceptable. */
export function crossOriginError(app: App, request: FastifyRequest): AppError | undefined {
  if (READS.has(request.method)) return undefined;
  const { origin, 'x-airdate': page } = request.headers;
  return page === 'dashboard' && origin !== undefined && isOwnOrigin(app, origin, request.headers.host)
    ? undefined
    : crossOrigin();
}

/** For a request that begins a session: there is no cookie to abuse yet, but another site must not sign people in. */
export function crossOriginSignInError(app: App, request: FastifyRequest): AppError | undefined {
  const { origin, host } = request.headers;
  return READS.has(request.method) || origin === undefined || isOwnOrigin(app, origin, host)
    ? undefined
    : crossOrigin();
}

/** PUBLIC_URL's origin, or that of the address the request was sent to: `localhost` and 127.0.0.1 are both this server. */
function isOwnOrigin(app: App, origin: string, host: string | undefined): boolean {
  const { publicUrl } = app.urls;
  if (origin === new URL(publicUrl).origin) return true;
  if (host === undefined) return false;
  // Behind TLS, a page that was loaded without it may come from an attacker.
  return origin === `https://${host}` || (!publicUrl.startsWith('https:') && origin === `http://${host}`);
}

const crossOrigin = () =>
  new AppError(
    'forbidden',
    'This is a cross-origin request. With a session, only the dashboard may make changes: send "X-Airdate: dashboard" and an Origin that is this server. If it is, PUBLIC_URL is not the address that people use. Programs use an API key.',
  );
