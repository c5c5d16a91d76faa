// Slows down guessing at one account, without giving anyone a way to lock its owner out.
//
// What an attempt waits depends on the failures of its own network with that email, whether the email is known or not: the guesses of
// others cost a person nothing, also on a network that no one has signed in from. A network has a few tries for each account; each
// further one waits before its password is checked, twice as long as the one before. Few may wait for one account, but those from
// networks where people are signed in need no place among them. Counted in this process, and forgotten after a quarter of an hour.
import { LRUCache } from 'lru-cache';
import type { SignInBackoff as Backoff } from '../../app/process-state.js';
import { rejectOnAbort } from '../../core/concurrency.js';
import type { SignInTrust } from '../../core/passwords.js';
import { AppError } from '../../core/problems.js';
import { Tally } from '../../core/tally.js';

const FREE_FAILURES = 3;
/** From a network that failed so often, whatever the account, attempts may not fill the queue of passwords to check. */
const MANY_FAILURES = 5;
const MAX_WAIT_MS = 30_000;
const MAX_WAITING = 10;
const FORGET_MS = 15 * 60_000;
const MAX_KNOWN = 10_000;

export class SignInBackoff implements Backoff {
  private readonly failures = new LRUCache<string, number>({ max: 2 * MAX_KNOWN, ttl: FORGET_MS });
  /** Where people are signed in. */
  private readonly familiar = new LRUCache<string, true>({ max: MAX_KNOWN });
  private readonly prioritized = new Set<string>();
  private readonly waiting = new Tally();

  async waitFor(account: string, network: string, gone: AbortSignal): Promise<void> {
    const ms = waitAfter(this.failures.get(pairOf(account, network)) ?? 0);
    if (ms === 0) return;
    const counted = this.familiar.has(network) ? pairOf(account, network) : account;
    if (this.waiting.of(counted) >= MAX_WAITING) throw tooMany(ms);
    this.waiting.add(counted, +1);
    let timer: NodeJS.Timeout | undefined;
    try {
      await rejectOnAbort(
        gone,
        new Promise((resolve) => {
          timer = setTimeout(resolve, ms);
        }),
      );
    } finally {
      clearTimeout(timer);
      this.waiting.add(counted, -1);
    }
  }

  waitingFor(account: string): number {
    return this.waiting.of(account);
  }

  /** Only one check at a time has priority for a network: many at the same time are likely guesses. */
  async check(network: string, isRight: (trust: SignInTrust) => Promise<boolean>): Promise<boolean> {
    const isFirst = this.familiar.has(network) && !this.prioritized.has(network);
    if (!isFirst) return isRight((this.failures.get(network) ?? 0) >= MANY_FAILURES ? 'failing' : 'ordinary');
    this.prioritized.add(network);
    return isRight('familiar').finally(() => this.prioritized.delete(network));
  }

  failed(account: string, network: string): void {
    for (const name of [pairOf(account, network), network])
      this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  }

  succeeded(account: string, network: string): void {
    this.failures.delete(pairOf(account, network));
    this.failures.delete(network);
    this.becomeFamiliar(network);
  }

  becomeFamiliar(network: string): void {
    this.familiar.set(network, true);
  }
}

const pairOf = (account: string, network: string): string => `${account} ${network}`;

const waitAfter = (failures: number): number =>
  failures < FREE_FAILURES ? 0 : Math.min(MAX_WAIT_MS, 1000 * 2 ** (failures - FREE_FAILURES));

function tooMany(ms: number): AppError {
  const seconds = Math.ceil(ms / 1000);
  return new AppError(
    'rate_limited',
    `Too many people try to sign in to this account. Try again in ${seconds} s.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
