// Moves a whole embedded installation, a SQLite database with files on disk, to Postgres and the file store that is configured.
// Nothing was published since, so the new one does not start in safe mode. But before it can start, the old one is marked: its
// note says that the installation has moved, and its next start begins in safe mode.

import type { Log } from '../../core/log.js';
import { keyIdOf } from '../../core/seal.js';
import type { Database, Tx } from '../../db/database.js';
import { assertMadeByRelease, newestMigration } from '../../db/migrate.js';
import { migrations } from '../../db/migrations/index.js';
import type { IntrospectedTable } from '../../db/schema-introspection.js';
import type { ExclusiveDatabase } from '../../db/sqlite/exclusive-database.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import {
  type Installation,
  movedNote,
  NOTE_KEY,
  parseNote,
  serializeNote,
} from '../../restore-safety/note.js';
import type { RowsDigest } from './digest.js';
import { filesOfAsset, forEachConcurrent, measure, placeFile, readIfThere } from './files.js';
import { fillInstallation } from './fill.js';
import { OperatorError, type Report } from './operator-error.js';
import { linesOfTable } from './rows.js';
import { isKeyOf } from './sealed-keys.js';
import { copiedTables } from './tables.js';

export interface MoveDeps {
  source: { db: ExclusiveDatabase; store: ObjectStore };
  db: Database;
  store: ObjectStore;
  /** The encryption keys of the new installation. */
  keys: readonly Buffer[];
  log: Log;
  report: Report;
}

export interface Moved {
  rows: number;
  files: number;
  lost: string[];
}

/** Null: an earlier run had moved everything, and only the end was missing. */
export async function moveInstallation(parts: MoveDeps): Promise<Moved | null> {
  const { source, db, store, log, report } = parts;
  const { read } = source.db;
  for (const both of [read, db.read]) await assertMadeByRelease(both);
  await assertSourceFits(parts);
  const installation = await read.selectFrom('installation').selectAll().executeTakeFirst();
  if (!installation)
    throw new OperatorError('The old installation has never been started: there is nothing to move.');
  await assertStoreBelongsTo(installation, source.store);
  const sourceTables = new Map((await copiedTables(read, 'sqlite')).map((table) => [table.name, table]));
  const tableOf = (name: string) => {
    const table = sourceTables.get(name);
    if (!table) throw new Error(`the old database has no table ${name}`);
    return table;
  };
  let now = 0;
  let copied = { files: 0, lost: [] as string[] };
  const written = await fillInstallation({
    db,
    store,
    log,
    report,
    id: `move of ${installation.installation_id}`,
    isFilled: () => isMoved(parts, installation),
    async copyFiles() {
      copied = await copyFiles(parts, tableOf('assets'));
      now = await db.now();
    },
    schemaVersion: migrations.length,
    lines: (name) => linesOfTable(read, tableOf(name)),
    async finish(tx) {
      await continueCounter(tx, installation);
      // Before the rows of the new one are there. If this process ends in between, neither publishes, and the move is repeated.
      await source.store.replace(NOTE_KEY, serializeNote(movedNote(installation, now)));
      report('the old one is marked');
    },
  });
  return written && { rows: rowsIn(written), ...copied };
}

/** The old one is marked before the rows of the new one are there, and loses its mark if it is released. */
async function isMoved({ source, db }: MoveDeps, { installation_id }: Installation): Promise<boolean> {
  const note = parseNote(await source.store.load(NOTE_KEY));
  const there = await db.read.selectFrom('installation').select('installation_id').executeTakeFirst();
  return there?.installation_id === installation_id && typeof note !== 'string' && note.movedAt !== undefined;
}

const rowsIn = (digests: Record<string, RowsDigest>) =>
  Object.values(digests).reduce((total, { rows }) => total + rows, 0);

async function assertSourceFits({ source, keys }: MoveDeps): Promise<void> {
  const { read } = source.db;
  const newest = await newestMigration(read);
  if (newest?.version !== migrations.length)
    throw new OperatorError(
      'The database of the old installation is not of this version. Bring it up to date with npm run migrate, or use the version that it was last started with.',
    );
  const check = await read.selectFrom('key_check').select('sealed').executeTakeFirst();
  if (check && !isKeyOf(check.sealed, keys))
    throw new OperatorError(
      `ENCRYPTION_KEY is not the key of the old installation, which has the id ${keyIdOf(check.sealed)}. Set it to what the file encryption.key of the old installation holds, unless its settings say another.`,
    );
}

/**
 * The old one is stopped by a mark in its store, so the folder has to be the store that it uses. A process that stops leaves the
 * same counter in database and store. The note of a folder that was left for a bucket is missing, or behind the database; a note
 * ahead says that the database was restored. In safe mode the old one does not publish, and neither does the new one.
 */
async function assertStoreBelongsTo(installation: Installation, store: ObjectStore): Promise<void> {
  if (installation.safe_since !== null) return;
  const found = parseNote(await store.load(NOTE_KEY));
  const note = typeof found === 'string' ? null : found;
  // An earlier run may have written the mark already.
  const expected = note?.movedAt === undefined ? installation.counter : movedNote(installation, 0).counter;
  if (note?.installationId !== installation.installation_id || note.counter !== expected)
    throw new OperatorError(
      `The old folder is not the file store that the old installation used last: its note (${NOTE_KEY}) does not fit the database. If the files are in a bucket, use npm run backup and npm run restore instead. If not, start the old installation once more with its own settings, stop it, and repeat the move.`,
    );
}

async function copyFiles({ source, store, report }: MoveDeps, assets: IntrospectedTable) {
  const lost: string[] = [];
  let files = 0;
  for await (const page of linesOfTable(source.db.read, assets))
    await forEachConcurrent(page, async (line) => {
      for (const { key, mayBeMissing } of filesOfAsset(line)) {
        const file = await readIfThere(source.store, key, measure);
        if (!file && !mayBeMissing) lost.push(key);
        if (!file) continue;
        await placeFile(store, file, () => source.store.read(key));
        report(`files: ${++files}`);
      }
    });
  if (files === 0 && lost.length > 0)
    throw new OperatorError(
      'None of the files that posts refer to is in the old folder. If they are in a bucket, use npm run backup and npm run restore instead.',
    );
  return { files, lost };
}

/** Above the old one's, also above its mark. The new store has no note yet, and none is expected at the first start. */
async function continueCounter(tx: Tx, { counter }: Installation): Promise<void> {
  await tx
    .updateTable('installation')
    .set({ counter: counter + 2, store_noted: 0 })
    .execute();
}
