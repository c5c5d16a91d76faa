// A backup of a running installation. Database and files cannot be copied at the same moment, and a file may be removed right
// after its row was copied. So the rows are copied first, from one snapshot, and then the files that they refer to. If one of
// those is gone, the rows are copied anew: what is missing then too is lost in the installation itself.
import { randomUUID } from 'node:crypto';
import { keyIdOf } from '../../core/seal.js';
import type { Database, Reader } from '../../db/database.js';
import { assertSchemaFits, newestMigration } from '../../db/migrate.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import type { RowsDigest } from './digest.js';
import { type CopiedFile, filesOfAsset, forEachConcurrent, readIfThere } from './files.js';
import { BackupFolder, type Manifest, readLines, writeLines } from './folder.js';
import { OperatorError, type Report } from './operator-error.js';
import { linesOfTable, rowOf } from './rows.js';
import { isKeyOf, sealKeys } from './sealed-keys.js';
import { copiedTables } from './tables.js';

export interface BackupDeps {
  db: Database;
  store: ObjectStore;
  /** The encryption keys, the current one first. Null: they are not configured here. */
  keys: readonly Buffer[] | null;
  /** Null: the keys stay out of the backup. */
  passphrase: string | null;
  report: Report;
}

/** How often files are copied again. More rounds are needed only while files are removed faster than the few new ones are copied. */
const MAX_ROUNDS = 10;

export async function makeBackup(parts: BackupDeps, path: string): Promise<Manifest> {
  const { db, keys, passphrase, report } = parts;
  await assertSchemaFits(db);
  if (passphrase !== null && keys === null)
    throw new OperatorError(
      'BACKUP_PASSPHRASE is set, but there is no encryption key to seal: set ENCRYPTION_KEY too.',
    );
  const folder = await BackupFolder.make(path);
  report('the folder is made');
  const lists: Manifest['lists'] = {};
  let missing: ReadonlySet<string> = new Set();
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const copied = await copyRows(parts, folder);
    const gone = await copyFiles(parts, folder, lists, String(round));
    if ([...gone].every((key) => missing.has(key))) {
      const id = randomUUID();
      const manifest: Manifest = {
        format: 2,
        id,
        engine: db.engine,
        ...copied,
        lists,
        lost: [...gone].sort(),
        sealed_keys: passphrase === null ? null : await sealKeys(keys ?? [], passphrase, id),
      };
      await folder.writeManifest(manifest);
      return manifest;
    }
    missing = gone;
  }
  throw new OperatorError(
    'Files were removed faster than they could be copied. Delete the folder, and begin again at a quieter time.',
  );
}

async function copyRows(parts: BackupDeps, folder: BackupFolder) {
  const { db, report } = parts;
  const made_at = await db.now();
  const copied = await db.readSnapshot('backup', async (read) => {
    const tables: Record<string, RowsDigest> = {};
    const schema_version = (await newestMigration(read))?.version ?? 0;
    await assertKeysOpen(read, parts);
    for (const table of await copiedTables(read, db.engine)) {
      const lines = counted(linesOfTable(read, table), (rows) => report(`${table.name}: ${rows} rows`));
      tables[table.name] = await writeLines(folder.tableFile(table.name), lines);
    }
    const keyCheck = await keyCheckIn(folder);
    const key_id = keyCheck === null ? null : keyIdOf(keyCheck);
    return { made_at, schema_version, tables, key_id };
  });
  if (copied === null) throw new OperatorError('Another backup is being made. Wait until it is done.');
  return copied;
}

/** A backup with another key than the rows are sealed with would only seem to be complete. */
async function assertKeysOpen(read: Reader, { keys, passphrase }: BackupDeps): Promise<void> {
  if (passphrase === null) return;
  const check = await read.selectFrom('key_check').select('sealed').executeTakeFirst();
  if (check && !isKeyOf(check.sealed, keys ?? []))
    throw new OperatorError(
      `ENCRYPTION_KEY (or encryption.key in DATA_DIR) is not the key of this database, which has the id ${keyIdOf(check.sealed)}: the backup would contain the wrong key. Set the right one, delete the folder and begin again.`,
    );
}

async function* counted(pages: AsyncIterable<string[]>, tell: (rows: number) => void) {
  let rows = 0;
  for await (const page of pages) {
    rows += page.length;
    tell(rows);
    yield page;
  }
}

/** What a start compares its encryption key with; null if the installation has never been started. */
export async function keyCheckIn(folder: BackupFolder): Promise<string | null> {
  for await (const [line] of readLines(folder.tableFile('key_check')))
    if (line !== undefined) return String(rowOf(line).sealed);
  return null;
}

/** Copies what is not in the folder yet, writes a list of it, and returns the keys of what is missing in the store. */
async function copyFiles(
  { store, report }: BackupDeps,
  folder: BackupFolder,
  lists: Manifest['lists'],
  list: string,
): Promise<Set<string>> {
  const missing = new Set<string>();
  let files = 0;
  async function* copiedPages() {
    for await (const page of readLines(folder.tableFile('assets'))) {
      const copied: CopiedFile[] = [];
      await forEachConcurrent(page, async (line) => {
        for (const { key, mayBeMissing } of filesOfAsset(line)) {
          if (await folder.hasFile(key)) continue;
          const file = await readIfThere(store, key, (body) => folder.writeFile(key, body));
          if (file) copied.push(file);
          else if (!mayBeMissing) missing.add(key);
          report(`files: ${++files}`);
        }
      });
      yield copied.map((file) => JSON.stringify(file));
    }
  }
  const digest = await writeLines(folder.listFile(list), copiedPages());
  lists[list] = digest;
  return missing;
}

/** The text that tells the operator what is in a backup. */
export function describeBackup(manifest: Manifest, path: string): string {
  const sum = (digests: Record<string, RowsDigest>) =>
    Object.values(digests).reduce((total, { rows }) => total + rows, 0);
  const lines = [
    `The backup is complete: ${sum(manifest.tables)} rows and ${sum(manifest.lists)} files in ${path}.`,
  ];
  if (manifest.sealed_keys) lines.push('It contains the encryption key, sealed with BACKUP_PASSPHRASE.');
  else if (manifest.key_id !== null)
    lines.push(
      `It does not contain the encryption key (id ${manifest.key_id}). Keep that key elsewhere: without it, the accounts must be connected again.`,
    );
  if (manifest.lost.length > 0)
    lines.push(
      `Files that posts refer to, but that the file store has lost, are not in the backup: ${manifest.lost.length}`,
      ...manifest.lost.map((key) => `  ${key}`),
    );
  return lines.join('\n');
}
