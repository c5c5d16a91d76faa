// Passwords: argon2id, at most two at the same time. Each hash takes 19 MiB and one core, so sign-ins queue under load, and are
// refused when the queue is full.

import { createLimiter } from './concurrency.js';
import { unavailable } from './problems.js';

/**
 * Where an attempt comes from: an address from which the person is signed in, any other, or one that has failed often. The first
 * has priority, so guesses from any number of addresses do not keep that person waiting.
 */
export type SignInTrust = 'familiar' | 'ordinary' | 'failing';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes equally long for an unknown person or one without a password: then `storedHash` is null, and the result is false. */
  matches(storedHash: string | null, password: string, standing?: SignInTrust): Promise<boolean>;
}

/** OWASP's minimum for argon2id; p=1, so that one hash uses one core. The library encodes argon2id as 2. */
const STRENGTH = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

const MAX_CONCURRENT = 2;
/** In the order in which they are served, each with how many may be in progress before it is refused. 64 take a second. */
const QUEUE_LIMITS: [SignInTrust, number][] = [
  ['familiar', 64],
  ['ordinary', 56],
  ['failing', 40],
];

const OLDEST_EVERY = 4;

export function createPasswords(): Passwords {
  // The plain limiter, with ranks: no organization is known before its password is.
  const limited = createLimiter(MAX_CONCURRENT, { oldestEvery: OLDEST_EVERY });
  let inProgress = 0;
  /** Checked in place of a missing hash; it belongs to no account. */
  let dummyHash: Promise<string> | undefined;

  async function work<T>(
    task: (argon2: typeof import('@node-rs/argon2')) => Promise<T>,
    standing: SignInTrust = 'ordinary',
  ): Promise<T> {
    const rank = QUEUE_LIMITS.findIndex(([name]) => name === standing);
    if (inProgress >= (QUEUE_LIMITS[rank]?.[1] ?? 0))
      throw unavailable('Too many sign-ins are in progress. Try again in a moment.');
    inProgress++;
    try {
      // Loaded on first use: 11 MB that only processes with sign-ins need.
      return await limited(async () => task(await import('@node-rs/argon2')), rank);
    } finally {
      inProgress--;
    }
  }

  const hash = (password: string) => work((argon2) => argon2.hash(typed(password), STRENGTH));

  return {
    hash,
    async matches(storedHash, password, standing) {
      dummyHash ??= hash('a password that no account has').catch((error) => {
        dummyHash = undefined;
        throw error;
      });
      const dummy = await dummyHash;
      const isRight = await work((argon2) => argon2.verify(storedHash ?? dummy, typed(password)), standing);
      return storedHash !== null && isRight;
    },
  };
}

/** Keyboards compose accented letters differently; the same letters must be the same password. */
const typed = (password: string) => password.normalize('NFKC');
