// The note that tells a restored database from one that has gone on without a break: an id and a counter, in the database
// and as one object of the file store. The database's counter is always raised first, so whatever the store says was true
// of this database once. A store that says more than the database knows has outlived it.
import type { Selectable } from 'kysely';
import type { InstallationTable } from '../db/tables.js';
import { toTimestamp } from '../ground/clock.js';

export const NOTE_KEY = 'airdate/alive';

export interface Note {
  installationId: string;
  counter: number;
  /** For people. Only ids and counters decide. */
  notedAt: number;
}

export type Installation = Selectable<InstallationTable>;

export const noteOf = ({ installation_id, counter, noted_at }: Installation): Note => ({
  installationId: installation_id,
  counter,
  notedAt: noted_at,
});

export const writeNote = ({ installationId, counter, notedAt }: Note): Buffer =>
  Buffer.from(
    `${JSON.stringify({ installation_id: installationId, counter, noted_at: toTimestamp(notedAt) })}\n`,
  );

/** A damaged note gets an id that fits no database. */
export function readNote(bytes: Buffer): Note {
  try {
    const { installation_id, counter, noted_at } = JSON.parse(bytes.toString('utf8'));
    if (typeof installation_id === 'string' && Number.isSafeInteger(counter) && counter >= 0)
      return { installationId: installation_id, counter, notedAt: Date.parse(noted_at) || 0 };
  } catch {
    // Damaged, like everything else that is not a note.
  }
  return { installationId: '', counter: 0, notedAt: 0 };
}

/** What there is to judge by. The store is read before the database. */
export interface Evidence {
  database: Installation | null;
  store: Note | null;
  /** Whether the database knew of a note before the store was asked: only then is a missing one a reason to worry. */
  isNoteExpected: boolean;
  /** What this process last wrote itself. */
  remembered: Note | null;
}

/**
 * Why the database must have been restored, as a sentence for the operator; null if nothing says so. A database without
 * organizations has nothing to lose and is not asked about.
 */
export function evidenceOfRestore({ database, store, isNoteExpected, remembered }: Evidence): string | null {
  if (remembered && (database === null || isBehind(database, remembered)))
    return `The database has lost changes that a running process had made${last(remembered)}: a failover or a restore beneath it.`;
  if (database === null)
    return (
      store && 'The file store has been in use with a newer database: this one comes from an old backup.'
    );
  if (store === null)
    return isNoteExpected && database.store_noted === 1
      ? 'The file store has no note of this installation: it was restored together with the database, was emptied, or is the wrong one.'
      : null;
  // Entered for this very note, which a crash kept from being overwritten.
  if (database.safe_since !== null && database.epoch > store.counter) return null;
  if (store.installationId !== database.installation_id)
    return 'The file store belongs to another installation, or the database does.';
  return store.counter > database.counter
    ? `The database is older than the file store${last(store)}: it was restored from a backup.`
    : null;
}

const isBehind = (database: Installation, remembered: Note) =>
  database.installation_id !== remembered.installationId || database.counter < remembered.counter;

const last = ({ notedAt }: Note) => (notedAt === 0 ? '' : ` (last in use at ${toTimestamp(notedAt)})`);
