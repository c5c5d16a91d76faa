// Reduces a PNG to the chunks that its picture needs, before a decoder sees it. A decoder unpacks every text chunk, each up to a
// limit of its own: 30 of them in 0.2 MB took 1.6 GB.
import { crc32, inflateSync } from 'node:zlib';
import { orientationIn, orientationTiff } from './orientation.js';

const SIGNATURE_BYTES = 8;
/** The length of the signature and of IHDR, which always comes first. */
const HEAD_BYTES = 33;
/** Length, type and checksum. */
const FRAME_BYTES = 12;

const numberOf = (type: string) => Buffer.from(type, 'latin1').readUInt32BE();
const IHDR = numberOf('IHDR');
const IDAT = numberOf('IDAT');
const IEND = numberOf('IEND');
const PROFILE = numberOf('iCCP');
const EXIF = numberOf('eXIf');
/** Chunks that occur at most once each, and before the pixels. */
const BEFORE_PIXELS = new Set(['PLTE', 'tRNS', 'sRGB', 'gAMA', 'cHRM', 'iCCP'].map(numberOf));

/** Printers' profiles have up to 2 MB. A larger one is left out. */
export const MAX_PROFILE_BYTES = 4 * 1024 * 1024;

export interface Reduced {
  bytes: Buffer;
  /** The orientation that EXIF gives. The reduced file has the same, in EXIF that we write. */
  orientation: number;
}

/** Null if it ends within a chunk, or has no pixels. What comes after its end is cut off. */
export function reducePng(bytes: Buffer): Reduced | null {
  // Room for the signature, the header and the orientation, which is known later: decoders look for it before the pixels.
  const room = HEAD_BYTES + FRAME_BYTES + orientationTiff(1).length;
  const out = Buffer.allocUnsafe(room + bytes.length + FRAME_BYTES);
  let length = room;
  const seen = new Set<number>();
  let orientation = 1;
  let at = SIGNATURE_BYTES;
  // Some programs leave the last chunk out.
  while (at !== bytes.length) {
    if (at + FRAME_BYTES > bytes.length) return null;
    const size = bytes.readUInt32BE(at);
    const type = bytes.readUInt32BE(at + 4);
    const end = at + FRAME_BYTES + size;
    if (end > bytes.length || (at === SIGNATURE_BYTES) !== (type === IHDR && end === HEAD_BYTES)) return null;
    if (type === IEND) break;
    const data = bytes.subarray(at + 8, end - 4);
    const isNew = !seen.has(type);
    if (type === EXIF && isNew) orientation = orientationIn(data);
    const isNeeded =
      type === IDAT
        ? size > 0
        : isNew && BEFORE_PIXELS.has(type) && !seen.has(IDAT) && (type !== PROFILE || isSmallProfile(data));
    if (isNeeded) length += bytes.copy(out, length, at, end);
    seen.add(type);
    at = end;
  }
  if (!seen.has(IDAT)) return null;
  length += writeChunk(out, length, 'IEND', Buffer.alloc(0));
  const start = orientation === 1 ? room - HEAD_BYTES : 0;
  bytes.copy(out, start, 0, HEAD_BYTES);
  if (orientation !== 1) writeChunk(out, HEAD_BYTES, 'eXIf', orientationTiff(orientation));
  return { bytes: out.subarray(start, length), orientation };
}

/** A name, a zero, the method 0, and packed data. */
function isSmallProfile(data: Buffer): boolean {
  const packedAt = data.indexOf(0) + 2;
  if (packedAt < 2) return false;
  try {
    inflateSync(data.subarray(packedAt), { maxOutputLength: MAX_PROFILE_BYTES });
    return true;
  } catch {
    return false;
  }
}

function writeChunk(out: Buffer, at: number, type: string, data: Buffer): number {
  out.writeUInt32BE(data.length, at);
  out.write(type, at + 4, 'latin1');
  data.copy(out, at + 8);
  const end = at + 8 + data.length;
  out.writeUInt32BE(crc32(out.subarray(at + 4, end)), end);
  return end + 4 - at;
}
