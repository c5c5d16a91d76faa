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
