// The encryption key of an installation that configures none: created at the first start and kept in DATA_DIR.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './env-reader.js';

const fileIn = (dataDir: string) => join(dataDir, 'encryption.key');

export const hasEncryptionKey = (dataDir: string): boolean => existsSync(fileIn(dataDir));

/** The key stored beside the embedded database, readable only by its owner; created at the first start. */
export function loadOrCreateEncryptionKey(dataDir: string): Buffer {
  return findEncryptionKey(dataDir) ?? saveEncryptionKey(dataDir, randomBytes(32));
}

/** Null if there is none. */
export function findEncryptionKey(dataDir: string): Buffer | null {
  const file = fileIn(dataDir);
  if (!hasEncryptionKey(dataDir)) return null;
  const text = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new ConfigError([
      `${file} is damaged: it must hold 64 hexadecimal digits. Restore it from a backup.`,
    ]);
  return Buffer.from(text, 'hex');
}

/** Returns the key that is stored then: the one of another process if that was faster. */
export function saveEncryptionKey(dataDir: string, key: Buffer): Buffer {
  const file = fileIn(dataDir);
  mkdirSync(dataDir, { recursive: true });
  // Written under another name, then linked: a crash leaves no partial key, and if two processes start at the same time, the
  // first link wins and both use that key.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${key.toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return findEncryptionKey(dataDir) ?? key;
}
