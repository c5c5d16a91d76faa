// Takes over a file store whose note belongs to another installation: for an operator who begins anew on it, or whose database
// was restored without its own note. An installation that is in use moves its note every few seconds, so it is noticed.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../db/database.js';
import type { ObjectStore } from '../object-store/object-store.js';
import {
  counterIn,
  type FoundNote,
  NOTE_KEY,
  noteOf,
  parseNote,
  serializeNote,
} from '../restore-safety/note.js';
import { takeNote } from '../restore-safety/safe-mode.js';
import { OperatorError } from './backup/operator-error.js';

export interface AdoptionDeps {
  db: Database;
  store: Pick<ObjectStore, 'load' | 'replace'>;
  now: number;
  /** How long the note must not move: several times as long as a process takes to renew it. */
  watchMs?: number;
  report?: (step: string) => void;
}

const WATCH_MS = 15_000;
const LOOK_EVERY_MS = 500;

/** Returns what was done, in a sentence. */
export async function adoptStore({
  db,
  store,
  now,
  watchMs = WATCH_MS,
  report,
}: AdoptionDeps): Promise<string> {
  const found = parseNote(await store.load(NOTE_KEY));
  const own = await db.read.selectFrom('installation').select('installation_id').executeTakeFirst();
  if (found === 'absent') return 'The file store belongs to no installation: start the service.';
  if (found !== 'damaged' && found.installationId === own?.installation_id)
    return 'The file store belongs to this installation already.';
  if (found === 'damaged')
    throw new OperatorError(
      `The object ${NOTE_KEY} in the file store is damaged, so whose it is cannot be told. If this installation wrote it, run npm run end-safe-mode. If no installation uses the store, remove the object.`,
    );
  report?.(`Watching for ${watchMs / 1000} seconds whether another installation uses the store.`);
  for (let waited = 0; waited < watchMs; waited += LOOK_EVERY_MS) {
    await delay(Math.min(LOOK_EVERY_MS, watchMs - waited));
    assertNotMoved(found, parseNote(await store.load(NOTE_KEY)));
  }
  const row = await db.transact((tx) => takeNote(tx, counterIn(found), now));
  await store.replace(NOTE_KEY, serializeNote(noteOf(row)));
  return row.safe_since === null
    ? 'The file store belongs to this installation from now on. Start the service.'
    : 'The file store belongs to this installation from now on, which is in safe mode: start the service, check what was published, then run npm run end-safe-mode.';
}

function assertNotMoved(before: FoundNote, now: FoundNote): void {
  if (JSON.stringify(before) !== JSON.stringify(now))
    throw new OperatorError(
      'Another installation uses this file store right now: its note has just changed. Give this installation a store of its own (DATA_DIR, or S3_BUCKET), or stop the other one first.',
    );
}
