// Puts a backup into an empty database and an empty file store. The files come first, because the rows refer to them. All rows
// are committed at the same moment, together with safe mode.
import { byOperator, recordAudit, restoredAct } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import { idGenerator } from '../../core/ids.js';
import type { Log } from '../../core/log.js';
import type { Database, Tx } from '../../db/database.js';
import { assertMadeByRelease, newestMigration } from '../../db/migrate.js';
import { migrations } from '../../db/migrations/index.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { enterSafeMode } from '../../restore-safety/safe-mode.js';
import { keyCheckIn } from './backup.js';
import { isSameDigest } from './digest.js';
import { type CopiedFile, forEachConcurrent, placeFile } from './files.js';
import { fillInstallation } from './fill.js';
import { BackupFolder, type Manifest, readLines, verifyBackup } from './folder.js';
import { OperatorError, type Report } from './operator-error.js';
import { isKeyOf, openKeys } from './sealed-keys.js';

export interface VerifiedBackup {
  folder: BackupFolder;
  manifest: Manifest;
  /** What the backup's own keys must be written to, because none is configured; null: they are not needed. */
  keysToKeep: Buffer[] | null;
}

/** Reads the whole backup, and finds its key. Nothing is written. */
export async function verifiedBackup(
  path: string,
  configuredKeys: readonly Buffer[] | null,
  passphrase: string | null,
  report: Report,
): Promise<VerifiedBackup> {
  const { folder, manifest } = await BackupFolder.open(path);
  if (manifest.schema_version > migrations.length)
    throw new OperatorError(
      'The backup was made by a newer version of Airdate. Restore it with that version or a later one.',
    );
  await verifyBackup(folder, manifest, report);
  const keyCheck = await keyCheckIn(folder);
  if (keyCheck === null) return { folder, manifest, keysToKeep: null };
  if (configuredKeys !== null) {
    if (isKeyOf(keyCheck, configuredKeys)) return { folder, manifest, keysToKeep: null };
    throw new OperatorError(
      `ENCRYPTION_KEY (or encryption.key in DATA_DIR) is not the key of this backup, which has the id ${manifest.key_id}.`,
    );
  }
  if (manifest.sealed_keys === null || passphrase === null)
    throw new OperatorError(
      manifest.sealed_keys === null
        ? `The encryption key of this backup (id ${manifest.key_id}) is not in it. Set ENCRYPTION_KEY to it, or put the saved encryption.key into DATA_DIR.`
        : 'Set BACKUP_PASSPHRASE to the passphrase of this backup, or ENCRYPTION_KEY to its key.',
    );
  const keys = await openKeys(manifest.sealed_keys, passphrase, manifest.id);
  if (!keys || !isKeyOf(keyCheck, keys))
    throw new OperatorError('BACKUP_PASSPHRASE is not the passphrase of this backup.');
  return { folder, manifest, keysToKeep: keys };
}

export interface RestoreDeps {
  db: Database;
  store: ObjectStore;
  log: Log;
  report: Report;
  /** Stores the backup's own keys where the next start finds them. */
  keepKeys(keys: readonly Buffer[]): void;
}

export async function restoreBackup(
  { folder, manifest, keysToKeep }: VerifiedBackup,
  parts: RestoreDeps,
): Promise<void> {
  const { db } = parts;
  await assertMadeByRelease(db.read);
  let now = 0;
  await fillInstallation({
    ...parts,
    id: `restore of ${manifest.id}`,
    isFilled: () => isRestoredFrom(db, manifest),
    assertTablesFit: () => assertSchemaNotNewer(db, manifest),
    async copyFiles() {
      if (keysToKeep) parts.keepKeys(keysToKeep);
      await placeFiles(folder, manifest, parts);
      now = await db.now();
    },
    schemaVersion: manifest.schema_version,
    lines: (table) => (manifest.tables[table] ? readLines(folder.tableFile(table)) : readNothing()),
    finish: (tx) => beginSafeMode(tx, manifest, now),
    assertComplete(written) {
      for (const [name, digest] of Object.entries(manifest.tables))
        if (!isSameDigest(digest, written[name])) throw new Error(`the table ${name} was not restored`);
    },
  });
}

/** An earlier run was interrupted after the rows were there, or was not: then there is nothing left to do. */
async function isRestoredFrom(db: Database, manifest: Manifest): Promise<boolean> {
  const row = await db.read
    .selectFrom('installation')
    .select(['safe_since', 'safe_reason', 'restored_to'])
    .executeTakeFirst();
  return (
    row !== undefined &&
    row.safe_since !== null &&
    row.restored_to === manifest.made_at &&
    row.safe_reason === reasonFor(manifest)
  );
}

const reasonFor = ({ made_at }: Manifest) =>
  `The service was restored from a backup of ${toTimestamp(made_at)}.`;

async function* readNothing(): AsyncGenerator<string[], void> {}

async function assertSchemaNotNewer(db: Database, manifest: Manifest): Promise<void> {
  const newest = await newestMigration(db.read);
  if (newest && newest.version > manifest.schema_version)
    throw new OperatorError(
      'The tables of the database are newer than the backup. Name a database without tables: they are made to fit, and then brought up to date.',
    );
}

async function placeFiles(
  folder: BackupFolder,
  { lists }: Manifest,
  { store, report }: RestoreDeps,
): Promise<void> {
  let files = 0;
  for (const list of Object.keys(lists))
    for await (const page of readLines(folder.listFile(list)))
      await forEachConcurrent(page, async (line) => {
        const file = JSON.parse(line) as CopiedFile;
        await placeFile(store, file, async () => folder.readFile(file.key));
        report(`files: ${++files}`);
      });
}

/**
 * Its counter is above all that the installation, or an earlier restore of the same backup, may have reached: it begins at the
 * seconds since 1970, and is raised less often than that. So no id of an event is given a second time.
 */
async function beginSafeMode(tx: Tx, manifest: Manifest, now: number): Promise<void> {
  const reason = reasonFor(manifest);
  await recordAudit(
    { newId: idGenerator({ now: () => now }) },
    tx,
    byOperator(null, null),
    restoredAct(reason),
  );
  await enterSafeMode(tx, {
    reason,
    above: Math.floor(now / 1000),
    now,
    restoredTo: manifest.made_at,
  });
}
