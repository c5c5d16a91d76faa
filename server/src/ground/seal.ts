// Secrets at rest: AES-256-GCM, bound to where they are stored. A sealed text does not open in another row or with
// another key.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export interface Seal {
  /** `place` names organization, row and field; opening needs the same names in the same order. */
  close(plain: string, place: readonly string[]): string;
  open(sealed: string, place: readonly string[]): string;
  /** A text that only we can have given out for this place. It can be read, and is the same each time. */
  sign(plain: string, place: readonly string[]): string;
  /** Null: it was not signed by us, or for another place. */
  verify(signed: string, place: readonly string[]): string | null;
}

export function createSeal(masterKey: Buffer): Seal {
  const key = deriveKey(masterKey, 'seal');
  // Prefixes each sealed text, so that a rotation can tell which key a row still needs.
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8);
  const signingKey = deriveKey(masterKey, 'signatures');
  const signatureOf = (plain: string, place: readonly string[]) =>
    createHmac('sha256', signingKey)
      .update(JSON.stringify([place, plain]))
      .digest()
      .subarray(0, 16);
  const bind = (place: readonly string[]) => Buffer.from(JSON.stringify(place));
  return {
    close(plain, place) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bind(place));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, place) {
      const [id, text] = sealed.split('.') as [string, string];
      if (id !== keyId) throw new Error(`sealed with key ${id}, but the configured key is ${keyId}`);
      const bytes = Buffer.from(text, 'base64url');
      const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      opener.setAAD(bind(place)).setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([opener.update(bytes.subarray(28)), opener.final()]).toString('utf8');
    },
    sign: (plain, place) =>
      Buffer.concat([signatureOf(plain, place), Buffer.from(plain)]).toString('base64url'),
    verify(signed, place) {
      const bytes = Buffer.from(signed, 'base64url');
      if (bytes.length < 16 || bytes.toString('base64url') !== signed) return null;
      const plain = bytes.subarray(16).toString('utf8');
      return timingSafeEqual(bytes.subarray(0, 16), signatureOf(plain, place)) ? plain : null;
    },
  };
}

/** Each use derives its own key from the configured one, so that leaking one does not expose another. */
export const deriveKey = (
  masterKey: Buffer,
  use: 'seal' | 'signatures' | 'storage' | 'sandbox client',
): Buffer => Buffer.from(hkdfSync('sha256', masterKey, '', `airdate/${use}/v1`, 32));
