// Passwords: argon2id, at most two at once. Each hash takes 19 MiB and one core, so sign-ins queue under load, and are
// refused when the queue is full.

import { atMost } from './concurrency.js';
import { unavailable } from './problems.js';

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Takes equally long for an unknown person or one without a password: then `kept` is null, and the result is false. A
   * suspect attempt does not get the last places in the line.
   */
  matches(kept: string | null, password: string, isSuspect?: boolean): Promise<boolean>;
}

/** OWASP's minimum for argon2id; p=1, so that one hash uses one core. The library encodes argon2id as 2. */
const STRENGTH = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

const AT_ONCE = 2;
/** About a second of work. */
const MOST_WAITING = 64;
/** Of them, for those who have not failed lately. */
const KEPT_FREE = 24;

export function createPasswords(): Passwords {
  const limited = atMost(AT_ONCE);
  let waiting = 0;
  /** Checked in place of a missing hash; it belongs to no account. */
  let dummyHash: Promise<string> | undefined;

  async function work<T>(
    task: (argon2: typeof import('@node-rs/argon2')) => Promise<T>,
    isSuspect = false,
  ): Promise<T> {
    if (waiting >= MOST_WAITING - (isSuspect ? KEPT_FREE : 0))
      throw unavailable('Too many sign-ins are in progress. Try again in a moment.');
    waiting++;
    try {
      // Loaded on first use: 11 MB that only processes with sign-ins need.
      const argon2 = await import('@node-rs/argon2');
      return await limited(() => task(argon2));
    } finally {
      waiting--;
    }
  }

  const hash = (password: string) => work((argon2) => argon2.hash(typed(password), STRENGTH));

  return {
    hash,
    async matches(kept, password, isSuspect = false) {
      dummyHash ??= hash('a password that no account has').catch((error) => {
        dummyHash = undefined;
        throw error;
      });
      const dummy = await dummyHash;
      const isRight = await work((argon2) => argon2.verify(kept ?? dummy, typed(password)), isSuspect);
      return kept !== null && isRight;
    },
  };
}

/** Keyboards compose accented letters differently; the same letters must be the same password. */
const typed = (password: string) => password.normalize('NFKC');
