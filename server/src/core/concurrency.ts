// Concurrency limits, fair queues and timeouts.
import { setTimeout as delay } from 'node:timers/promises';
import { busy } from './problems.js';

export interface Ranks {
  /** One in this many starts goes to the caller that has waited longest, so that no rank waits for ever. */
  oldestEvery?: number;
}

/**
 * The plain limiter, for work of one kind or one organization, which waits as long as it takes: what starts next has the lowest
 * rank, and came first of that rank. Work of many organizations belongs in a fair queue.
 */
export function createLimiter(maxConcurrent: number, { oldestEvery = Number.POSITIVE_INFINITY }: Ranks = {}) {
  let running = 0;
  let started = 0;
  const waiting: { start(): void; rank: number }[] = [];

  function takeNext() {
    const isOldestDue = ++started % oldestEvery === 0;
    const first = isOldestDue ? 0 : Math.min(...waiting.map(({ rank }) => rank));
    const at = isOldestDue ? 0 : waiting.findIndex(({ rank }) => rank === first);
    return waiting.splice(at, 1)[0];
  }

  return async <T>(work: () => Promise<T>, rank = 0): Promise<T> => {
    if (running < maxConcurrent) running++;
    else await new Promise<void>((start) => waiting.push({ start, rank }));
    try {
      return await work();
    } finally {
      // The capacity passes straight to the next that waits, so a new call cannot overtake it.
      const next = waiting.length > 0 ? takeNext() : undefined;
      if (next) next.start();
      else running--;
    }
  };
}

export type Limiter = ReturnType<typeof createLimiter>;

/**
 * Pieces of work that keep the process busy, one at a time. After `ms` of them everything else is served, for as
 * long: a request of many steps, such as an upload, would otherwise wait for a piece at each step. Cheap pieces share a tick of
 * the event loop: on a busy process each tick takes long.
 */
export function createCpuThrottle(ms: number): <T>(work: () => Promise<T>) => Promise<T> {
  const one = createLimiter(1);
  let spent = 0;
  return (work) =>
    one(async () => {
      const began = performance.now();
      try {
        return await work();
      } finally {
        spent += performance.now() - began;
        if (spent >= ms) {
          const owed = spent;
          spent = 0;
          await delay(owed);
        }
      }
    });
}

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Awaited between pieces of work: after `ms` of them, it pauses, for the event loop to serve everything else once. */
export function yieldEvery(
  ms: number,
  pause: () => Promise<void> = nextTick,
): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < ms) return undefined;
    return pause().then(() => {
      began = performance.now();
    });
  };
}

/** How long the event loop takes to serve everything else once, on the average of the last pauses. */
export class LoopDelay {
  ms = 0;

  readonly pause = async (): Promise<void> => {
    const began = performance.now();
    await nextTick();
    this.ms = (this.ms + performance.now() - began) / 2;
  };
}

export interface FairQueueLimits {
  /** How much work runs at the same time, of all keys together. */
  maxConcurrent: number;
  /** How much of it may be of one key. */
  perKey: number;
  /** How much work of one key may wait. */
  maxQueuedPerKey?: number;
  /** How much of all keys together may wait. Beyond it, the newest piece of the key with the longest queue gives way. */
  maxQueued?: number;
  /** Why work is refused when the queue is full, and after how many seconds to try again. */
  busy?: readonly [detail: string, seconds: number];
}

export interface EnqueueOptions {
  /** Leaves the queue when it aborts; work that has begun ends by itself. */
  signal?: AbortSignal | undefined;
  /** Waits behind a full queue too, for work that is bounded elsewhere. */
  ignoreQueueLimit?: boolean;
}

export type FairQueue = ReturnType<typeof createFairQueue>;

interface Waiter {
  begin(): void;
  leave(reason: unknown): void;
}

/**
 * The fair queue, for work of many organizations, by key: keys take turns, so a key with a long queue delays another one by one
 * piece of work beside those that run. Rejects with 503 `busy` if the queue is full, or if the work has given way in it.
 */
export function createFairQueue({
  maxConcurrent,
  perKey,
  maxQueuedPerKey = Number.POSITIVE_INFINITY,
  maxQueued = Number.POSITIVE_INFINITY,
  busy: [detail, seconds] = ['The queue is full. Try again in a moment.', 1],
}: FairQueueLimits) {
  let running = 0;
  let queued = 0;
  /** A ring: the key that is served moves to the end. */
  const keys = new Map<string, { running: number; queue: Set<Waiter> }>();

  function startNext(): void {
    for (const [key, of] of keys) {
      if (running >= maxConcurrent) return;
      if (of.running >= perKey) continue;
      const [next] = of.queue;
      if (!next) continue;
      keys.delete(key);
      keys.set(key, of);
      of.queue.delete(next);
      queued--;
      of.running++;
      running++;
      next.begin();
    }
  }

  /** For a key with this many in its queue: it must not get longer than the one that gives way. */
  function evictNewestWaiter(own: number): boolean {
    let longest: Set<Waiter> | undefined;
    for (const { queue } of keys.values()) if (queue.size > (longest?.size ?? own + 1)) longest = queue;
    const newest = [...(longest ?? [])].at(-1);
    newest?.leave(busy(detail, seconds));
    return newest !== undefined;
  }

  return async <T>(
    key: string,
    work: () => Promise<T>,
    { signal, ignoreQueueLimit = false }: EnqueueOptions = {},
  ): Promise<T> => {
    signal?.throwIfAborted();
    const of = keys.get(key) ?? { running: 0, queue: new Set() };
    const mustWait = of.running >= perKey || running >= maxConcurrent;
    if (mustWait && !ignoreQueueLimit) {
      const isFull =
        of.queue.size >= maxQueuedPerKey || (queued >= maxQueued && !evictNewestWaiter(of.queue.size));
      if (isFull) throw busy(detail, seconds);
    }
    keys.set(key, of);
    const forget = () => {
      if (of.running === 0 && of.queue.size === 0) keys.delete(key);
    };
    const begun = new Promise<void>((begin, refuse) => {
      const waiter: Waiter = {
        begin,
        leave(reason) {
          if (!of.queue.delete(waiter)) return;
          queued--;
          forget();
          refuse(reason);
        },
      };
      of.queue.add(waiter);
      queued++;
      signal?.addEventListener('abort', () => waiter.leave(signal.reason), { once: true });
    });
    startNext();
    await begun;
    try {
      return await work();
    } finally {
      running--;
      of.running--;
      forget();
      startNext();
    }
  };
}

/** Calls by key, of which one runs at a time: those that come meanwhile share its answer. */
export function createSingleFlight() {
  const running = new Map<string, Promise<unknown>>();
  return <T>(key: string, call: () => Promise<T>): Promise<T> => {
    const open = running.get(key) as Promise<T> | undefined;
    if (open) return open;
    const answer = call().finally(() => running.delete(key));
    running.set(key, answer);
    return answer;
  };
}

export type SingleFlight = ReturnType<typeof createSingleFlight>;

/** Fails when the signal aborts. The work then goes on by itself. */
export function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Waits until the work has ended, or for `ms`; the work then continues by itself. Fails only if the work does. Returns whether it ended. */
export async function waitWithTimeout(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const enough = delay(ms, false, { signal: done.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), enough]);
  } finally {
    done.abort();
  }
}

/**
 * A call of which at most one is in flight. Calls that come meanwhile share its answer and its deadline: once that has passed,
 * they get `late` immediately, until the question is answered or fails.
 */
export function singleFlightWithTimeout<T>(
  withinMs: number,
  late: T,
  ask: () => Promise<T>,
): () => Promise<T> {
  let open: Promise<T> | undefined;
  return () => {
    if (open) return open;
    const answered = new AbortController();
    const answer = ask().finally(() => {
      open = undefined;
      answered.abort();
    });
    const tooLate = delay(withinMs, late, answered);
    tooLate.catch(() => {});
    open = Promise.race([answer, tooLate]);
    return open;
  };
}
