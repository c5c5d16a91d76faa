// The note that reveals a restored database: an id and a counter, in the database and as one object in the file store.
// The database's counter is always raised first, so the store's note was once true of this database. A store that is
// ahead of the database proves that the database was restored.
import type { Selectable } from 'kysely';
import type { InstallationTable } from '../db/tables.js';
import { toTimestamp } from '../ground/clock.js';

export const NOTE_KEY = 'airdate/alive';

export interface Note {
  installationId: string;
  counter: number;
  /** For people; only ids and counters decide. */
  notedAt: number;
  /** The whole installation was moved elsewhere at this time: what is left of it here must not publish. */
  movedAt?: number;
}

export type Installation = Selectable<InstallationTable>;

export const noteOf = ({ installation_id, counter, noted_at }: Installation): Note => ({
  installationId: installation_id,
  counter,
  notedAt: noted_at,
});

export const writeNote = ({ installationId, counter, notedAt, movedAt }: Note): Buffer =>
  Buffer.from(
    `${JSON.stringify({
      installation_id: installationId,
      counter,
      noted_at: toTimestamp(notedAt),
      ...(movedAt === undefined ? {} : { moved_at: toTimestamp(movedAt) }),
    })}\n`,
  );

/** Ahead of the database that stays behind: its next start begins in safe mode. */
export const movedNote = (row: Installation, now: number): Note => ({
  installationId: row.installation_id,
  counter: row.counter + 1,
  notedAt: row.noted_at,
  movedAt: now,
});

/** A damaged note gets an id that matches no database. */
export function readNote(bytes: Buffer): Note {
  try {
    const { installation_id, counter, noted_at, moved_at } = JSON.parse(bytes.toString('utf8'));
    if (typeof installation_id === 'string' && Number.isSafeInteger(counter) && counter >= 0)
      return {
        installationId: installation_id,
        counter,
        notedAt: Date.parse(noted_at) || 0,
        ...(moved_at === undefined ? {} : { movedAt: Date.parse(moved_at) || 0 }),
      };
  } catch {
    // Falls through: not JSON, so damaged.
  }
  return { installationId: '', counter: 0, notedAt: 0 };
}

/** What the decision is based on. The store is read before the database. */
export interface Evidence {
  database: Installation | null;
  store: Note | null;
  /** Whether the database knew of a note before the store was read: only then is a missing one suspicious. */
  isNoteExpected: boolean;
  /** What this process last wrote. */
  remembered: Note | null;
}

/**
 * Why the database must have been restored, as a sentence for the operator; null if there is no evidence. A database
 * without organizations has nothing to lose and is not checked.
 */
export function evidenceOfRestore({ database, store, isNoteExpected, remembered }: Evidence): string | null {
  if (remembered && (database === null || isBehind(database, remembered)))
    return `The database has lost changes that a running process had made${last(remembered)}: it failed over or was restored while the process ran.`;
  if (database === null)
    return store && 'The file store was used with a newer database: this one comes from an old backup.';
  if (store === null)
    return isNoteExpected && database.store_noted === 1
      ? 'The file store has no note of this installation: it was restored together with the database, was emptied, or is the wrong one.'
      : null;
  // Safe mode began because of this very note, and a crash prevented its replacement.
  if (database.safe_since !== null && database.epoch > store.counter) return null;
  if (store.installationId !== database.installation_id)
    return 'The file store and the database belong to different installations.';
  if (store.counter > database.counter && store.movedAt !== undefined)
    return `This installation was moved to another database at ${toTimestamp(store.movedAt)}: only the new one may publish.`;
  return store.counter > database.counter
    ? `The database is older than the file store${last(store)}: it was restored from a backup.`
    : null;
}

const isBehind = (database: Installation, remembered: Note) =>
  database.installation_id !== remembered.installationId || database.counter < remembered.counter;

const last = ({ notedAt }: Note) => (notedAt === 0 ? '' : ` (last in use at ${toTimestamp(notedAt)})`);
