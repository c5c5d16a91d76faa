// Work that happens at the same time: how much of it, and how long it is waited for.
import { setTimeout as delay } from 'node:timers/promises';

/** At most so many pieces of work at once; the rest wait in line, first come first served. */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const line: (() => void)[] = [];

  return async (work) => {
    if (running < limit) running++;
    else await new Promise<void>((begin) => line.push(begin));
    try {
      return await work();
    } finally {
      // The slot passes straight to the next in line, so a new call cannot overtake the ones that wait.
      const next = line.shift();
      if (next) next();
      else running--;
    }
  };
}

/**
 * Pieces of work that keep the process busy, one at a time. After so many milliseconds of them everything else is served, for as
 * long: a request of many steps, such as an upload, would otherwise wait for a piece at each step. Cheap pieces share a turn of
 * the event loop: on a busy process each turn takes long.
 */
export function inTurns(ms: number): <T>(work: () => Promise<T>) => Promise<T> {
  const one = atMost(1);
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

export interface Shares {
  /** How much work runs at once, of all keys together. */
  most: number;
  /** How much of it may be of one key. */
  perKey: number;
  /** How much work of one key may wait. */
  waiting: number;
}

export interface Place {
  /** Leaves the line when it aborts; work that has begun ends by itself. */
  signal?: AbortSignal | undefined;
  /** Waits behind a full line too, for work that is bounded elsewhere. */
  evenIfFull?: boolean;
}

export type Line = ReturnType<typeof fairly>;

/**
 * Work by key (an organization): those that wait take turns by key, so a key with a long line delays another one by
 * one piece of work beside those that run. Returns null if the key's line is full.
 */
export function fairly({ most, perKey, waiting }: Shares) {
  let running = 0;
  /** A ring: the key that is served moves to the end. */
  const keys = new Map<string, { running: number; line: Set<() => void> }>();

  function startNext(): void {
    for (const [key, of] of keys) {
      if (running >= most) return;
      if (of.running >= perKey) continue;
      const [begin] = of.line;
      if (!begin) continue;
      keys.delete(key);
      keys.set(key, of);
      of.line.delete(begin);
      of.running++;
      running++;
      begin();
    }
  }

  return <T>(
    key: string,
    work: () => Promise<T>,
    { signal, evenIfFull = false }: Place = {},
  ): Promise<T> | null => {
    const of = keys.get(key) ?? { running: 0, line: new Set() };
    const mustWait = of.running >= perKey || running >= most;
    if (mustWait && of.line.size >= waiting && !evenIfFull) return null;
    if (signal?.aborted) return Promise.reject(signal.reason);
    keys.set(key, of);
    const forget = () => {
      if (of.running === 0 && of.line.size === 0) keys.delete(key);
    };
    const begun = new Promise<void>((begin, leave) => {
      of.line.add(begin);
      signal?.addEventListener(
        'abort',
        () => {
          if (!of.line.delete(begin)) return;
          forget();
          leave(signal.reason);
        },
        { once: true },
      );
    });
    const result = begun.then(async () => {
      try {
        return await work();
      } finally {
        running--;
        of.running--;
        forget();
        startNext();
      }
    });
    startNext();
    return result;
  };
}

/** Resolves when the work has ended, or after so long; the work then goes on by itself. Fails only if the work does. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const enough = delay(ms, undefined, { signal: done.signal }).catch(() => {});
  try {
    await Promise.race([work, enough]);
  } finally {
    done.abort();
  }
}
