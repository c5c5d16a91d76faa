// Compares the note in the file store with the database, and writes it. What a process remembers of earlier notes is kept here;
// what follows for callers is decided in monitor.ts.

import type { Clock } from '../core/clock.js';
import type { Database } from '../db/database.js';
import type { ObjectStore } from '../object-store/object-store.js';
import {
  type Finding,
  type Installation,
  isBehind,
  judge,
  NOTE_KEY,
  noteOf,
  parseNote,
  serializeNote,
  type Watermark,
} from './note.js';
import {
  checkDatabase,
  enterIfRestored,
  type KnownInstallation,
  type OnRestored,
  raiseAbove,
  raiseCounter,
  rememberStoreNote,
} from './safe-mode.js';

export interface ComparisonDeps {
  db: Database;
  store: Pick<ObjectStore, 'load' | 'replace'>;
  clock: Clock;
  /** How long a note that is missing or another installation's is read again before it counts as a restore. */
  doubtMs: number;
  onRestored: OnRestored;
}

export type Compared =
  /** The note may be written. In safe mode too: then `latest` says so. */
  | { kind: 'sound' }
  /** Nothing may be sent, and the note stays as it is. */
  | { kind: 'unsound'; mode: 'unreadable' | 'unchecked'; reason: string }
  | { kind: 'away'; part: 'store' | 'database'; error: unknown };

/** How many times a note is rewritten because another process has raised the counter in the meantime. */
const MAX_WRITES = 3;

export class Comparison {
  /** The row as last read or raised. */
  latest: Installation | null = null;
  /** The newest raise that this process has committed or read. */
  remembered: Watermark | null = null;
  /** The store holds another installation's note, and this database has no organizations. */
  isStoreTaken = false;
  private readonly parts: ComparisonDeps;
  private readonly rows: () => Promise<Installation[]>;
  /** Whether this process has written the store's note. */
  private hasWritten = false;
  /** When the store's note first looked as after a restore, by the monotonic clock. */
  private doubtSince: number | null = null;

  constructor(parts: ComparisonDeps) {
    this.parts = parts;
    this.rows = parts.db.prepareRead((read) => read.selectFrom('installation').selectAll());
  }

  async raise(): Promise<void> {
    const { db, clock, onRestored } = this.parts;
    this.remember(await db.transact((tx) => raiseCounter(tx, this.remembered, clock.now(), onRestored)));
  }

  /** Reads the store's note, then the database, and acts on what they reveal. */
  async compare(): Promise<Compared> {
    let part: 'store' | 'database' = 'database';
    try {
      const isNoteExpected = this.hasWritten || (await this.findRow())?.store_noted === 1;
      part = 'store';
      const store = parseNote(await this.parts.store.load(NOTE_KEY));
      part = 'database';
      const { remembered, hasWritten } = this;
      const known = { store, isNoteExpected, remembered, hasWritten };
      const row = (await this.findRow()) ?? null;
      return await this.act(judge({ ...known, database: row }), known, row);
    } catch (error) {
      if (part === 'store') await this.checkWithoutStore();
      return { kind: 'away', part, error };
    }
  }

  private async act(finding: Finding, known: KnownInstallation, row: Installation | null): Promise<Compared> {
    const { db, clock, onRestored } = this.parts;
    this.isStoreTaken = false;
    if (finding.kind === 'sound') this.doubtSince = null;
    if (row && finding.kind !== 'restored') this.remember(row);
    if (finding.kind === 'sound') return finding;
    const { reason } = finding;
    if (finding.kind === 'unreadable') return { kind: 'unsound', mode: 'unreadable', reason };
    const isForeign = finding.kind === 'suspicious' && finding.isForeign;
    if (finding.kind === 'suspicious') {
      const hasOrganizations = await this.hasOrganizations();
      this.isStoreTaken = isForeign && !hasOrganizations; // mutant: foreign-store
      if (this.isStoreTaken || (hasOrganizations && !this.hasLasted()))
        return { kind: 'unsound', mode: 'unchecked', reason };
    }
    const acted = await db.transact(
      async (tx) =>
        (await enterIfRestored(tx, known, clock.now(), onRestored)) ?? raiseAbove(tx, known, clock.now()),
    );
    this.remember(acted);
    this.doubtSince = null;
    // Another installation's note stays: that installation may be in use, and would stop publishing as well.
    return isForeign ? { kind: 'unsound', mode: 'unreadable', reason } : { kind: 'sound' };
  }

  /**
   * Rewrites the note while other processes raise the counter, so that the last writer writes the newest. False if the database
   * has lost commits meanwhile.
   */
  async write(): Promise<boolean> {
    const { store, db } = this.parts;
    for (let writes = 1; ; writes++) {
      const newest = this.latest;
      if (!newest) throw new Error('the installation has no row');
      const note = noteOf(newest);
      await store.replace(NOTE_KEY, serializeNote(note));
      this.hasWritten = true;
      if (newest.store_noted === 0) await db.transact((tx) => rememberStoreNote(tx, note)).catch(ignore);
      const current = await this.findRow().catch(ignore);
      if (!current) return true;
      if (isBehind(current, note)) return false;
      this.remember(current);
      if (current.counter === note.counter || writes === MAX_WRITES) return true;
    }
  }

  /** What the database alone reveals: that safe mode has begun, or that it is behind what this process remembers. */
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

  private remember(row: Installation): void {
    this.latest = row;
    this.remembered = noteOf(row);
  }
}

const ignore = () => undefined;
