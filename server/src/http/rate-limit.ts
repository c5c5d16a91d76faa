// Requests per minute, by organization and plan, and sign-in attempts per minute. Counted in the process, or in Redis for
// all replicas together.
//
// A good plugin for this exists, but it took a tenth of a read's time (promises and a cache per request); counting takes
// a few lines.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../api/app.js';
import type { Server } from '../api/server.js';
import { faultOf } from '../ground/log.js';
import { networkOf } from '../ground/networks.js';
import { AppError } from '../ground/problems.js';
import { hasBody } from './connections.js';

const WINDOW_MS = 60_000;

interface Count {
  used: number;
  resetMs: number;
}

/** Adds to what is counted under a name (an organization's id, or a client without one) in the current window. */
type Counter = (name: string, by: number, answer: (count: Count) => void) => void;

/**
 * What one address may send each minute without a key or a session: sign-ins, invitations and the platform's webhooks. Each
 * request counts for a kilobyte at least.
 */
const STRANGER_BYTES = 4 * 1024 * 1024;
const LEAST_BYTES = 1024;
const LONGEST_BODY = 64 * 1024;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Counts one more attempt under this name, and throws a 429 problem above the limit of this minute. With 0 for `by` it only
     * looks.
     */
    limitTries(name: string, most: number, by?: number): Promise<void>;
  }
}

export async function limitRate(server: Server, app: App): Promise<void> {
  const { enabled, perMinute, agencyPerMinute, redisUrl } = app.config.rateLimit;
  if (!enabled) {
    server.decorate('limitTries', async () => {});
    return;
  }
  const count = redisUrl === null ? countHere() : await countInRedis(server, app, redisUrl);
  server.decorate(
    'limitTries',
    (name: string, most: number, by = 1) =>
      new Promise<void>((resolve, reject) =>
        count(name, by, ({ used, resetMs }) =>
          used <= most ? resolve() : reject(tooMany(Math.ceil(resetMs / 1000))),
        ),
      ),
  );
  /** By what the request announces, before any of it is read. A body of unknown length counts as the longest. */
  function countBytes(request: FastifyRequest, done: (error?: Error) => void): void {
    const bytes = Number(request.headers['content-length'] ?? LONGEST_BODY);
    count(`bytes:${networkOf(request.ip)}`, Math.max(LEAST_BYTES, bytes), ({ used, resetMs }) =>
      done(used <= STRANGER_BYTES ? undefined : tooMany(Math.ceil(resetMs / 1000))),
    );
  }

  server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    if (request.caller === null) return isFromStranger(request) ? countBytes(request, done) : done();
    const limit = request.caller.plan === 'agency' ? agencyPerMinute : perMinute;
    count(request.caller.orgId, 1, ({ used, resetMs }) => {
      const resetSeconds = Math.ceil(resetMs / 1000);
      reply.header('ratelimit-limit', limit);
      reply.header('ratelimit-remaining', Math.max(0, limit - used));
      reply.header('ratelimit-reset', resetSeconds);
      done(used <= limit ? undefined : tooMany(resetSeconds));
    });
  });
}

/** Uploads have signed URLs. */
const isFromStranger = ({ raw, routeOptions: { config } }: FastifyRequest) =>
  hasBody(raw) && !config.takesFile && !config.hasOwnLimits && config.access !== 'operator';

function tooMany(resetSeconds: number): AppError {
  const seconds = Math.max(1, resetSeconds);
  return new AppError('rate_limited', `Too many requests this minute. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** An organization's window starts with its first request. Expired windows are dropped from time to time. */
function countHere(): Counter {
  const windows = new Map<string, { used: number; endsAt: number }>();
  let forgetAt = 0;
  return (name, by, answer) => {
    const now = Date.now();
    let window = windows.get(name);
    // A window that ends too far ahead began before the clock was set back.
    if (!window || now >= window.endsAt || window.endsAt > now + WINDOW_MS) {
      if (now >= forgetAt) {
        for (const [id, { endsAt }] of windows) if (now >= endsAt) windows.delete(id);
        forgetAt = now + WINDOW_MS;
      }
      window = { used: 0, endsAt: now + WINDOW_MS };
      windows.set(name, window);
    }
    window.used += by;
    answer({ used: window.used, resetMs: window.endsAt - now });
  };
}

/** The window is part of the key, so that nothing needs resetting; Redis expires old keys. */
async function countInRedis(server: Server, app: App, url: string): Promise<Counter> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    commandTimeout: 250,
  });
  redis.on('error', (err) =>
    app.log.warn(faultOf(err), 'Redis does not answer; this process counts requests by itself'),
  );
  server.addHook('onClose', async () => redis.disconnect());
  const countMeanwhile = countHere();
  return (counted, by, answer) => {
    // An unreachable rate limiter must neither stop nor slow down the service it protects.
    if (redis.status !== 'ready') return countMeanwhile(counted, by, answer);
    const now = Date.now();
    const window = Math.floor(now / WINDOW_MS);
    const name = `airdate:rate:${counted}:${window}`;
    redis
      .multi()
      .incrby(name, by)
      .pexpire(name, 2 * WINDOW_MS)
      .exec()
      .then(
        (results) =>
          answer({ used: Number(results?.[0]?.[1] ?? 0), resetMs: (window + 1) * WINDOW_MS - now }),
        () => countMeanwhile(counted, by, answer),
      );
  };
}
