// Keeps this process from publishing on a restored database: it raises the installation's counter regularly, compares
// database and file store, and decides whether anything may be sent.
import { AsyncResource } from 'node:async_hooks';
import type { Database, Tx } from '../db/database.js';
import type { ObjectStore } from '../files/object-store.js';
import type { Clock } from '../ground/clock.js';
import { waitAtMost } from '../ground/concurrency.js';
import { faultOf, type Log } from '../ground/log.js';
import type { AppError } from '../ground/problems.js';
import { type Installation, NOTE_KEY, type Note, noteOf, readNote, writeNote } from './note.js';
import {
  beginEpochUnchecked,
  checkDatabase,
  findInstallation,
  type OnRestored,
  raiseCounter,
  rememberStoreNote,
} from './safe-mode.js';
import { type Mode, problemOf, type Refusal, refusalOf, type Safety } from './safety.js';

export interface SafetyParts {
  db: Database;
  store: Pick<ObjectStore, 'load' | 'replace'>;
  clock: Clock;
  log: Log;
  intervalMs: number;
  onRestored: OnRestored;
}

const NOT_ASKED = 'The file store has not answered since the start. Nothing is published until it does.';
/** A start waits at most this long for the store; the check continues in the background. */
const START_MS = 3_000;
const SIGN_OFF_MS = 3_000;
const UNCHECKED_AGAIN_MS = 1_000;
/** How many times a note is rewritten because another process has raised the counter in the meantime. */
const MOST_WRITES = 3;

export async function startSafety(parts: SafetyParts): Promise<Safety> {
  const safety = new Guard(parts);
  await waitAtMost(START_MS, safety.confirm());
  await safety.beginUnchecked();
  safety.keepGoing();
  return safety;
}

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
  /** Runs outside the transaction that asks for it. */
  private readonly checkSoon: () => void;

  constructor(parts: SafetyParts) {
    this.parts = parts;
    this.checkSoon = AsyncResource.bind(() => void this.confirm());
  }

  get mode(): Mode {
    return this.current;
  }

  onEpoch(listener: () => void): void {
    this.listeners.push(listener);
  }

  confirm(): Promise<Refusal | null> {
    if (this.running === null) return this.begin();
    // The running one may have raised the counter before this claim: only the next one counts, for all that wait.
    this.next ??= this.running.then(() => {
      this.next = null;
      return this.begin();
    });
    return this.next;
  }

  private begin(): Promise<Refusal | null> {
    this.running = this.raise().then((refusal) => {
      this.running = null;
      return refusal;
    });
    return this.running;
  }

  private async raise(): Promise<Refusal | null> {
    const { store, db, clock, onRestored } = this.parts;
    let found: Buffer | null;
    let isNoteExpected: boolean;
    try {
      isNoteExpected = this.remembered !== null || (await this.findRow())?.store_noted === 1;
    } catch (err) {
      return this.away('database', err);
    }
    try {
      // The store before the counter: a note found there was committed earlier, so an unrestored database knows its counter.
      found = await store.load(NOTE_KEY);
    } catch (err) {
      await this.checkWithoutStore();
      return this.away('store', err);
    }
    let row: Installation;
    try {
      const known = { store: found && readNote(found), isNoteExpected, remembered: this.remembered };
      row = await db.transact((tx) => raiseCounter(tx, known, clock.now(), onRestored));
    } catch (err) {
      return this.away('database', err);
    }
    // A process may not publish before it has written its first note.
    if (this.remembered !== null || row.safe_since !== null) this.enter(row);
    try {
      this.enter(await this.write(row));
    } catch (err) {
      return this.away('store', err);
    }
    this.wasAway = false;
    return refusalOf(this.current);
  }

  private async findRow(): Promise<Installation | undefined> {
    return this.parts.db.read.selectFrom('installation').selectAll().executeTakeFirst();
  }

  /** What the database alone reveals: that safe mode has begun, or that it is behind what this process wrote. */
  private async checkWithoutStore(): Promise<void> {
    const { db, clock, onRestored } = this.parts;
    const { remembered } = this;
    try {
      const row = await db.transact((tx) => checkDatabase(tx, remembered, clock.now(), onRestored));
      if (row && row.safe_since !== null) this.enter(row);
    } catch {
      // Neither answers; the next check tries again.
    }
  }

  /**
   * Rewrites the note while other processes raise the counter, so that the last writer writes the newest. Returns the row
   * as last read.
   */
  private async write(row: Installation): Promise<Installation> {
    const { store, db } = this.parts;
    let newest = row;
    for (let writes = 1; ; writes++) {
      const note = noteOf(newest);
      await store.replace(NOTE_KEY, writeNote(note));
      this.remembered = note;
      if (newest.store_noted === 0) await db.transact((tx) => rememberStoreNote(tx, note)).catch(ignore);
      const current = await this.findRow().catch(ignore);
      if (!current) return newest;
      if (current.counter <= note.counter || writes === MOST_WRITES) return current;
      newest = current;
    }
  }

  /** For a start that the store did not answer in time. */
  async beginUnchecked(): Promise<void> {
    if (this.current.kind === 'unchecked') await this.parts.db.transact(beginEpochUnchecked);
  }

  private away(step: 'store' | 'database', err: unknown): Refusal {
    if (!this.wasAway)
      this.parts.log.warn(faultOf(err), `the safety note was not written: the ${step} does not answer`);
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
    if (this.epoch !== row.epoch) for (const listener of this.listeners) listener();
    this.epoch = row.epoch;
  }

  demandNormal(): void {
    const refusal = refusalOf(this.current);
    if (refusal) throw problemOf(refusal);
  }

  async refusal(tx: Tx): Promise<AppError | null> {
    const refusal = refusalOf(this.current);
    if (refusal) return problemOf(refusal);
    // Read before the query: the counter may be raised while it runs.
    const { remembered } = this;
    const row = await findInstallation(tx);
    const isBehind =
      row === null || row.installation_id !== remembered?.installationId || row.counter < remembered.counter;
    if (!isBehind && row.safe_since === null) return null;
    if (row !== null && row.safe_since !== null) this.enter(row);
    else this.checkSoon();
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
    if (this.current.kind !== 'unchecked') await waitAtMost(SIGN_OFF_MS, this.confirm());
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}

const ignore = () => undefined;
