// The note that reveals a restored database: an id and a counter, in the database and as one object in the file store.
// The database's counter is always raised first, so the store's note was once true of this database. A store that is
// ahead of the database proves that the database was restored, or lost commits in a failover.
import type { Selectable } from 'kysely';
import { toTimestamp } from '../core/clock.js';
import type { InstallationTable } from '../db/tables.js';

export const NOTE_KEY = 'airdate/alive';

export interface Watermark {
  installationId: string;
  counter: number;
  /** Random, of the raise that led to this counter; null if it was raised by a version without tags. */
  tag: string | null;
  /** When the note was written, for people. Only ids, counters and tags decide. */
  notedAt: number;
  /** The whole installation was moved elsewhere at this time: what is left of it here must not publish. */
  movedAt?: number;
}

/** `damaged`: there is an object, and it is no note. */
export type FoundNote = Watermark | 'absent' | 'damaged';

export type Installation = Selectable<InstallationTable>;

export const noteOf = (row: Installation): Watermark => ({
  installationId: row.installation_id,
  counter: row.counter,
  tag: tagAt(row, row.counter),
  notedAt: row.noted_at,
});

export const TAG_LENGTH = 12;

/** How much of `recent_tags` is kept: about 200 raises, more than there are processes. */
export const RECENT_TAGS_LENGTH = 4_000;

/** The tag of a recent raise. Null if the row no longer knows it, or never did. */
export function tagAt({ recent_tags }: Pick<Installation, 'recent_tags'>, counter: number): string | null {
  const start = `${counter}:`;
  const entry = recent_tags.split(' ').find((one) => one.startsWith(start));
  const tag = entry?.slice(start.length) ?? '';
  // The last entry may be cut off.
  return tag.length === TAG_LENGTH ? tag : null;
}

export const serializeNote = ({ installationId, counter, tag, notedAt, movedAt }: Watermark): Buffer =>
  Buffer.from(
    `${JSON.stringify({
      installation_id: installationId,
      counter,
      ...(tag === null ? {} : { tag }),
      noted_at: toTimestamp(notedAt),
      ...(movedAt === undefined ? {} : { moved_at: toTimestamp(movedAt) }),
    })}\n`,
  );

/** Ahead of the database that stays behind: its next start begins in safe mode. */
export const movedNote = (row: Installation, now: number): Watermark => ({
  installationId: row.installation_id,
  counter: row.counter + 1,
  tag: null,
  notedAt: row.noted_at,
  movedAt: now,
});

export function parseNote(bytes: Buffer | null): FoundNote {
  if (bytes === null) return 'absent';
  try {
    const { installation_id, counter, tag, noted_at, moved_at } = JSON.parse(bytes.toString('utf8'));
    if (typeof installation_id !== 'string' || !Number.isSafeInteger(counter) || counter < 0)
      return 'damaged';
    return {
      installationId: installation_id,
      counter,
      tag: typeof tag === 'string' ? tag : null,
      notedAt: Date.parse(noted_at) || 0,
      ...(moved_at === undefined ? {} : { movedAt: Date.parse(moved_at) || 0 }),
    };
  } catch {
    return 'damaged'; // mutant: damaged-note
  }
}

export const counterIn = (found: FoundNote): number => (typeof found === 'string' ? 0 : found.counter);

/** What the decision is based on. The store is read before the database. */
export interface Evidence {
  database: Installation | null;
  store: FoundNote;
  /** Whether the database knew of a note before the store was read: only then is a missing one suspicious. */
  isNoteExpected: boolean;
  /** The highest counter that this process has committed. */
  remembered: Watermark | null;
  /** Whether this process has written the store's note before. */
  hasWritten: boolean;
}

export type NoteVerdict =
  | { kind: 'sound' }
  /** The database was restored, or lost commits. */
  | { kind: 'restored'; reason: string }
  /** What a restore or the wrong store looks like. A store may also err for a moment, so only what lasts counts. */
  | { kind: 'suspicious'; reason: string; isForeign: boolean }
  /** The note cannot be used. That is no restore, and it must not be overwritten: it may become whole again. */
  | { kind: 'unreadable'; reason: string };

/** A database without organizations has nothing to lose, so callers need not act on what is found for it. */
export function judge({ database, store, isNoteExpected, remembered, hasWritten }: Evidence): NoteVerdict {
  if (remembered && (database === null || isBehind(database, remembered)))
    return restored(
      `The database has lost changes that a running process had made${last(remembered)}: it failed over or was restored while the process ran.`,
    );
  if (store === 'damaged')
    // Whose it was, only the database can tell.
    return database && (database.store_noted === 1 || database.safe_since !== null)
      ? unreadable(
          `The object ${NOTE_KEY} in the file store is damaged. Nothing is published until it is whole again, or npm run end-safe-mode writes a new one.`,
        )
      : suspicious(
          `The object ${NOTE_KEY} in the file store is damaged, and may be another installation's.`,
          true,
        );
  if (store === 'absent') {
    if (!isNoteExpected || database?.store_noted !== 1) return { kind: 'sound' };
    // The database is not behind this process, so it was not restored with the files: the store has lost an object.
    return hasWritten
      ? unreadable(
          `The object ${NOTE_KEY} is missing from the file store. Nothing is published until it is back, or npm run end-safe-mode writes a new one.`,
        )
      : suspicious(
          'The file store has no note of this installation: it was restored together with the database, was emptied, or is the wrong one.',
        );
  }
  if (database === null)
    return suspicious(
      'The file store was used with a newer database: this one comes from an old backup.',
      true,
    );
  if (store.installationId !== database.installation_id)
    return hasWritten || database.safe_since !== null
      ? unreadable(
          `The object ${NOTE_KEY} in the file store belongs to another installation. Nothing is published until each has a store of its own.`,
        )
      : suspicious('The file store and the database belong to different installations.', true);
  // Safe mode began because of this very note, and a crash prevented its replacement.
  if (database.safe_since !== null && database.epoch > store.counter) return { kind: 'sound' };
  if (store.counter > database.counter)
    // mutant: store-ahead
    return restored(
      store.movedAt !== undefined
        ? `This installation was moved to another database at ${toTimestamp(store.movedAt)}: only the new one may publish.`
        : `The database is older than the file store${last(store)}: it was restored from a backup.`,
    );
  return hasParted(database, store)
    ? restored(
        `The database has lost changes that the file store knows of${last(store)}: it failed over or was restored.`,
      )
    : { kind: 'sound' };
}

const restored = (reason: string): NoteVerdict => ({ kind: 'restored', reason });
const unreadable = (reason: string): NoteVerdict => ({ kind: 'unreadable', reason });
const suspicious = (reason: string, isForeign = false): NoteVerdict => ({
  kind: 'suspicious',
  reason,
  isForeign,
});

/** Whether a row lacks what a process has committed. */
export const isBehind = (database: Installation, remembered: Watermark): boolean =>
  database.installation_id !== remembered.installationId ||
  database.counter < remembered.counter ||
  hasParted(database, remembered);

/**
 * Whether the database reached the note's counter by another raise: it lost that one, and was raised again since. Counters
 * alone do not tell these apart.
 */
function hasParted(database: Installation, { counter, tag }: Watermark): boolean {
  const own = tagAt(database, counter);
  return own !== null && tag !== null && own !== tag; // mutant: note-tag
}

const last = ({ notedAt }: Watermark) => (notedAt === 0 ? '' : ` (last in use at ${toTimestamp(notedAt)})`);
