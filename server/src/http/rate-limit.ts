// Requests per minute, per organization and plan. Counted in the process, or in Redis for all replicas together.
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { App } from '../app.js';
import { AppError } from '../problems.js';
import type { Server } from './server.js';

export async function limitRate(server: Server, app: App): Promise<void> {
  const { enabled, perMinute, agencyPerMinute, redisUrl } = app.config.rateLimit;
  if (!enabled) return;
  const options: RateLimitPluginOptions = {
    global: true,
    timeWindow: 60_000,
    keyGenerator: (request) => request.caller?.orgId ?? '',
    allowList: (request: FastifyRequest) => request.caller === null,
    max: (request) => (request.caller?.plan === 'agency' ? agencyPerMinute : perMinute),
    enableDraftSpec: true,
    cache: 10_000,
    // A limiter that cannot be asked must not stop the service it protects.
    skipOnError: true,
    errorResponseBuilder: (_request, { ttl }) => {
      const seconds = Math.max(1, Math.ceil(ttl / 1000));
      return new AppError('rate_limited', `Too many requests this minute. Try again in ${seconds} s.`, {
        headers: { 'retry-after': String(seconds) },
      });
    },
  };
  if (redisUrl !== null) {
    const { Redis } = await import('ioredis');
    const redis = new Redis(redisUrl, {
      maxRetriesPerRequest: 1,
      connectTimeout: 1_000,
      enableOfflineQueue: false,
    });
    redis.on('error', (err) => app.log.warn({ err }, 'Redis cannot be asked; rate limits are not counted'));
    server.addHook('onClose', async () => redis.disconnect());
    options.redis = redis;
    options.nameSpace = 'airdate:rate:';
  }
  await server.register(rateLimit, options);
}
