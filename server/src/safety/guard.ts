// Keeps this process from publishing on a restored database: it raises the installation's counter regularly, compares
// database and file store, and decides whether anything may be sent.
import { AsyncResource } from 'node:async_hooks';
import type { Database, Tx } from '../db/database.js';
import type { ObjectStore } from '../files/object-store.js';
import type { Clock } from '../ground/clock.js';
import { waitAtMost } from '../ground/concurrency.js';
import { faultOf, type Log } from '../ground/log.js';
import type { AppError } from '../ground/problems.js';
import {
  type Finding,
  type Installation,
  isBehind,
  judge,
  NOTE_KEY,
  type Note,
  noteOf,
  readNote,
  writeNote,
} from './note.js';
import {
  beginEpochUnchecked,
  checkDatabase,
  enterIfRestored,
  findInstallation,
  type Known,
  type OnRestored,
  raiseAbove,
  raiseCounter,
  rememberStoreNote,
} from './safe-mode.js';
import { type Mode, problemOf, type Refusal, refusalOf, type Safety } from './safety.js';

export interface SafetyParts {
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

/** An empty database must not take over the store of an installation that is in use. */
export class StoreTaken extends Error {
  override readonly name = 'StoreTaken';
}

const NOT_ASKED = 'The file store has not answered since the start. Nothing is published until it does.';
/** A start waits at most this long for the store; the check continues in the background. */
const START_MS = 3_000;
const SIGN_OFF_MS = 3_000;
/** While nothing may be published, the store is asked this often. */
const RECHECK_MS = 1_000;
/** How many times a note is rewritten because another process has raised the counter in the meantime. */
const MAX_WRITES = 3;

export async function startSafety(parts: SafetyParts): Promise<Safety> {
  const safety = new Guard(parts);
  await waitAtMost(START_MS, safety.confirm());
  if (safety.isStoreTaken)
    throw new StoreTaken(
      `The file store (${parts.storeName}) belongs to another installation of Airdate, and this database is empty, so it is not started on it. Give this installation a store of its own (DATA_DIR, or S3_BUCKET). If the other one is gone for good, run npm run adopt-store.`,
    );
  await safety.beginUnchecked();
  safety.keepGoing();
  return safety;
}

class Guard implements Safety {
  /** The store holds another installation's note, and this database has no organizations. */
  isStoreTaken = false;
  private readonly parts: SafetyParts;
  private readonly rows: () => Promise<Installation[]>;
  private current: Mode = { kind: 'unchecked', reason: NOT_ASKED };
  /** The newest raise that this process has committed or read. */
  private remembered: Note | null = null;
  /** The row as last read. */
  private latest: Installation | null = null;
  /** Whether this process has written the store's note. */
  private hasWritten = false;
  /** Whether the last check ended well. If not, the next one looks at the store before it raises the counter. */
  private isSound = false;
  /** When the store's note first looked as after a restore, by the monotonic clock. */
  private doubtSince: number | null = null;
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
    this.rows = parts.db.readOnce((read) => read.selectFrom('installation').selectAll());
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

  /**
   * The counter is raised before the store is read. If the database loses commits in between, its next raise reaches a counter
   * that the store already knows by another tag; read the other way round, that raise would hide the loss.
   */
  private async raise(): Promise<Refusal | null> {
    const { db, clock, onRestored } = this.parts;
    const refusal = this.isSound ? null : await this.compare();
    if (refusal) return refusal;
    this.isSound = false;
    try {
      this.remember(await db.transact((tx) => raiseCounter(tx, this.remembered, clock.now(), onRestored)));
    } catch (err) {
      return this.away('database', err);
    }
    const later = await this.compare();
    if (later) return later;
    let written: Installation;
    try {
      written = await this.write();
    } catch (err) {
      return this.away('store', err);
    }
    // It has lost commits while the note was written.
    if (this.remembered && isBehind(written, this.remembered))
      return (await this.compare()) ?? refusalOf(this.current);
    this.enter(written);
    this.isSound = true;
    this.wasAway = false;
    return refusalOf(this.current);
  }

  /** Reads the store's note, then the database, and acts on what they reveal. Null if the note may be written. */
  private async compare(): Promise<Refusal | null> {
    let known: Known;
    let row: Installation | null;
    try {
      const isNoteExpected = this.hasWritten || (await this.findRow())?.store_noted === 1;
      const found = await this.load();
      if ('code' in found) return found;
      const { remembered, hasWritten } = this;
      known = { store: readNote(found.bytes), isNoteExpected, remembered, hasWritten };
      row = (await this.findRow()) ?? null;
    } catch (err) {
      return this.away('database', err);
    }
    return this.act(judge({ ...known, database: row }), known, row);
  }

  private async load(): Promise<{ bytes: Buffer | null } | Refusal> {
    try {
      return { bytes: await this.parts.store.load(NOTE_KEY) };
    } catch (err) {
      await this.checkWithoutStore();
      return this.away('store', err);
    }
  }

  private async act(finding: Finding, known: Known, row: Installation | null): Promise<Refusal | null> {
    const { db, clock, onRestored } = this.parts;
    this.isStoreTaken = false;
    if (finding.kind === 'sound') {
      this.doubtSince = null;
      if (row) this.remember(row);
      return null;
    }
    if (finding.kind === 'unreadable')
      return this.refuse({ kind: 'unreadable', reason: finding.reason }, row);
    try {
      if (finding.kind === 'suspicious') {
        const hasOrganizations = await this.hasOrganizations();
        this.isStoreTaken = finding.isForeign && !hasOrganizations;
        if (this.isStoreTaken || (hasOrganizations && !this.hasLasted()))
          return this.refuse({ kind: 'unchecked', reason: finding.reason }, row);
      }
      this.remember(
        await db.transact(
          async (tx) =>
            (await enterIfRestored(tx, known, clock.now(), onRestored)) ?? raiseAbove(tx, known, clock.now()),
        ),
      );
    } catch (err) {
      return this.away('database', err);
    }
    this.doubtSince = null;
    // Another installation's note stays: that installation may be in use, and would go into safe mode as well.
    return finding.kind === 'suspicious' && finding.isForeign ? refusalOf(this.current) : null;
  }

  /** Whether the store's note has looked as after a restore for long enough. */
  private hasLasted(): boolean {
    this.doubtSince ??= performance.now();
    return performance.now() - this.doubtSince >= this.parts.doubtMs;
  }

  private async hasOrganizations(): Promise<boolean> {
    const found = this.parts.db.read.selectFrom('organizations').select('id').limit(1);
    return (await found.executeTakeFirst()) !== undefined;
  }

  private async findRow(): Promise<Installation | undefined> {
    return (await this.rows())[0];
  }

  /** What the database alone reveals: that safe mode has begun, or that it is behind what this process wrote. */
  private async checkWithoutStore(): Promise<void> {
    const { db, clock, onRestored } = this.parts;
    const { remembered } = this;
    try {
      const row = await db.transact((tx) => checkDatabase(tx, remembered, clock.now(), onRestored));
      if (row) this.remember(row);
    } catch {
      // Neither answers; the next check tries again.
    }
  }

  /**
   * Rewrites the note while other processes raise the counter, so that the last writer writes the newest. Returns the row
   * as last read.
   */
  private async write(): Promise<Installation> {
    const { store, db } = this.parts;
    let newest = this.latest;
    if (!newest) throw new Error('the installation has no row');
    for (let writes = 1; ; writes++) {
      const note = noteOf(newest);
      await store.replace(NOTE_KEY, writeNote(note));
      this.hasWritten = true;
      this.remembered = note;
      if (newest.store_noted === 0) await db.transact((tx) => rememberStoreNote(tx, note)).catch(ignore);
      const current = await this.findRow().catch(ignore);
      if (!current) return newest;
      if (current.counter <= note.counter || writes === MAX_WRITES) return current;
      newest = current;
    }
  }

  async replaceNote(): Promise<void> {
    const { db, clock, onRestored } = this.parts;
    this.remember(await db.transact((tx) => raiseCounter(tx, this.remembered, clock.now(), onRestored)));
    this.enter(await this.write());
  }

  /** For a start that the store did not answer in time. */
  async beginUnchecked(): Promise<void> {
    if (this.current.kind === 'unchecked') await this.parts.db.transact(beginEpochUnchecked);
  }

  private away(step: 'store' | 'database', err: unknown): Refusal {
    this.isSound = false;
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

  /** Nothing is sent until a check ends well. */
  private refuse(
    mode: Mode & { kind: 'unreadable' | 'unchecked' },
    row: Installation | null,
  ): Refusal | null {
    this.isSound = false;
    if (row) this.remember(row);
    if (row && row.safe_since !== null) return refusalOf(this.current);
    if (!('reason' in this.current) || this.current.reason !== mode.reason)
      this.parts.log.error({ reason: mode.reason }, 'nothing is published until the file store is in order');
    this.current = mode;
    return refusalOf(mode);
  }

  /** A process may not publish before it has written its first note, so a row outside safe mode changes no mode yet. */
  private remember(row: Installation): void {
    this.latest = row;
    this.remembered = noteOf(row);
    if (row.safe_since !== null) this.enter(row);
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
    if (this.current.kind === 'normal' && before.kind === 'unreadable')
      log.info('the file store is in order again');
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
    const isUnsound = row === null || remembered === null || isBehind(row, remembered);
    if (!isUnsound && row.safe_since === null) return null;
    if (row !== null && row.safe_since !== null) this.enter(row);
    else this.checkSoon();
    const reason = row?.safe_reason ?? 'The database is behind what this process wrote.';
    return problemOf({ code: 'safe_mode', reason });
  }

  keepGoing(): void {
    if (this.stopped) return;
    const isWaiting = this.current.kind === 'unchecked' || this.current.kind === 'unreadable';
    const pause = isWaiting ? Math.min(RECHECK_MS, this.parts.intervalMs) : this.parts.intervalMs;
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
