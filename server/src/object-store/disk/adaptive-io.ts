// Short operations of the file system run synchronously while the disk is fast, and in the thread pool after a slow one.
//
// A step through the thread pool takes microseconds by itself, but it waits behind pictures being decoded, and then for its
// turn in the event loop. A slow disk must not block the process.

/** Runs one of the two variants of an operation. */
export type Run = <T>(synchronously: () => T, inPool: () => Promise<T>) => Promise<T>;

/** Far above what a local disk needs, even for a flush, so that a busy processor does not look like a slow disk. */
const SLOW_MS = 50;
const IN_POOL_MS = 60_000;

export function createAdaptiveIo(now = () => performance.now()): Run {
  let poolUntil = Number.NEGATIVE_INFINITY;
  return async (synchronously, inPool) => {
    const began = now();
    if (began < poolUntil) return inPool();
    try {
      return synchronously();
    } finally {
      if (now() - began > SLOW_MS) poolUntil = now() + IN_POOL_MS;
    }
  };
}
