// What is counted per minute, by name: the requests of an organization, and what strangers try. In the process, or in Redis for all
// replicas together. What strangers may cause rarely, such as mail, is counted per hour.
import type { Config } from '../config/config.js';
import { MINUTE_MS } from '../core/durations.js';
import { type Log, toLogFields } from '../core/log.js';
import { AppError } from '../core/problems.js';

/** How long Redis is left alone after it did not answer in time: each try costs a request the whole time limit. */
const REDIS_COOLDOWN_MS = 5_000;

export interface Count {
  used: number;
  resetMs: number;
}

/** Adds to what is counted under a name (an organization's id, or a client without one) in the current window: a minute, unless said. */
type Counter = (name: string, by: number, answer: (count: Count) => void, windowMs?: number) => void;

export interface Rates {
  readonly count: Counter;
  limitOf(plan: string): number;
  /** Work beyond the request itself, in requests. Rejects with a 429 problem above the limit of this minute. */
  charge(orgId: string, plan: string, by: number): Promise<void>;
  /** Whether this process counts by itself although it should count in Redis. */
  isLocal(): boolean;
  close(): void;
}

export async function openRateCounters({ rateLimit }: Config, log: Log): Promise<Rates> {
  const { enabled, perMinute, agencyPerMinute, redisUrl } = rateLimit;
  const limitOf = (plan: string) => (plan === 'agency' ? agencyPerMinute : perMinute);
  const { count, isLocal, close } =
    enabled && redisUrl !== null
      ? await countInRedis(log, redisUrl)
      : { count: countInMemory(), isLocal: () => false, close: () => {} };
  return {
    count,
    limitOf,
    charge: (orgId, plan, by) =>
      new Promise((resolve, reject) => {
        if (!enabled) return resolve();
        count(orgId, by, ({ used, resetMs }) =>
          used <= limitOf(plan) ? resolve() : reject(tooMany(resetMs)),
        );
      }),
    isLocal,
    close,
  };
}

export function tooMany(resetMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return new AppError('rate_limited', `Too many requests. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** An organization's window starts with its first request. Expired windows are dropped from time to time. */
export function countInMemory(): Counter {
  const windows = new Map<string, { used: number; endsAt: number }>();
  let forgetAt = 0;
  return (name, by, answer, windowMs = MINUTE_MS) => {
    const now = Date.now();
    let window = windows.get(name);
    // A window that ends too far ahead began before the clock was set back.
    if (!window || now >= window.endsAt || window.endsAt > now + windowMs) {
      if (now >= forgetAt) {
        for (const [id, { endsAt }] of windows) if (now >= endsAt) windows.delete(id);
        forgetAt = now + MINUTE_MS;
      }
      window = { used: 0, endsAt: now + windowMs };
      windows.set(name, window);
    }
    window.used += by;
    answer({ used: window.used, resetMs: window.endsAt - now });
  };
}

/** The window is part of the key, so that nothing needs resetting; Redis expires old keys. */
async function countInRedis(log: Log, url: string): Promise<Pick<Rates, 'count' | 'isLocal' | 'close'>> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    commandTimeout: 250,
  });
  redis.on('error', (err) =>
    log.warn(toLogFields(err), 'Redis does not answer; this process counts requests by itself'),
  );
  const countMeanwhile = countInMemory();
  let aloneUntil = 0;
  const isLocal = () => redis.status !== 'ready' || performance.now() < aloneUntil;
  const count: Counter = (counted, by, answer, windowMs = MINUTE_MS) => {
    // An unreachable rate limiter must neither stop nor slow down the service it protects.
    if (isLocal()) return countMeanwhile(counted, by, answer, windowMs);
    const now = Date.now();
    const window = Math.floor(now / windowMs);
    const name = `airdate:rate:${counted}:${window}`;
    redis
      .multi()
      .incrby(name, by)
      .pexpire(name, 2 * windowMs)
      .exec()
      .then(
        (results) => answer({ used: Number(results?.[0]?.[1] ?? 0), resetMs: (window + 1) * windowMs - now }),
        (err) => {
          if (performance.now() >= aloneUntil)
            log.warn(toLogFields(err), 'Redis does not answer; this process counts requests by itself');
          aloneUntil = performance.now() + REDIS_COOLDOWN_MS;
          countMeanwhile(counted, by, answer, windowMs);
        },
      );
  };
  return { count, isLocal, close: () => redis.disconnect() };
}
