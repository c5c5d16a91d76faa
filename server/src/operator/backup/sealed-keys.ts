// The encryption key in a backup: only if the operator gives a passphrase, and sealed with it.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { createSeal } from '../../core/seal.js';

export interface SealedKeys {
  /** The salt of scrypt, with N = 2^17, r = 8, p = 1. */
  salt: string;
  /** AES-256-GCM: nonce, tag and text. */
  sealed: string;
}

/** About 128 MB and half a second for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/** All keys of the installation, the current one first. */
export async function sealKeys(
  keys: readonly Buffer[],
  passphrase: string,
  backupId: string,
): Promise<SealedKeys> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await keyFrom(passphrase, salt), nonce);
  cipher.setAAD(Buffer.from(backupId));
  const text = Buffer.concat([cipher.update(Buffer.concat(keys)), cipher.final()]);
  return {
    salt: salt.toString('base64url'),
    sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url'),
  };
}

/** Null if the passphrase is wrong. */
export async function openKeys(
  { salt, sealed }: SealedKeys,
  passphrase: string,
  backupId: string,
): Promise<Buffer[] | null> {
  const bytes = Buffer.from(sealed, 'base64url');
  const key = await keyFrom(passphrase, Buffer.from(salt, 'base64url'));
  const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
  opener.setAAD(Buffer.from(backupId)).setAuthTag(bytes.subarray(12, 28));
  try {
    const text = Buffer.concat([opener.update(bytes.subarray(28)), opener.final()]);
    return Array.from({ length: text.length / 32 }, (_, i) => text.subarray(i * 32, i * 32 + 32));
  } catch {
    return null;
  }
}

const keyFrom = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** Whether one of the keys has sealed the row of `key_check`, by which every start recognizes its database. */
export function isKeyOf(keyCheck: string, keys: readonly Buffer[]): boolean {
  const [current, ...others] = keys;
  if (!current) return false;
  try {
    createSeal(current, ...others).unseal(keyCheck, ['key_check']);
    return true;
  } catch {
    return false;
  }
}
