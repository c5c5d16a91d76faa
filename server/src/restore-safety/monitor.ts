// Keeps this process from publishing on a restored database: it raises the installation's counter regularly, compares
// database and file store, and decides whether anything may be sent.
import { waitWithTimeout } from '../core/concurrency.js';
import { toLogFields } from '../core/log.js';
import type { AppError } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import { type Installation, isBehind, judge, NOTE_KEY, noteOf, parseNote, serializeNote } from './note.js';
import {
  beginEpochUnchecked,
  enterIfRestored,
  findInstallation,
  hasOrganizations,
  onlyRemembered,
  raiseAbove,
  raiseCounter,
  rememberStoreNote,
} from './safe-mode.js';
import {
  AWAY,
  type Mode,
  refusalError,
  refusalOf,
  type Safety,
  type SafetyDeps,
  type SendRefusal,
  StoreAway,
  StoreTaken,
} from './safety.js';

const NOT_ASKED = 'The file store has not answered since the start. Nothing is published until it does.';
/** A start waits at most this long for the store; the check continues in the background. */
const START_MS = 3_000;
const SIGN_OFF_MS = 3_000;
/** While nothing may be published, the store is asked this often. */
const RECHECK_MS = 1_000;
/** How many times a note is rewritten because another process has raised the counter in the meantime. */
const MAX_WRITES = 3;

export async function startSafety(deps: SafetyDeps): Promise<Safety> {
  const safety = new SafetyMonitor(deps);
  void safety.run();
  await safety.start();
  return safety;
}

class SafetyMonitor implements Safety {
  mode: Mode = { kind: 'unchecked', reason: NOT_ASKED };
  private readonly deps: SafetyDeps;
  /** The row as last read or raised. */
  private latest: Installation | null = null;
  /** The newest raise that this process has committed or read. */
  private remembered: ReturnType<typeof noteOf> | null = null;
  /** The store holds another installation's note, and this database has no organizations. */
  private isStoreTaken = false;
  /** Whether this process has written the store's note. */
  private hasWritten = false;
  /** When the store's note first looked as after a restore, by the monotonic clock. */
  private doubtSince: number | null = null;
  /** Whether the last round ended well. If not, the next one looks at the store before it raises the counter. */
  private isSound = false;
  private wasAway = false;
  private epoch: number | null = null;
  private readonly listeners: (() => void)[] = [];
  /** Callers that get the answer of the next round to begin. */
  private waiting: ((refusal: SendRefusal | null) => void)[] = [];
  private wake = () => {};
  /** Between a start and a stop, rounds also begin by themselves. */
  private isRegular = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(deps: SafetyDeps) {
    this.deps = deps;
  }

  onEpoch(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** A round that is under way may have raised the counter before this claim: only the next one counts, for all that wait. */
  checkBeforeSend(): Promise<SendRefusal | null> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.wake();
    });
  }

  /** One round after another, for as long as the process lives: what a round throws refuses sending, and the next one begins. */
  async run(): Promise<never> {
    for (;;) {
      if (this.waiting.length === 0)
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      const served = this.waiting;
      this.waiting = [];
      const refusal = await this.raiseNote().catch((error: unknown) => this.refuseAway(error));
      this.planNext();
      for (const resolve of served) resolve(refusal);
    }
  }

  private planNext(): void {
    clearTimeout(this.timer);
    if (!this.isRegular) return;
    const isWaiting = this.mode.kind === 'unchecked' || this.mode.kind === 'unreadable';
    const pauseMs = isWaiting ? Math.min(RECHECK_MS, this.deps.intervalMs) : this.deps.intervalMs;
    this.timer = setTimeout(() => void this.checkBeforeSend(), pauseMs).unref();
  }

  /**
   * The counter is raised before the store is read. If the database loses commits in between, its next raise reaches a counter
   * that the store already knows by another tag; read the other way round, that raise would hide the loss.
   */
  private async raiseNote(): Promise<SendRefusal | null> {
    const before = this.isSound ? null : await this.compare();
    if (before) return before;
    this.isSound = false;
    await this.raise();
    const refusal = await this.compare();
    if (refusal) return refusal;
    if (!(await this.writeStoreNote())) return (await this.compare()) ?? refusalOf(this.mode);
    // A process may not publish before it has written its first note.
    if (this.latest) this.enter(this.latest);
    this.isSound = true;
    this.wasAway = false;
    return refusalOf(this.mode);
  }

  /** Reads the store's note, then the database, and acts on what they reveal. Null if the note may be written: in safe mode too. */
  private async compare(): Promise<SendRefusal | null> {
    const { db, store, clock, onRestored } = this.deps;
    const { remembered } = this;
    const isNoteExpected = this.hasWritten || (await findInstallation(this.deps.db.read))?.store_noted === 1;
    const bytes = await store.load(NOTE_KEY).catch(async (cause: unknown) => {
      const known = onlyRemembered(remembered);
      // What the database alone reveals. If it does not answer either, the next round tries again.
      const row = await db
        .transact((tx) => enterIfRestored(tx, known, clock.now(), onRestored))
        .catch(() => null);
      if (row) this.remember(row);
      throw new StoreAway('the file store cannot be read', { cause });
    });
    const known = { store: parseNote(bytes), isNoteExpected, remembered, hasWritten: this.hasWritten };
    const row = await findInstallation(this.deps.db.read);
    const finding = judge({ ...known, database: row });
    this.isStoreTaken = false;
    if (row && finding.kind !== 'restored') this.remember(row);
    if (finding.kind === 'sound') {
      this.doubtSince = null;
      return null;
    }
    const { reason } = finding;
    if (finding.kind === 'unreadable') return this.refuseUnsound('unreadable', reason);
    const isForeign = finding.kind === 'suspicious' && finding.isForeign;
    if (finding.kind === 'suspicious') {
      const isInUse = await hasOrganizations(db.read);
      this.isStoreTaken = isForeign && !isInUse; // mutant: foreign-store
      if (isInUse) this.doubtSince ??= performance.now();
      const hasLasted = this.doubtSince !== null && performance.now() - this.doubtSince >= this.deps.doubtMs;
      if (this.isStoreTaken || (isInUse && !hasLasted)) return this.refuseUnsound('unchecked', reason);
    }
    const acted = await db.transact(
      async (tx) =>
        (await enterIfRestored(tx, known, clock.now(), onRestored)) ?? raiseAbove(tx, known, clock.now()),
    );
    this.remember(acted);
    this.doubtSince = null;
    // Another installation's note stays: that installation may be in use, and would stop publishing as well.
    return isForeign ? this.refuseUnsound('unreadable', reason) : null;
  }

  /**
   * Rewrites the note while other processes raise the counter, so that the last writer writes the newest. False if the database
   * has lost commits meanwhile.
   */
  private async writeStoreNote(): Promise<boolean> {
    const { store, db } = this.deps;
    for (let writes = 1; ; writes++) {
      const newest = this.latest;
      if (!newest) throw new Error('the installation has no row');
      const note = noteOf(newest);
      await store.replace(NOTE_KEY, serializeNote(note)).catch((cause: unknown) => {
        throw new StoreAway('the file store cannot be written', { cause });
      });
      this.hasWritten = true;
      if (newest.store_noted === 0) await db.transact((tx) => rememberStoreNote(tx, note)).catch(() => {});
      const current = await findInstallation(this.deps.db.read).catch(() => null);
      if (!current) return true;
      if (isBehind(current, note)) return false;
      this.remember(current);
      if (current.counter === note.counter || writes === MAX_WRITES) return true;
    }
  }

  /** Nothing may be sent, and the note stays as it is. */
  private refuseUnsound(kind: 'unreadable' | 'unchecked', reason: string): SendRefusal | null {
    this.isSound = false;
    if (this.latest?.safe_since == null) {
      if (!('reason' in this.mode) || this.mode.reason !== reason)
        this.deps.log.error({ reason }, 'nothing is published until the file store is in order');
      this.mode = { kind, reason };
    }
    return refusalOf(this.mode);
  }

  private refuseAway(error: unknown): SendRefusal {
    this.isSound = false;
    const [part, cause] = error instanceof StoreAway ? ['store', error.cause] : ['database', error];
    if (!this.wasAway)
      this.deps.log.warn(toLogFields(cause), `the safety note was not written: the ${part} does not answer`);
    this.wasAway = true;
    return part === 'store' ? AWAY.store : AWAY.database;
  }

  /** Safe mode begins with the row that says so. It ends only once the note was written. */
  private remember(row: Installation): void {
    this.latest = row;
    this.remembered = noteOf(row);
    if (row.safe_since !== null) this.enter(row);
  }

  private async raise(): Promise<void> {
    const { db, clock, onRestored } = this.deps;
    this.remember(await db.transact((tx) => raiseCounter(tx, this.remembered, clock.now(), onRestored)));
  }

  private enter(row: Installation): void {
    const before = this.mode;
    this.mode =
      row.safe_since === null
        ? { kind: 'normal' }
        : { kind: 'safe', reason: row.safe_reason ?? '', since: row.safe_since };
    const { log } = this.deps;
    if (this.mode.kind === 'safe' && (before.kind !== 'safe' || before.since !== this.mode.since))
      log.error(
        { reason: this.mode.reason },
        'safe mode: the database was restored, and nothing is published until the operator releases it (npm run end-safe-mode)',
      );
    if (this.mode.kind === 'normal' && before.kind === 'safe') log.info('safe mode has ended');
    if (this.mode.kind === 'normal' && before.kind === 'unreadable')
      log.info('the file store is in order again');
    const isNewEpoch = this.epoch !== row.epoch;
    this.epoch = row.epoch;
    if (isNewEpoch) for (const listener of this.listeners) listener();
  }

  async start(): Promise<void> {
    const { db, storeName } = this.deps;
    await waitWithTimeout(START_MS, this.checkBeforeSend());
    if (this.isStoreTaken)
      throw new StoreTaken(
        `The file store (${storeName}) belongs to another installation of Airdate, or its object ${NOTE_KEY} is damaged, and this database is empty, so it is not started on it. Give this installation a store of its own (DATA_DIR, or S3_BUCKET). If the other one is gone for good, run npm run adopt-store.`,
      );
    // The store did not answer in time.
    if (this.mode.kind === 'unchecked') await db.transact(beginEpochUnchecked);
    this.isRegular = true;
    this.planNext();
  }

  async replaceNote(): Promise<void> {
    await this.raise();
    // The operator is told the store's own reason.
    await this.writeStoreNote().catch((error: unknown) => {
      throw error instanceof StoreAway ? error.cause : error;
    });
    if (this.latest) this.enter(this.latest);
  }

  assertNormalMode(): void {
    const refusal = refusalOf(this.mode);
    if (refusal) throw refusalError(refusal);
  }

  async refusal(tx: Tx): Promise<AppError | null> {
    const refusal = refusalOf(this.mode);
    if (refusal) return refusalError(refusal);
    // Read before the query: the counter may be raised while it runs.
    const { remembered } = this;
    const row = await findInstallation(tx);
    const isUnsound = row === null || remembered === null || isBehind(row, remembered); // mutant: lost-changes
    if (!isUnsound && row.safe_since === null) return null;
    if (row !== null && row.safe_since !== null) this.enter(row);
    else void this.checkBeforeSend();
    const reason = row?.safe_reason ?? 'The database is behind what this process wrote.';
    return refusalError({ code: 'safe_mode', reason });
  }

  async signOff(): Promise<void> {
    this.stop();
    if (this.mode.kind !== 'unchecked') await waitWithTimeout(SIGN_OFF_MS, this.checkBeforeSend());
  }

  stop(): void {
    this.isRegular = false;
    clearTimeout(this.timer);
  }
}
