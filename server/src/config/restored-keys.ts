// The keys that a restore takes out of a backup: saved in DATA_DIR, where a repeated run and the operator find them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.js';
import { findEncryptionKey, saveEncryptionKey } from './encryption-key.js';

type Settings = Pick<Config, 'databaseUrl' | 'encryptionKey' | 'oldEncryptionKeys' | 'dataDir'>;

/** Holds the keys that were being replaced when the backup was made. */
const oldKeysFile = (dataDir: string) => join(dataDir, 'encryption-old.keys');

/** The current one comes last: if it is there, an interrupted run has saved all of them. */
export function saveRestoredKeys(dataDir: string, [current, ...old]: readonly Buffer[]): void {
  mkdirSync(dataDir, { recursive: true });
  if (old.length > 0)
    writeFileSync(oldKeysFile(dataDir), `${old.map((key) => key.toString('hex')).join(',')}\n`, {
      mode: 0o600,
      flush: true,
    });
  if (current) saveEncryptionKey(dataDir, current);
}

/** The current one first; null if there is none in DATA_DIR. */
export function restoredKeys({ dataDir, oldEncryptionKeys }: Settings): Buffer[] | null {
  const current = findEncryptionKey(dataDir);
  return current && [current, ...oldEncryptionKeys, ...oldKeysIn(dataDir)];
}

function oldKeysIn(dataDir: string): Buffer[] {
  if (!existsSync(oldKeysFile(dataDir))) return [];
  const keys = readFileSync(oldKeysFile(dataDir), 'utf8').trim().split(',');
  return keys.map((key) => Buffer.from(key, 'hex'));
}

/** Which settings the operator must add, because the service does not find them by itself. */
export function missingSettings({
  databaseUrl,
  encryptionKey,
  oldEncryptionKeys,
  dataDir,
}: Settings): string[] {
  if (encryptionKey !== null || findEncryptionKey(dataDir) === null) return [];
  const sentences: string[] = [];
  if (databaseUrl !== null)
    sentences.push(`Set ENCRYPTION_KEY to what ${join(dataDir, 'encryption.key')} holds, in every process.`);
  if (oldEncryptionKeys.length === 0 && existsSync(oldKeysFile(dataDir)))
    sentences.push(
      `The backup was made while its key was replaced: set ENCRYPTION_KEYS_OLD to what ${oldKeysFile(dataDir)} holds.`,
    );
  return sentences;
}
