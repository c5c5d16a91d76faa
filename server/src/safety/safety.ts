// Whether anything may be sent to the platform: not on a restored database, and not before the file store was asked.
import type { Tx } from '../db/database.js';
import type { ObjectStore } from '../files/object-store.js';
import { AppError } from '../ground/problems.js';

export type Mode =
  | { kind: 'normal' }
  /** The database was restored: nothing is sent until the operator releases it. */
  | { kind: 'safe'; reason: string; since: number }
  /** Since the start the file store could not be asked. Nothing is sent until it answers. */
  | { kind: 'unchecked'; reason: string };

/** Why nothing may be sent just now. */
export interface Refusal {
  code: 'safe_mode' | 'store_unavailable' | 'unavailable';
  reason: string;
}

export interface Safety {
  readonly mode: Mode;
  /**
   * Between a claim and its first call to the platform: raises the note, in the database and then in the store, so that
   * every backup without the claim is recognized. One write serves all that wait. Never throws.
   */
  confirm(): Promise<Refusal | null>;
  /** Fails with 503 unless requests to the platform are allowed just now. */
  demandNormal(): void;
  /** In the transaction of a claim: why this process must not claim. */
  refusal(tx: Tx): Promise<AppError | null>;
  /** Tells of a new epoch of event ids. */
  onEpoch(listener: () => void): void;
  /** The last note of a process that stops in order, for as long as a stop may wait for it. */
  signOff(): Promise<void>;
  stop(): void;
}

export function refusalOf(mode: Mode): Refusal | null {
  switch (mode.kind) {
    case 'normal':
      return null;
    case 'safe':
      return { code: 'safe_mode', reason: mode.reason };
    case 'unchecked':
      return { code: 'store_unavailable', reason: mode.reason };
    default:
      return mode satisfies never;
  }
}

/** What a request that would have something sent is answered. */
export const problemOf = ({ code, reason }: Refusal): AppError =>
  code === 'safe_mode'
    ? new AppError(
        'safe_mode',
        `The service is in safe mode, and nothing is sent to the platform until the operator releases it. ${reason}`,
        { headers: { 'retry-after': '60' } },
      )
    : new AppError('unavailable', reason, { headers: { 'retry-after': '5' } });

/** In safe mode no object goes: the database may not know what it is for. What should have gone is an orphan, and is swept later. */
export const keepingObjects = (store: ObjectStore, safety: Pick<Safety, 'mode'>): ObjectStore => ({
  ...store,
  remove: async (key) => {
    if (safety.mode.kind === 'normal') await store.remove(key);
  },
});
