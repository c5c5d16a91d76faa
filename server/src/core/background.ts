// Work that outlives the request or run that started it, until it finishes or the process stops.
import { waitWithTimeout } from './concurrency.js';

export interface Background {
  /** Aborts when the process is about to stop; retries must give up then. */
  readonly stopSignal: AbortSignal;
  /** The work must not reject, and must finish soon after `ending` aborts. */
  start<T>(work: (ending: AbortSignal) => Promise<T>): Promise<T>;
  /** Tells all work to finish and waits for it, up to a limit. */
  end(): Promise<void>;
}

/** A process must exit within 18 seconds of a signal, and the worker needs most of that. */
const END_WITHIN_MS = 3_000;

export function createBackground(): Background {
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    stopSignal: ending.signal,
    start(work) {
      const ended = work(ending.signal).finally(() => running.delete(ended));
      running.add(ended);
      return ended;
    },
    async end() {
      ending.abort();
      if (running.size === 0) return;
      await waitWithTimeout(END_WITHIN_MS, Promise.allSettled(running));
    },
  };
}
