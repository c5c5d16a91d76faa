// Keeps this process from publishing on a restored database: it raises the installation's counter regularly, compares
// database and file store, and decides whether anything may be sent.
import { AsyncResource } from 'node:async_hooks';
import { waitWithTimeout } from '../core/concurrency.js';
import { type Log, toLogFields } from '../core/log.js';
import type { AppError } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import { type Compared, Comparison, type ComparisonDeps } from './comparison.js';
import { type Installation, isBehind, NOTE_KEY } from './note.js';
import { beginEpochUnchecked, findInstallation } from './safe-mode.js';
import { type Mode, problemOf, type Refusal, refusalOf, type Safety } from './safety.js';

export interface SafetyDeps extends ComparisonDeps {
  /** The store as the operator knows it: a folder, or a bucket. */
  storeName: string;
  log: Log;
  intervalMs: number;
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

export async function startSafety(parts: SafetyDeps): Promise<Safety> {
  const safety = new SafetyMonitor(parts);
  await waitWithTimeout(START_MS, safety.checkBeforeSend());
  safety.refuseTakenStore();
  await safety.beginUnchecked();
  safety.keepGoing();
  return safety;
}

class SafetyMonitor implements Safety {
  private readonly parts: SafetyDeps;
  private readonly comparison: Comparison;
  private current: Mode = { kind: 'unchecked', reason: NOT_ASKED };
  /** Whether the last check ended well. If not, the next one looks at the store before it raises the counter. */
  private isSound = false;
  private epoch: number | null = null;
  private running: Promise<Refusal | null> | null = null;
  private next: Promise<Refusal | null> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private wasAway = false;
  private readonly listeners: (() => void)[] = [];
  /** Runs outside the transaction that asks for it. */
  private readonly checkSoon: () => void;

  constructor(parts: SafetyDeps) {
    this.parts = parts;
    this.comparison = new Comparison(parts);
    this.checkSoon = AsyncResource.bind(() => void this.checkBeforeSend());
  }

  get mode(): Mode {
    return this.current;
  }

  onEpoch(listener: () => void): void {
    this.listeners.push(listener);
  }

  checkBeforeSend(): Promise<Refusal | null> {
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
    const { comparison } = this;
    const refusal = this.isSound ? null : this.refusalAfter(await comparison.compare());
    if (refusal) return refusal;
    this.isSound = false;
    try {
      await comparison.raise();
    } catch (error) {
      return this.away('database', error);
    }
    const later = this.refusalAfter(await comparison.compare());
    if (later) return later;
    try {
      if (!(await comparison.write()))
        return this.refusalAfter(await comparison.compare()) ?? refusalOf(this.current);
    } catch (error) {
      return this.away('store', error);
    }
    // A process may not publish before it has written its first note.
    if (comparison.latest) this.enter(comparison.latest);
    this.isSound = true;
    this.wasAway = false;
    return refusalOf(this.current);
  }

  /** Null if the note may be written. */
  private refusalAfter(compared: Compared): Refusal | null {
    const row = this.comparison.latest;
    const isSafe = row !== null && row.safe_since !== null;
    if (isSafe) this.enter(row);
    if (compared.kind === 'sound') return null;
    this.isSound = false;
    if (compared.kind === 'away') return this.away(compared.part, compared.error);
    const { mode: kind, reason } = compared;
    if (!isSafe) {
      if (!('reason' in this.current) || this.current.reason !== reason)
        this.parts.log.error({ reason }, 'nothing is published until the file store is in order');
      this.current = { kind, reason };
    }
    return refusalOf(this.current);
  }

  private away(part: 'store' | 'database', error: unknown): Refusal {
    this.isSound = false;
    if (!this.wasAway)
      this.parts.log.warn(toLogFields(error), `the safety note was not written: the ${part} does not answer`);
    this.wasAway = true;
    return part === 'store'
      ? {
          code: 'store_unavailable',
          reason: 'The file store does not answer, so nothing was sent (store_unavailable)',
        }
      : { code: 'unavailable', reason: 'The database does not answer, so nothing was sent (unavailable)' };
  }

  async replaceNote(): Promise<void> {
    await this.comparison.raise();
    await this.comparison.write();
    if (this.comparison.latest) this.enter(this.comparison.latest);
  }

  refuseTakenStore(): void {
    if (this.comparison.isStoreTaken)
      throw new StoreTaken(
        `The file store (${this.parts.storeName}) belongs to another installation of Airdate, or its object ${NOTE_KEY} is damaged, and this database is empty, so it is not started on it. Give this installation a store of its own (DATA_DIR, or S3_BUCKET). If the other one is gone for good, run npm run adopt-store.`,
      );
  }

  /** For a start that the store did not answer in time. */
  async beginUnchecked(): Promise<void> {
    if (this.current.kind === 'unchecked') await this.parts.db.transact(beginEpochUnchecked);
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
        'safe mode: the database was restored, and nothing is published until the operator releases it (npm run end-safe-mode)',
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
    const { remembered } = this.comparison;
    const row = await findInstallation(tx);
    const isUnsound = row === null || remembered === null || isBehind(row, remembered); // mutant: lost-changes
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
      void this.checkBeforeSend().then(() => this.keepGoing());
    }, pause);
    this.timer.unref();
  }

  async signOff(): Promise<void> {
    this.stop();
    if (this.current.kind !== 'unchecked') await waitWithTimeout(SIGN_OFF_MS, this.checkBeforeSend());
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}
