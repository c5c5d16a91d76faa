// Remembers for half a second who is behind a secret, so that a busy one costs no query, and one that no longer works
// is refused within a second in every process.

export interface TtlCache<T> {
  /** At once if it is remembered. What was not found is not remembered. */
  find(hash: string): T | Promise<T | null>;
  forget(hash: string): void;
  clear(): void;
}

const FRESH_MS = 500;
const MOST = 10_000;

export function createTtlCache<T>(lookUp: (hash: string) => Promise<T | null>): TtlCache<T> {
  const known = new Map<string, { value: T; staleAt: number }>();
  let generation = 0;

  async function load(hash: string): Promise<T | null> {
    const [askedAt, askedIn] = [performance.now(), generation];
    const value = await lookUp(hash);
    if (value === null) {
      known.delete(hash);
      return null;
    }
    if (known.size >= MOST) known.clear();
    // Freshness is counted by the process's own steady clock, from before the look-up: neither a moved clock nor a slow
    // database may keep alive what was revoked. What was looked up before somebody forgot is not remembered.
    if (askedIn === generation) known.set(hash, { value, staleAt: askedAt + FRESH_MS });
    return value;
  }

  return {
    find(hash) {
      const remembered = known.get(hash);
      return remembered !== undefined && performance.now() < remembered.staleAt
        ? remembered.value
        : load(hash);
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
