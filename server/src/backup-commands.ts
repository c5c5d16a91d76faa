// The commands that copy a whole installation: backup, restore and move.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  assertHasDatabase,
  quietLog as log,
  openFiles,
  parseOptions,
  UsageError,
  withDatabase,
} from './commands.js';
import type { Config } from './config/config.js';
import { findEncryptionKey } from './config/encryption-key.js';
import { missingSettings, restoredKeys, saveRestoredKeys } from './config/restored-keys.js';
import { type Database, DatabaseInUseError } from './db/database.js';
import { openSqliteExclusively } from './db/sqlite/exclusive-database.js';
import type { ObjectStore } from './object-store/object-store.js';
import { describeBackup, makeBackup } from './operator/backup/backup.js';
import { moveInstallation } from './operator/backup/move.js';
import { OperatorError, type Report } from './operator/backup/operator-error.js';
import { restoreBackup, verifiedBackup } from './operator/backup/restore.js';

/** Where a command reports to. */
export interface Terminal {
  say(text: string): void;
  report: Report;
}

export async function backUp(
  config: Config,
  args: string[],
  { say, report }: Terminal = terminal(),
): Promise<void> {
  const to = folderIn(args, 'to', 'npm run backup -- --to <new folder>');
  assertHasDatabase(config);
  await withParts(config, async ({ db, store }) => {
    const { backupPassphrase: passphrase } = config;
    const manifest = await makeBackup({ db, store, keys: keysInUse(config), passphrase, report }, to);
    say(describeBackup(manifest, to));
  });
}

export async function restore(
  config: Config,
  args: string[],
  { say, report }: Terminal = terminal(),
): Promise<void> {
  const from = folderIn(args, 'from', 'npm run restore -- --from <folder of the backup>');
  // As long as no key is set, those count that an earlier run has saved, or that the operator has put there.
  const keys = config.encryptionKey === null ? restoredKeys(config) : keysInUse(config);
  const verified = await verifiedBackup(from, keys, config.backupPassphrase, report);
  const { manifest } = verified;
  await withParts(config, async ({ db, store }) => {
    await restoreBackup(verified, {
      db,
      store,
      log,
      report,
      keepKeys: (keys) => saveRestoredKeys(config.dataDir, keys),
    });
  });
  say('The backup is restored, and the service is in safe mode: nothing is published before you release it.');
  if (manifest.lost.length > 0) say(missingFiles('when the backup was made', manifest.lost));
  for (const sentence of missingSettings(config)) say(sentence);
  say('Next: start the service, check what was published since the backup, then run npm run end-safe-mode.');
}

export async function move(
  config: Config,
  args: string[],
  { say, report }: Terminal = terminal(),
): Promise<void> {
  const from = folderIn(args, 'from', 'npm run move -- --from <DATA_DIR of the old installation>');
  const { encryptionKey, oldEncryptionKeys } = config;
  if (config.databaseUrl === null || encryptionKey === null)
    throw new UsageError('npm run move needs DATABASE_URL, the database to move to, and ENCRYPTION_KEY.');
  const file = join(from, 'airdate.db');
  if (!existsSync(file))
    throw new OperatorError(`There is no installation in ${from}: it has no airdate.db.`);
  if (config.s3 === null && resolve(config.dataDir) === from)
    throw new OperatorError(
      'The files would be copied to where they are. Set DATA_DIR to a new folder, or S3_BUCKET to a bucket.',
    );
  const lone = openAlone(file);
  try {
    const source = { db: lone, store: await openFiles({ ...config, s3: null, dataDir: from }) };
    await withParts(config, async ({ db, store }) => {
      const keys = [encryptionKey, ...oldEncryptionKeys];
      const moved = await moveInstallation({ source, db, store, keys, log, report });
      say(
        moved
          ? `Moved ${moved.rows} rows and ${moved.files} files, and compared them.`
          : 'An earlier run had moved everything; its end was missing, and is done now.',
      );
      if (moved && moved.lost.length > 0) say(missingFiles('in the old installation', moved.lost));
    });
  } finally {
    lone.close();
  }
  say(`The old installation in ${from} starts in safe mode only from now on. Keep it until you are sure.`);
  say('Next: start the new one with npm run api and npm run worker.');
}

/** Database and store alone: a whole service would raise the installation's counter, and make what is missing. */
async function withParts(
  config: Config,
  work: (parts: { db: Database; store: ObjectStore }) => Promise<void>,
): Promise<void> {
  const store = await openFiles(config);
  await store.check();
  await withDatabase(config, (db) => work({ db, store }), log);
}

function openAlone(file: string) {
  try {
    return openSqliteExclusively(file);
  } catch (error) {
    if (!(error instanceof DatabaseInUseError)) throw error;
    throw new OperatorError(`A process uses ${file}. Stop every process of the old installation first.`, {
      cause: error,
    });
  }
}

/** The keys that the service itself would use, the current one first. With DATABASE_URL it uses none that is kept in DATA_DIR. */
function keysInUse({ databaseUrl, encryptionKey, oldEncryptionKeys, dataDir }: Config): Buffer[] | null {
  const current = encryptionKey ?? (databaseUrl === null ? findEncryptionKey(dataDir) : null);
  return current && [current, ...oldEncryptionKeys];
}

function folderIn(args: string[], name: 'to' | 'from', usage: string): string {
  const folder = parseOptions(args, { [name]: { type: 'string' } } as const)[name];
  if (typeof folder !== 'string' || folder === '') throw new UsageError(`Use it like this: ${usage}`);
  return resolve(folder);
}

const missingFiles = (where: string, keys: readonly string[]) =>
  [`Missing already ${where}: ${keys.length}`, ...keys.map((key) => `  ${key}`)].join('\n');

const EVERY_MS = 1_000;

/** Results go to stdout. What is done so far goes to stderr, on a terminal in one line that changes. */
function terminal(): Terminal {
  const { stdout, stderr } = process;
  let next = performance.now() + EVERY_MS;
  let isLineOpen = false;
  return {
    say(text) {
      if (isLineOpen) stderr.write('\n');
      isLineOpen = false;
      stdout.write(`${text}\n`);
    },
    report(step) {
      if (performance.now() < next) return;
      next = performance.now() + EVERY_MS;
      isLineOpen = stderr.isTTY === true;
      stderr.write(isLineOpen ? `\r\u001b[K${step}` : `${step}\n`);
    },
  };
}
