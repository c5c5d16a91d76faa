// Signed URLs of the disk store: `/storage/<key>?…&signature=…`.
//
// The signature covers the method and the whole URL before it, character by character. Nothing can be changed, added or
// repeated, and there is only one way to write it: keys and parameters need no escaping. The content type is covered too,
// because the key's extension tells it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { partKey } from '../object-keys.js';
import { type PartGrant, type SignedUpload, STORAGE_PATH, validateObjectKey } from '../object-store.js';

/** What a valid URL allows. */
export interface Permission {
  key: string;
  length: number | null;
  maxLength: number;
}

const ADDRESS =
  /^\/storage\/([A-Za-z0-9._/-]+)\?(?:max=(\d{1,16})&)?(?:length=(\d{1,16})&)?expires=(\d{1,12})&signature=([0-9a-f]{64})$/;

export function createAddressSigner(keys: readonly Buffer[]) {
  const signatureOf = (method: string, address: string, key = keys[0] as Buffer) =>
    createHmac('sha256', key).update(`${method}\n${address}`).digest('hex');
  const sign = (method: 'PUT' | 'GET', address: string) =>
    `${address}&signature=${signatureOf(method, address)}`;
  const seconds = (ms: number) => Math.floor(ms / 1000);

  const upload = ({ key, length, maxLength, expiresAt }: Omit<SignedUpload, 'contentType'>) =>
    sign(
      'PUT',
      `${STORAGE_PATH}${validateObjectKey(key)}?max=${maxLength}${length === null ? '' : `&length=${length}`}&expires=${seconds(expiresAt)}`,
    );

  return {
    upload,
    part: (key: string, { number, length, expiresAt }: PartGrant) =>
      upload({ key: partKey(key, number), length, maxLength: length, expiresAt }),
    download: (key: string, expiresAt: number) =>
      sign('GET', `${STORAGE_PATH}${validateObjectKey(key)}?expires=${seconds(expiresAt)}`),
    /** `address`: path and query of a request. Null unless we signed exactly this for this method, and it has not expired. */
    check(method: 'PUT' | 'GET', address: string, now: number): Permission | null {
      const match = ADDRESS.exec(address);
      if (!match) return null;
      const [, objectKey, max, length, expires, signature] = match as unknown as [string, ...string[]];
      const signed = address.slice(0, -'&signature='.length - 64);
      const given = Buffer.from(signature as string);
      const isOurs = keys.some((key) =>
        timingSafeEqual(given, Buffer.from(signatureOf(method, signed, key))),
      );
      if (!isOurs) return null;
      if (now >= Number(expires) * 1000) return null;
      return {
        key: objectKey as string,
        maxLength: Number(max ?? 0),
        length: length === undefined ? null : Number(length),
      };
    },
  };
}
