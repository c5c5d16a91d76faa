// Requests per minute, by organization and plan, and sign-in attempts per minute.
//
// A good plugin for this exists, but it took a tenth of a read's time (promises and a cache per request); counting takes
// a few lines.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/app.js';
import { type Count, countInMemory, tooMany } from '../app/rates.js';
import { networkOf } from '../core/networks.js';
import type { Server } from '../request/server.js';
import { hasBody } from './connections.js';

/**
 * What one address may send each minute without a key or a session: sign-ins, invitations and the platform's webhooks. Each
 * request counts for a kilobyte at least.
 */
const STRANGER_BYTES = 4 * 1024 * 1024;
const MIN_BYTES = 1024;
const MAX_BODY = 64 * 1024;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Counts one more attempt under this name, and throws a 429 problem above the limit of this window: a minute, unless said. With 0
     * for `by` it only looks.
     */
    limitTries(name: string, limit: number, by?: number, windowMs?: number): Promise<void>;
  }
}

/** A process without an App counts by itself. */
export function createTries({ config, rates }: Pick<App, 'config'> & Partial<Pick<App, 'rates'>>) {
  const count = rates?.count ?? countInMemory();
  return (name: string, limit: number, by = 1, windowMs?: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!config.rateLimit.enabled) return resolve();
      const answer = ({ used, resetMs }: Count) => (used <= limit ? resolve() : reject(tooMany(resetMs)));
      count(name, by, answer, windowMs);
    });
}

export async function limitRate(server: Server, app: App): Promise<void> {
  const { count, limitOf } = app.rates;
  if (!app.config.rateLimit.enabled) return;
  /** By what the request announces, before any of it is read. A body of unknown length counts as the longest. */
  function countBytes(request: FastifyRequest, done: (error?: Error) => void): void {
    const bytes = Number(request.headers['content-length'] ?? MAX_BODY);
    count(`bytes:${networkOf(request.ip)}`, Math.max(MIN_BYTES, bytes), ({ used, resetMs }) =>
      done(used <= STRANGER_BYTES ? undefined : tooMany(resetMs)),
    );
  }

  server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    if (request.caller === null) return isFromStranger(request) ? countBytes(request, done) : done();
    const limit = limitOf(request.caller.plan);
    count(request.caller.orgId, 1, ({ used, resetMs }) => {
      reply.header('ratelimit-limit', limit);
      reply.header('ratelimit-remaining', Math.max(0, limit - used));
      reply.header('ratelimit-reset', Math.ceil(resetMs / 1000));
      done(used <= limit ? undefined : tooMany(resetMs));
    });
  });
}

/** Uploads have signed URLs. */
const isFromStranger = ({ raw, routeOptions: { config } }: FastifyRequest) =>
  hasBody(raw) && !config.takesFile && !config.hasOwnLimits && config.access !== 'operator';
