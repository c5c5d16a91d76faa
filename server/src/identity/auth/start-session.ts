// What every way to sign in shares: where a request comes from, and the response that begins a session.
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/app.js';
import { networkOf } from '../../core/networks.js';
import { unauthorized } from '../../core/problems.js';
import { findVisitor } from '../../request/caller.js';
import { setCookie } from '../../request/cookie.js';
import { crossOriginSignInError } from '../../request/cross-origin.js';
import { whenGone } from '../../request/when-gone.js';
import { whoAmI } from '../organizations/organizations.js';
import type { Admission } from './factors/tickets.js';
import { sameEmail } from './people.js';
import { ABSOLUTE_MS, type ClientInfo, endSession } from './sessions.js';

const TRIES_PER_ACCOUNT = 5;
/** Higher, because a whole office may share one address. */
const TRIES_PER_ADDRESS = 100;

/** A hook for routes that begin a session. */
export function sameOriginHook(app: App) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    done(crossOriginSignInError(app, request));
}

/** Slows down guessing: five tries a minute per account and address, and a limit per address. */
export async function limitSignInAttempts(
  { server, ip }: Pick<FastifyRequest, 'server' | 'ip'>,
  account?: string,
): Promise<void> {
  await server.limitTries(`door:${networkOf(ip)}`, TRIES_PER_ADDRESS);
  if (account === undefined) return;
  const name = hash('sha256', sameEmail(account), 'hex');
  await server.limitTries(`door:${networkOf(ip)}:${name}`, TRIES_PER_ACCOUNT);
}

/**
 * What a route does that begins a session, unless the person is asked for a second factor first. The session is always a new one. The browser's previous
 * session ends: its cookie is replaced, so it could never be used.
 */
export const replyWithSession =
  <Body>(
    app: App,
    status: 200 | 201,
    begin: (app: App, body: Body, client: ClientInfo) => Promise<Admission>,
    accountIn: (body: Body) => string | undefined | Promise<string | undefined> = () => undefined,
  ) =>
  async (request: FastifyRequest & { body: Body }, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, ip, headers } = request;
    await limitSignInAttempts(request, await accountIn(body));
    const admission = await begin(app, body, {
      ip,
      userAgent: headers['user-agent'] ?? null,
      gone: whenGone(reply),
    });
    if ('ticket' in admission) return reply.code(202).send({ data: admission.ticket });
    const { token } = admission;
    const before = await findVisitor(app, request);
    if (before) await endSession(app, { ...before, address: ip }, before.sessionId, 'replaced');
    const session = await app.sessionCache.find(token);
    // The person was removed, or their password changed, between two statements.
    if (!session) throw unauthorized('The session has ended. Sign in again.');
    // What was created is the person behind the new session.
    if (status === 201) reply.header('location', '/api/v1/me');
    return reply
      .code(status)
      .header('set-cookie', setCookie(app.config, token, ABSOLUTE_MS))
      .send({ data: await whoAmI(app, app.db.read, session) });
  };
