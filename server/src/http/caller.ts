// Who is asking: finds the caller of each request before anything of it is read, and checks the route's row.
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.js';
import type { KnownKey } from '../keys/key-cache.js';
import { AppError, forbiddenScope, unauthorized } from '../problems.js';
import type { Access } from './access.js';

export type Caller = Pick<KnownKey, 'orgId' | 'keyId' | 'plan' | 'trialEndsAt' | 'scopes'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public and operator routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    access?: Access;
  }
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.method} ${request.routeOptions.url} has no caller`);
  return request.caller;
}

/** A hook for every request. Fails with 401, 403, or (operator API switched off) the 404 of an unknown route. */
export function identify(app: App) {
  const operatorHash = app.config.adminToken === null ? null : digest(app.config.adminToken);
  // With a callback and not async: a remembered key then costs no promise.
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const { access } = request.routeOptions.config;
    if (access === undefined || access === 'public') return done();
    const secret = bearer(request);
    if (access === 'operator') return done(refuseOperator(secret, operatorHash));
    if (secret === null) return done(unauthorized('Send an API key as "Authorization: Bearer <API_KEY>".'));
    const admit = (key: KnownKey | null) => {
      if (key === null)
        return done(
          unauthorized('The API key is unknown, expired or revoked. Check it, or issue a new one.'),
        );
      if (access !== 'key' && !key.scopes.has(access)) return done(forbiddenScope(access));
      request.caller = key;
      done();
    };
    const key = app.keyCache.find(secret);
    if (key instanceof Promise) key.then(admit, done);
    else admit(key);
  };
}

function refuseOperator(token: string | null, expected: Buffer | null): AppError | undefined {
  if (expected === null) return new AppError('not_found', 'The operator API is off: ADMIN_TOKEN is not set.');
  return timingSafeEqual(digest(token ?? ''), expected)
    ? undefined
    : unauthorized('Send the operator token as "Authorization: Bearer <ADMIN_TOKEN>".');
}

function bearer(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  return header !== undefined && /^bearer /i.test(header) ? header.slice(7).trim() : null;
}

const digest = (text: string) => hash('sha256', text, 'buffer');
