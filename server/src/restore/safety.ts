// Keeps this process from publishing on a restored database: it raises the installation's note again and again, compares
// what it finds, and says whether anything may be sent.
import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../clock.js';
import type { Database, Tx } from '../db/database.js';
import { faultOf, type Log } from '../log.js';
import { AppError } from '../problems.js';
import type { ObjectStore } from '../storage/object-store.js';
import { type Installation, NOTE_KEY, type Note, noteOf, readNote, writeNote } from './note.js';
import { findInstallation, raiseCounter, rememberStoreNote } from './safe-mode.js';

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

export interface SafetyParts {
  db: Database;
  store: Pick<ObjectStore, 'load' | 'replace'>;
  clock: Clock;
  log: Log;
  intervalMs: number;
}

const NOT_ASKED = 'The file store has not answered since the start. Nothing is published until it does.';
/** A start waits no longer than this for the store; the check goes on beside it. */
const START_MS = 3_000;
const SIGN_OFF_MS = 3_000;
const UNCHECKED_AGAIN_MS = 1_000;
/** How often a note is written again because another process has raised the counter meanwhile. */
const MOST_WRITES = 3;

export async function startSafety(parts: SafetyParts): Promise<Safety> {
  const safety = new Guard(parts);
  await soon(safety.confirm(), START_MS);
  safety.keepGoing();
  return safety;
}

/** For programs that never publish, such as the one that prints the API's description. */
export const noSafety: Safety = {
  mode: { kind: 'normal' },
  confirm: async () => null,
  demandNormal: () => {},
  refusal: async () => null,
  onEpoch: () => {},
  signOff: async () => {},
  stop: () => {},
};

class Guard implements Safety {
  private readonly parts: SafetyParts;
  private current: Mode = { kind: 'unchecked', reason: NOT_ASKED };
  private remembered: Note | null = null;
  private epoch: number | null = null;
  private running: Promise<Refusal | null> | null = null;
  private next: Promise<Refusal | null> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private wasAway = false;
  private readonly listeners: (() => void)[] = [];
  /** Outside of the transaction that finds a reason to look. */
  private readonly lookSoon: () => void;

  constructor(parts: SafetyParts) {
    this.parts = parts;
    this.lookSoon = AsyncResource.bind(() => void this.confirm());
  }

  get mode(): Mode {
    return this.current;
  }

  onEpoch(listener: () => void): void {
    this.listeners.push(listener);
  }

  confirm(): Promise<Refusal | null> {
    if (this.running === null) return this.begin();
    // The one that runs may have raised the counter before this claim: only the next one counts, for all that wait.
    this.next ??= this.running.then(() => {
      this.next = null;
      return this.begin();
    });
    return this.next;
  }

  private begin(): Promise<Refusal | null> {
    this.running = this.look().then((refusal) => {
      this.running = null;
      return refusal;
    });
    return this.running;
  }

  private async look(): Promise<Refusal | null> {
    let step: 'store' | 'database' = 'store';
    try {
      const { store, db } = this.parts;
      // The store first: what is found there was committed before, so that a database that has gone on knows it.
      const found = await store.load(NOTE_KEY);
      step = 'database';
      const known = { store: found && readNote(found), remembered: this.remembered };
      const row = await db.transact((tx) => raiseCounter(tx, known, this.parts.clock.now()));
      this.enter(row);
      step = 'store';
      await this.write(row);
      this.wasAway = false;
      return refusalOf(this.current);
    } catch (err) {
      return this.away(step, err);
    }
  }

  /** Written again while others have raised the counter: whoever writes last has then written the newest. */
  private async write(row: Installation): Promise<void> {
    const { store, db } = this.parts;
    let newest = row;
    for (let writes = 1; ; writes++) {
      const note = noteOf(newest);
      await store.replace(NOTE_KEY, writeNote(note));
      this.remembered = note;
      const current = await db.read.selectFrom('installation').selectAll().executeTakeFirst();
      if (!current || current.counter <= note.counter || writes === MOST_WRITES) break;
      newest = current;
    }
    if (newest.store_noted === 0)
      await db.transact((tx) => rememberStoreNote(tx, this.remembered ?? noteOf(newest)));
  }

  private away(step: 'store' | 'database', err: unknown): Refusal {
    if (!this.wasAway)
      this.parts.log.warn(
        faultOf(err),
        `the note of this installation was not written: the ${step} does not answer`,
      );
    this.wasAway = true;
    return step === 'store'
      ? {
          code: 'store_unavailable',
          reason: 'The file store does not answer, so nothing was sent (store_unavailable)',
        }
      : { code: 'unavailable', reason: 'The database does not answer, so nothing was sent (unavailable)' };
  }

  private enter(row: Installation): void {
    const before = this.current;
    this.current =
      row.safe_since === null
        ? { kind: 'normal' }
        : { kind: 'safe', reason: row.safe_reason ?? '', since: row.safe_since };
    const { log } = this.parts;
    if (this.current.kind === 'safe' && (before.kind !== 'safe' || before.since !== this.current.since))
      log.error(
        { reason: this.current.reason },
        'safe mode: the database was restored, and nothing is published until the operator releases it (npm run release)',
      );
    if (this.current.kind === 'normal' && before.kind === 'safe') log.info('safe mode has ended');
    if (this.epoch !== null && this.epoch !== row.epoch) for (const listener of this.listeners) listener();
    this.epoch = row.epoch;
  }

  demandNormal(): void {
    const refusal = refusalOf(this.current);
    if (refusal) throw problemOf(refusal);
  }

  async refusal(tx: Tx): Promise<AppError | null> {
    const refusal = refusalOf(this.current);
    if (refusal) return problemOf(refusal);
    const row = await findInstallation(tx);
    const { remembered } = this;
    const isBehind =
      row === null || row.installation_id !== remembered?.installationId || row.counter < remembered.counter;
    if (!isBehind && row.safe_since === null) return null;
    this.lookSoon();
    const reason = row?.safe_reason ?? 'The database is behind what this process wrote.';
    return problemOf({ code: 'safe_mode', reason });
  }

  keepGoing(): void {
    if (this.stopped) return;
    const pause =
      this.current.kind === 'unchecked'
        ? Math.min(UNCHECKED_AGAIN_MS, this.parts.intervalMs)
        : this.parts.intervalMs;
    this.timer = setTimeout(() => {
      void this.confirm().then(() => this.keepGoing());
    }, pause);
    this.timer.unref();
  }

  async signOff(): Promise<void> {
    this.stop();
    if (this.current.kind !== 'unchecked') await soon(this.confirm(), SIGN_OFF_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}

function refusalOf(mode: Mode): Refusal | null {
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
const problemOf = ({ code, reason }: Refusal): AppError =>
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

/** For a while; what it is waited for goes on by itself. */
async function soon(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, enough]);
  clearTimeout(timer);
}
