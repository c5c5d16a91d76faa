// Caches for half a second whom a secret belongs to, so that a busy secret costs no query, and a revoked one stops
// working within a second in every process.
import { LRUCache } from 'lru-cache';

export interface TtlCache<T> {
  /** However old: it may have changed or ended since, so it permits nothing. */
  recent(hash: string): T | undefined;
  /** Synchronous on a hit. Misses are not cached. */
  find(hash: string): T | Promise<T | null>;
  forget(hash: string): void;
  clear(): void;
}

const FRESH_MS = 500;
const MAX_ENTRIES = 10_000;

export function createTtlCache<T>(lookUp: (hash: string) => Promise<T | null>): TtlCache<T> {
  const known = new LRUCache<string, { value: T; staleAt: number }>({ max: MAX_ENTRIES });
  let generation = 0;

  async function load(hash: string): Promise<T | null> {
    const [askedAt, askedIn] = [performance.now(), generation];
    const value = await lookUp(hash);
    if (value === null) {
      known.delete(hash);
      return null;
    }
    // Age is measured by the monotonic clock, from before the lookup: neither a moved clock nor a slow database may keep a
    // revoked secret alive. A lookup that began before a `forget` is not cached.
    if (askedIn === generation) known.set(hash, { value, staleAt: askedAt + FRESH_MS });
    return value;
  }

  return {
    recent: (hash) => known.peek(hash)?.value,
    find(hash) {
      const remembered = known.get(hash);
      return remembered && performance.now() < remembered.staleAt ? remembered.value : load(hash);
    },
    forget(hash) {
      generation++;
      known.delete(hash);
    },
    clear() {
      generation++;
      known.clear();
    },
  };
}
