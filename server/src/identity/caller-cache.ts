// Recognizes the secrets of callers, with at most one lookup every half second each (see core/ttl-cache.ts).
import { createTtlCache } from '../core/ttl-cache.js';
import { hashSecret } from './hash-secret.js';

interface Recognition<Found> {
  isWellFormed(secret: string): boolean;
  lookUp(hash: string): Promise<Found | null>;
  hasEnded(found: Found): boolean;
  recordUse?(found: Found): void;
}

export function createCallerCache<Found extends { orgId: string }>({
  isWellFormed,
  lookUp,
  hasEnded,
  recordUse,
}: Recognition<Found>) {
  const memory = createTtlCache(lookUp);

  function find(secret: string, use: (found: Found) => void): Found | null | Promise<Found | null> {
    if (!isWellFormed(secret)) return null;
    const take = (found: Found | null) => {
      if (found === null || hasEnded(found)) return null;
      use(found);
      return found;
    };
    const found = memory.find(hashSecret(secret));
    return found instanceof Promise ? found.then(take) : take(found);
  }

  return {
    find: (secret: string) => find(secret, recordUse ?? (() => {})),
    peek: (secret: string) => find(secret, () => {}),
    recentOrg: (secret: string) => memory.recent(hashSecret(secret))?.orgId,
    reload: (secret: string) => {
      memory.forget(hashSecret(secret));
      return Promise.resolve(find(secret, () => {}));
    },
    forget: memory.forget,
    clear: memory.clear,
  };
}
