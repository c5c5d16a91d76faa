// Work that goes on after the request or the turn that began it has been answered, until it is done or the process ends.
import { waitAtMost } from './concurrency.js';

export interface Background {
  /** Aborts when the process is about to end: what is tried until it works is given up then. */
  readonly ending: AbortSignal;
  /** `ending` aborts when the process is about to end. The work must not fail, and must end soon after that. */
  start<T>(work: (ending: AbortSignal) => Promise<T>): Promise<T>;
  /** Asks all work to end, and waits for that; not for ever. */
  end(): Promise<void>;
}

/** A process must be gone 18 seconds after a signal, and most of that is the worker's. */
const END_WITHIN_MS = 3_000;

export function createBackground(): Background {
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    ending: ending.signal,
    start(work) {
      const ended = work(ending.signal).finally(() => running.delete(ended));
      running.add(ended);
      return ended;
    },
    async end() {
      ending.abort();
      if (running.size === 0) return;
      await waitAtMost(END_WITHIN_MS, Promise.allSettled(running));
    },
  };
}
