// What every way to sign in shares: where a request comes from, and the response that begins a session.
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../core/networks.js';
import { unauthorized } from '../../core/problems.js';
import type { App } from '../../request/app.js';
import { findVisitor } from '../../request/caller.js';
import { setCookie } from '../../request/cookie.js';
import { crossOriginSignInError } from '../../request/cross-origin.js';
import type { Server } from '../../request/server.js';
import { whoAmI } from '../organizations/organizations.js';
import { sameEmail } from './people.js';
import { ABSOLUTE_MS } from './session-life.js';
import { type ClientInfo, endSession } from './sessions.js';

const TRIES_PER_ACCOUNT = 5;
/** Higher, because a whole office may share one address. */
const TRIES_PER_ADDRESS = 100;

export const clientInfoOf = (request: FastifyRequest): ClientInfo => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? null,
});

/** A hook for routes that begin a session. */
export function sameOriginHook(app: App) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    done(crossOriginSignInError(app, request));
}

/** Slows down guessing: five tries a minute per account and address, and a limit per address. */
export async function limitSignInAttempts(
  server: Server,
  request: FastifyRequest,
  account?: string,
): Promise<void> {
  await server.limitTries(`door:${networkOf(request.ip)}`, TRIES_PER_ADDRESS);
  if (account === undefined) return;
  const name = hash('sha256', sameEmail(account), 'hex');
  await server.limitTries(`door:${networkOf(request.ip)}:${name}`, TRIES_PER_ACCOUNT);
}

/** Always begins a new session. The browser's previous session ends: its cookie is replaced, so it could never be used. */
export async function replyWithSession(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  status: 200 | 201,
  token: string,
): Promise<FastifyReply> {
  const before = await findVisitor(app, request);
  if (before) await endSession(app, { ...before, address: request.ip }, before.sessionId, 'replaced');
  const session = await app.sessionCache.find(token);
  // The person was removed, or their password changed, between two statements.
  if (!session) throw unauthorized('The session has ended. Sign in again.');
  return reply
    .code(status)
    .header('set-cookie', setCookie(app.config, token, ABSOLUTE_MS))
    .send({ data: await whoAmI(app, app.db.read, session) });
}
