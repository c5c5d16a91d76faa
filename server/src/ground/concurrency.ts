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

export interface Shares {
  /** How much work runs at once, of all keys together. */
  most: number;
  /** How much of it may be of one key. */
  perKey: number;
  /** How much work of one key may wait. */
  waiting: number;
}

/**
 * Work by key (an organization): those that wait take turns by key, so a key with a long line delays another one by
 * one piece of work beside those that run. Returns null if the key's line is full.
 */
export function fairly({ most, perKey, waiting }: Shares) {
  let running = 0;
  /** A ring: the key that is served moves to the end. */
  const keys = new Map<string, { running: number; line: (() => void)[] }>();

  function startNext(): void {
    for (const [key, of] of keys) {
      if (running >= most) return;
      if (of.running >= perKey) continue;
      const begin = of.line.shift();
      if (!begin) continue;
      keys.delete(key);
      keys.set(key, of);
      of.running++;
      running++;
      begin();
    }
  }

  return <T>(key: string, work: () => Promise<T>): Promise<T> | null => {
    const of = keys.get(key) ?? { running: 0, line: [] };
    if (of.line.length >= waiting && (of.running >= perKey || running >= most)) return null;
    keys.set(key, of);
    const begun = new Promise<void>((begin) => of.line.push(begin));
    startNext();
    return begun.then(work).finally(() => {
      running--;
      of.running--;
      if (of.running === 0 && of.line.length === 0) keys.delete(key);
      startNext();
    });
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
