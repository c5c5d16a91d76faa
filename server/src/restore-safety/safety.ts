// Whether anything may be sent to the platform: not on a restored database, and not before the file store was checked.

import type { Clock } from '../core/clock.js';
import type { Log } from '../core/log.js';
import { AppError } from '../core/problems.js';
import type { Database, Tx } from '../db/database.js';
import type { ObjectStore } from '../object-store/object-store.js';
import type { OnRestored } from './safe-mode.js';

export type Mode =
  | { kind: 'normal' }
  /** The database was restored: nothing is sent until the operator releases it. */
  | { kind: 'safe'; reason: string; since: number }
  /** The file store has not answered since the start, or its note must be read again. Nothing is sent until it fits. */
  | { kind: 'unchecked'; reason: string }
  /** The store's note is damaged, missing or another installation's. Nothing is sent until it is whole again. */
  | { kind: 'unreadable'; reason: string };

/** Why nothing may be sent at the moment. */
export interface SendRefusal {
  code: 'safe_mode' | 'store_unavailable' | 'unavailable';
  reason: string;
}

export const AWAY = {
  store: {
    code: 'store_unavailable',
    reason: 'The file store does not answer, so nothing was sent (store_unavailable)',
  },
  database: {
    code: 'unavailable',
    reason: 'The database does not answer, so nothing was sent (unavailable)',
  },
} as const satisfies Record<string, SendRefusal>;

/** The store does not answer. Everything else that a round throws means the database. */
export class StoreAway extends Error {}

/** An empty database must not take over the store of an installation that is in use. */
export class StoreTaken extends Error {
  override readonly name = 'StoreTaken';
}

export interface SafetyDeps {
  db: Database;
  store: Pick<ObjectStore, 'load' | 'replace'>;
  /** The store as the operator knows it: a folder, or a bucket. */
  storeName: string;
  clock: Clock;
  log: Log;
  intervalMs: number;
  /** How long a note that is missing or another installation's is read again before it counts as a restore. */
  doubtMs: number;
  onRestored: OnRestored;
}

export interface Safety {
  readonly mode: Mode;
  /**
   * Called between a commit and what it must not be lost after: the first call of a claim, the first byte of a video, the first
   * slide. Raises the counter in the database and then in the store, so that every database without that commit is recognized:
   * a backup, or a replica that lagged. One write serves all waiting callers. Never throws.
   */
  checkBeforeSend(): Promise<SendRefusal | null>;
  /** Throws a 503 problem unless calls to the platform are allowed. */
  assertNormalMode(): void;
  /** In the transaction of a claim: why this process must not claim, or null. */
  refusal(tx: Tx): Promise<AppError | null>;
  /** Calls the listener when event ids enter a new epoch. */
  onEpoch(listener: () => void): void;
  /** Writes a new note over one that cannot be used, because the operator says so. */
  replaceNote(): Promise<void>;
  /** Writes the last note of an orderly stop, within the time a stop allows. */
  signOff(): Promise<void>;
  stop(): void;
}

export function refusalOf(mode: Mode): SendRefusal | null {
  switch (mode.kind) {
    case 'normal':
      return null;
    case 'safe':
      return { code: 'safe_mode', reason: mode.reason };
    case 'unchecked':
    case 'unreadable':
      return { code: 'store_unavailable', reason: mode.reason };
    default:
      return mode satisfies never;
  }
}

/** The response to a request that would send something. */
export const refusalError = ({ code, reason }: SendRefusal): AppError =>
  code === 'safe_mode'
    ? new AppError(
        'safe_mode',
        `The service is in safe mode: nothing is sent to the platform until the operator releases it. ${reason}`,
        { headers: { 'retry-after': '60' } },
      )
    : new AppError('unavailable', reason, { headers: { 'retry-after': '5' } });

/** In safe mode objects are kept: the database may not know what they are for. A later sweep removes the orphans. */
export const withDeletionsBlocked = (store: ObjectStore, safety: Pick<Safety, 'mode'>): ObjectStore => ({
  ...store,
  remove: async (key) => {
    if (safety.mode.kind === 'normal') await store.remove(key); // mutant: removal-in-safe-mode
  },
  parts: {
    ...store.parts,
    abandon: async (key) => {
      if (safety.mode.kind === 'normal') await store.parts.abandon(key);
    },
  },
});
