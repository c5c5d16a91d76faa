// Who is asking: finds the caller of each request before anything of it is read, and checks the route's row.
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
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

/** A hook for every request. Throws 401, 403, or (operator API switched off) the 404 of an unknown route. */
export function identify(app: App) {
  const operatorHash = app.config.adminToken === null ? null : digest(app.config.adminToken);
  return async (request: FastifyRequest): Promise<void> => {
    const { access } = request.routeOptions.config;
    if (access === undefined || access === 'public') return;
    if (access === 'operator') {
      if (operatorHash === null)
        throw new AppError('not_found', 'The operator API is off: ADMIN_TOKEN is not set.');
      if (!timingSafeEqual(digest(bearer(request) ?? ''), operatorHash))
        throw unauthorized('Send the operator token as "Authorization: Bearer <ADMIN_TOKEN>".');
      return;
    }
    const secret = bearer(request);
    if (secret === null) throw unauthorized('Send an API key as "Authorization: Bearer <API_KEY>".');
    const key = await app.keyCache.find(secret);
    if (key === null)
      throw unauthorized('The API key is unknown, expired or revoked. Check it, or issue a new one.');
    if (access !== 'key' && !key.scopes.has(access)) throw forbiddenScope(access);
    request.caller = key;
  };
}

function bearer(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  return header !== undefined && /^bearer /i.test(header) ? header.slice(7).trim() : null;
}

const digest = (text: string) => hash('sha256', text, 'buffer');
