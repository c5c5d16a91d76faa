// Slows down guessing at one account from many addresses, without locking its owner out.
//
// After a few failures each further attempt waits before its password is checked, twice as long as the one before. An address
// from which the person is signed in does not wait: an attacker elsewhere costs them nothing. Counted in this process, and
// forgotten after a quarter of an hour without failures.
import { LRUCache } from 'lru-cache';
import type { SignInBackoff as Backoff } from '../../app/process-state.js';
import { AppError } from '../../core/problems.js';

const FREE_FAILURES = 5;
const MAX_WAIT_MS = 30_000;
const MAX_WAITING = 10;
const FORGET_MS = 15 * 60_000;
const MAX_KNOWN = 10_000;

interface Account {
  failures: number;
  waiting: number;
}

export class SignInBackoff implements Backoff {
  readonly prioritized = new Set<string>();
  private readonly accounts = new LRUCache<string, Account>({ max: MAX_KNOWN, ttl: FORGET_MS });
  private readonly networks = new LRUCache<string, number>({ max: MAX_KNOWN, ttl: FORGET_MS });

  async waitFor(account: string): Promise<void> {
    const known = this.accounts.get(account);
    const ms = waitAfter(known?.failures ?? 0);
    if (!known || ms === 0) return;
    if (known.waiting >= MAX_WAITING) {
      const seconds = Math.ceil(ms / 1000);
      throw new AppError(
        'rate_limited',
        `Too many people try to sign in to this account. Try again in ${seconds} s.`,
        { headers: { 'retry-after': String(seconds) } },
      );
    }
    known.waiting++;
    try {
      await new Promise((resolve) => setTimeout(resolve, ms));
    } finally {
      known.waiting--;
    }
  }

  failed(account: string, network: string): void {
    const known = this.accounts.get(account) ?? { failures: 0, waiting: 0 };
    known.failures++;
    this.accounts.set(account, known);
    this.networks.set(network, (this.networks.get(network) ?? 0) + 1);
  }

  succeeded(account: string, network: string): void {
    this.accounts.delete(account);
    this.networks.delete(network);
  }

  isFailing(network: string): boolean {
    return (this.networks.get(network) ?? 0) >= FREE_FAILURES;
  }
}

const waitAfter = (failures: number): number =>
  failures < FREE_FAILURES ? 0 : Math.min(MAX_WAIT_MS, 1000 * 2 ** (failures - FREE_FAILURES));
