// Passwords: argon2id, never more than two at once. Each takes 19 MiB and a core for as long as it lasts, so that a crowd at
// the door must wait in line, and beyond a certain length of the line is sent away.

import { atMost } from './concurrency.js';
import { unavailable } from './problems.js';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes as long for a person who does not exist, or has no password: then `kept` is null, and the answer no. */
  matches(kept: string | null, password: string): Promise<boolean>;
}

/** OWASP's least for argon2id; p=1, so that one hash is one core. The library's word for argon2id is 2. */
const STRENGTH = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

const AT_ONCE = 2;
/** About a second's worth. */
const MOST_WAITING = 64;

export function createPasswords(): Passwords {
  const inTurn = atMost(AT_ONCE);
  let waiting = 0;
  /** Of a password that nobody has. */
  let nobodys: Promise<string> | undefined;

  async function work<T>(task: (argon2: typeof import('@node-rs/argon2')) => Promise<T>): Promise<T> {
    if (waiting >= MOST_WAITING)
      throw unavailable('Too many people are signing in just now. Try again in a moment.');
    waiting++;
    try {
      // Only processes in which somebody signs in pay for it: 11 MB.
      const argon2 = await import('@node-rs/argon2');
      return await inTurn(() => task(argon2));
    } finally {
      waiting--;
    }
  }

  const hash = (password: string) => work((argon2) => argon2.hash(typed(password), STRENGTH));

  return {
    hash,
    async matches(kept, password) {
      nobodys ??= hash('nobody has this password').catch((error) => {
        nobodys = undefined;
        throw error;
      });
      const spare = await nobodys;
      const isRight = await work((argon2) => argon2.verify(kept ?? spare, typed(password)));
      return kept !== null && isRight;
    },
  };
}

/** Keyboards disagree about how letters with accents are made; the same letters are the same password. */
const typed = (password: string) => password.normalize('NFKC');
