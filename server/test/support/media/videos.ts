// Videos that are valid, differ in every version, and are known by their hash.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const TINY = readFileSync(new URL('../../../../test/media/tiny.mp4', import.meta.url));

export interface Version {
  /** Counts the replaces. */
  number: number;
  bytes: Uint8Array<ArrayBuffer>;
  sha256: string;
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A real video followed by a box that players skip: no two are alike, not even in their last bytes. */
export function makeVersion(number: number, payload: number): Version {
  const text = `version ${number} `;
  const filling = Buffer.from(text.repeat(Math.ceil(payload / text.length)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + filling.length);
  head.write('free', 4, 'latin1');
  const bytes = new Uint8Array(Buffer.concat([TINY, head, filling]));
  return { number, bytes, sha256: sha256(bytes) };
}
