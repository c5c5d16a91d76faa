// Identifies the caller of each request before its body is read, and checks the route's row in the access table. A caller is
// a key or a person with a session, never both.

import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/app.js';
import type { KnownKey, KnownSession } from '../app/known-callers.js';
import { networkOf } from '../core/networks.js';
import { AppError, forbiddenRole, forbiddenScope, unauthorized } from '../core/problems.js';
import { type Access, isOpenWithoutFactor } from './access.js';
import { cookieName, readCookie } from './cookie.js';
import { crossOriginError } from './cross-origin.js';
import { isProved, reauthenticationRequired } from './proof.js';

type KeyCaller = Pick<
  KnownKey,
  'via' | 'orgId' | 'keyId' | 'name' | 'plan' | 'trialEndsAt' | 'quotas' | 'scopes' | 'madeBy'
>;
export type SessionCaller = Pick<
  KnownSession,
  | 'via'
  | 'orgId'
  | 'sessionId'
  | 'personId'
  | 'name'
  | 'role'
  | 'plan'
  | 'trialEndsAt'
  | 'quotas'
  | 'scopes'
  | 'provedAt'
>;
export type Caller = KeyCaller | SessionCaller;

/** A caller with the address of the request, for acts that the audit log keeps. */
export type WithAddress<C extends Caller> = C & { readonly address: string };
export type CallerWithAddress = WithAddress<KeyCaller> | WithAddress<SessionCaller>;

/** What routes require that are neither public nor the operator's. */
type Guarded = Exclude<Access, 'public' | 'operator'>;
type Scope = Exclude<Guarded, 'key' | 'session'>;
type Done = (error?: Error) => void;

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public and operator routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    access?: Access;
    /** Whether the route asks for a fresh proof; see STEP_UP in access.ts. */
    stepUp?: 'always' | 'some' | undefined;
  }
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.method} ${request.routeOptions.url} has no caller`);
  return request.caller;
}

/** For routes that change something. The caller itself is cached and shared by requests, so it cannot hold the address. */
export const callerWithAddressOf = (request: FastifyRequest): CallerWithAddress => ({
  ...callerOf(request),
  address: request.ip,
});

/** The caller of a route that requires a session. */
export function personOf(request: FastifyRequest): WithAddress<SessionCaller> {
  const caller = callerOf(request);
  if (caller.via !== 'session')
    throw new Error(`${request.method} ${request.routeOptions.url} has no session`);
  return { ...caller, address: request.ip };
}

/** For permissions that depend on more than the route; called by the use case. `act` begins the sentence of the refusal. */
export function assertScope(caller: Caller, scope: Scope, act: string): void {
  if (caller.scopes.has(scope)) return;
  throw caller.via === 'key' ? forbiddenScope(scope, act) : forbiddenRole(caller.role, scope, act);
}

/** The person responsible for what this caller creates: the caller, or the maker of its key. Null: the operator made the key. */
export const responsiblePersonId = (caller: Caller): string | null =>
  caller.via === 'session' ? caller.personId : caller.madeBy;

/** The person whose cookie came with a request to a public route; null if there is none. */
export async function findVisitor(app: App, request: FastifyRequest): Promise<KnownSession | null> {
  const token = tokenOf(request, cookieName(app.config));
  return token === null ? null : app.sessionCache.find(token);
}

/**
 * A hook for every request. Fails with 401, 403, or 404 if the operator API is off. `recordRefusal` is told of each wrong operator
 * token and its address.
 */
export function identify(app: App, recordRefusal: (address: string) => Promise<void>) {
  const operatorHash = app.config.adminToken === null ? null : digest(app.config.adminToken);
  const name = cookieName(app.config);

  // With callbacks instead of async: a cached key or session then costs no promise.
  function admitKey(request: FastifyRequest, access: Guarded, secret: string | null, done: Done): void {
    if (secret === null) return done(unauthorized(access === 'session' ? SIGN_IN : SEND_KEY));
    const admit = (key: KnownKey | null): void => {
      if (key === null)
        return void countAndThrow(request, 'key', WRONG_KEYS, unauthorized(UNKNOWN_KEY)).catch(done);
      if (access === 'session') return done(forPeople());
      if (key.allows && !key.allows(request.ip)) return done(networkError(request.ip));
      app.keyCache.recordUse(key, request.ip);
      if (access !== 'key' && !key.scopes.has(access)) return done(forbiddenScope(access));
      request.caller = key;
      done();
    };
    const key = app.keyCache.find(secret);
    if (key instanceof Promise) key.then(admit, done);
    else admit(key);
  }

  function admitSession(request: FastifyRequest, access: Guarded, token: string, done: Done): void {
    const foreign = crossOriginError(app, request);
    if (foreign) return done(foreign);
    const admit = (session: KnownSession | null) => {
      if (session === null) return done(unauthorized('The session has ended. Sign in again.'));
      // All tabs of a browser share the cookie. A tab that was opened by another person must not act in this session.
      const { 'x-airdate-person': person = session.personId } = request.headers;
      if (person !== session.personId) return done(unauthorized(OTHER_PERSON));
      if (access !== 'key' && access !== 'session' && !session.scopes.has(access))
        return done(forbiddenRole(session.role, access));
      const { url = '', config } = request.routeOptions;
      if (session.lacksFactor && !isOpenWithoutFactor(url)) return done(secondFactorRequired());
      app.state.signIns.becomeFamiliar(networkOf(request.ip));
      request.caller = session;
      if (config.stepUp && !isProved(app.clock, session))
        return admitProved(request, token, config.stepUp, done);
      done();
    };
    const session = app.sessionCache.find(token);
    if (session instanceof Promise) session.then(admit, done);
    else admit(session);
  }

  /** The proof may have been given to another process a moment ago. */
  function admitProved(request: FastifyRequest, token: string, stepUp: 'always' | 'some', done: Done): void {
    void app.sessionCache.reload(token).then((session) => {
      if (!session || (stepUp === 'always' && !isProved(app.clock, session)))
        return done(reauthenticationRequired());
      request.caller = session;
      done();
    }, done);
  }

  /** The right token is never refused: wrong ones from the same network must not lock the operator out. */
  async function admitOperator(request: FastifyRequest, token: string | null): Promise<void> {
    const refusal = operatorTokenError(token, operatorHash);
    if (!refusal) return;
    if (operatorHash === null) throw refusal;
    await request.server.limitTries(`operator:${networkOf(request.ip)}`, MAX_WRONG_TOKENS);
    await recordRefusal(request.ip);
    throw refusal;
  }

  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const { access } = request.routeOptions.config;
    if (access === undefined || access === 'public') return done();
    const { secret, token } = credentialsOf(request, name);
    if (access === 'operator') return void admitOperator(request, secret).then(() => done(), done);
    if (token !== null) return admitSession(request, access, token, done);
    admitKey(request, access, secret, done);
  };
}

/**
 * Who a request counts for before anything of it is checked: the organization whose key or cookie it has, if that was used here
 * lately, else the network that it comes from.
 */
export function senderOf(app: Pick<App, 'config' | 'keyCache' | 'sessionCache'>) {
  const name = cookieName(app.config);
  return (request: FastifyRequest): string => {
    const { secret, token } = credentialsOf(request, name);
    const orgId =
      token !== null ? app.sessionCache.recentOrg(token) : secret !== null && app.keyCache.recentOrg(secret);
    return orgId || networkOf(request.ip);
  };
}

/** How many wrong tokens, or wrong keys, one address may send in a minute. */
export const MAX_WRONG_TOKENS = 10;
const WRONG_KEYS = 60;

/** Counts a wrong secret by its address, and refuses it: with a 429 above the limit. A right one is never counted or refused. */
export async function countAndThrow(
  { server, ip }: Pick<FastifyRequest, 'server' | 'ip'>,
  what: string,
  limit: number,
  refusal: AppError,
): Promise<never> {
  await server.limitTries(`${what}:${networkOf(ip)}`, limit);
  throw refusal;
}

const SIGN_IN = 'Sign in first.';
const OTHER_PERSON =
  'Someone else has signed in on this browser, so nothing was done here. Sign in again to continue as yourself.';
const SEND_KEY = 'Send an API key as "Authorization: Bearer <API_KEY>".';
const UNKNOWN_KEY = 'The API key is unknown, expired or revoked. Check it, or issue a new one.';

const networkError = (address: string) =>
  new AppError(
    'network_not_allowed',
    `This key may be used only from the networks that were chosen for it; this request comes from ${address}.`,
  );

const secondFactorRequired = () =>
  new AppError(
    'second_factor_required',
    'The organization requires a second factor. Add one under Settings → Security; until then nothing else is open to you.',
  );

const forPeople = () =>
  new AppError('forbidden', 'This route is for signed-in people; an API key has no session and no password.');

/** Whether an open stream would still be admitted. Not a use of the session: an open tab alone does not extend it. */
export async function stillAllowed(app: App, request: FastifyRequest): Promise<boolean> {
  const { access } = request.routeOptions.config;
  if (access === undefined || access === 'public' || access === 'operator') return true;
  const { secret, token } = credentialsOf(request, cookieName(app.config));
  const caller = token === null ? await app.keyCache.find(secret ?? '') : await app.sessionCache.peek(token);
  if (caller === null || (caller.via === 'session' && caller.lacksFactor)) return false;
  return access === 'key' || access === 'session' || caller.scopes.has(access);
}

function operatorTokenError(token: string | null, expected: Buffer | null): AppError | undefined {
  if (expected === null) return new AppError('not_found', 'The operator API is off: ADMIN_TOKEN is not set.');
  return timingSafeEqual(digest(token ?? ''), expected)
    ? undefined
    : unauthorized('Send the operator token as "Authorization: Bearer <ADMIN_TOKEN>".');
}

function tokenOf(request: FastifyRequest, name: string): string | null {
  const { cookie } = request.headers;
  return cookie === undefined ? null : readCookie(cookie, name);
}

/** With a key, the cookie does not count: a program in a browser acts as its key alone. */
function credentialsOf(request: FastifyRequest, name: string) {
  const header = request.headers.authorization;
  const secret = header !== undefined && /^bearer(?: |$)/i.test(header) ? header.slice(6).trim() : null;
  return { secret, token: secret === null ? tokenOf(request, name) : null };
}

const digest = (text: string) => hash('sha256', text, 'buffer');
