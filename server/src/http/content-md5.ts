// The `Content-MD5` of an upload: optional, but a wrong one is refused, as S3 does.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../core/problems.js';

export interface Checksum {
  add(chunk: Buffer): void;
  /** Null if the bytes are those that the client meant. */
  problem(): AppError | null;
}

/** Null if the client sent none. */
export function checksumOf({ headers }: IncomingMessage): Checksum | null {
  const announced = headers['content-md5'];
  if (announced === undefined) return null;
  if (typeof announced !== 'string' || !/^[A-Za-z0-9+/]{21}[AQgw]==$/.test(announced))
    throw new AppError('upload_mismatch', 'Content-MD5 must be an MD5 hash in Base64.');
  const md5 = createHash('md5');
  return {
    add: (chunk) => void md5.update(chunk),
    problem: () =>
      md5.digest('base64') === announced
        ? null
        : new AppError(
            'upload_mismatch',
            'The bytes that arrived do not match Content-MD5. Send them again.',
          ),
  };
}
