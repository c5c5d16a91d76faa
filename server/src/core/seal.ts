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
import { AppError } from './problems.js';

export interface Seal {
  /** `context` names organization, row and field; opening needs the same names in the same order. */
  seal(plain: string, context: readonly string[]): string;
  /** Throws `UnknownKey` if it was sealed with a key that this process does not have. */
  unseal(sealed: string, context: readonly string[]): string;
  /** Whether this process has the key. Says nothing about whether the text is damaged. */
  hasKeyOf(sealed: string): boolean;
  /** Sealed with the current key; the same text if it is already. */
  renew(sealed: string, context: readonly string[]): string;
  /** A text that only we can have given out for this context. It can be read, and is the same each time. */
  sign(plain: string, context: readonly string[]): string;
  /** Null: it was not signed by us, or for another context. */
  verify(signed: string, context: readonly string[]): string | null;
  /** The id of the key that seals, and of those that only open. */
  readonly keyIds: readonly string[];
}

/** Not a damaged secret: a process that has the key can open it. Nothing may be concluded from it. */
export class UnknownKey extends AppError {
  constructor(keyId: string) {
    super(
      'unavailable',
      'A stored secret is sealed with an encryption key that this process does not have. Try again later.',
      {
        headers: { 'retry-after': '30' },
        cause: new Error(
          `sealed with key ${keyId}, which is neither ENCRYPTION_KEY nor in ENCRYPTION_KEYS_OLD`,
        ),
      },
    );
  }
}

/** Prefixes each sealed text, so that a rotation can tell which key a row still needs. */
export const keyIdOf = (sealed: string): string => sealed.split('.')[0] as string;

/** The first key seals and signs; the others only open and verify. */
export function createSeal(...masterKeys: [Buffer, ...Buffer[]]): Seal {
  const keys = new Map(
    masterKeys.map((masterKey) => {
      const key = deriveKey(masterKey, 'seal');
      return [createHash('sha256').update(key).digest('hex').slice(0, 8), key];
    }),
  );
  const keyIds = [...keys.keys()];
  const [current = ''] = keyIds;
  const signingKeys = masterKeys.map((masterKey) => deriveKey(masterKey, 'signatures'));
  const signatureOf = (plain: string, context: readonly string[], key = signingKeys[0] as Buffer) =>
    createHmac('sha256', key)
      .update(JSON.stringify([context, plain]))
      .digest()
      .subarray(0, 16);
  const seal: Seal = {
    keyIds,
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys.get(current) as Buffer, nonce);
      cipher.setAAD(Buffer.from(JSON.stringify(context)));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${current}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    unseal(sealed, context) {
      const [id, text] = sealed.split('.') as [string, string];
      const key = keys.get(id);
      if (!key) throw new UnknownKey(id);
      const bytes = Buffer.from(text, 'base64url');
      const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      opener.setAAD(Buffer.from(JSON.stringify(context))).setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([opener.update(bytes.subarray(28)), opener.final()]).toString('utf8');
    },
    hasKeyOf: (sealed) => keys.has(keyIdOf(sealed)),
    renew: (sealed, context) =>
      keyIdOf(sealed) === current ? sealed : seal.seal(seal.unseal(sealed, context), context),
    sign: (plain, context) =>
      Buffer.concat([signatureOf(plain, context), Buffer.from(plain)]).toString('base64url'),
    verify(signed, context) {
      const bytes = Buffer.from(signed, 'base64url');
      if (bytes.length < 16 || bytes.toString('base64url') !== signed) return null;
      const plain = bytes.subarray(16).toString('utf8');
      const isOurs = signingKeys.some((key) =>
        timingSafeEqual(bytes.subarray(0, 16), signatureOf(plain, context, key)),
      );
      return isOurs ? plain : null;
    },
  };
  return seal;
}

/** Each use derives its own key from the configured one, so that leaking one does not expose another. */
export const deriveKey = (
  masterKey: Buffer,
  use: 'seal' | 'signatures' | 'storage' | 'sandbox client',
): Buffer => Buffer.from(hkdfSync('sha256', masterKey, '', `airdate/${use}/v1`, 32));
