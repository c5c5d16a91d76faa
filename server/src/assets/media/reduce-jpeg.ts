// Reduces a JPEG to what its picture needs: the frame, its tables and its scans up to the first end marker. Comments, EXIF, XMP,
// embedded thumbnails and whatever follows the picture, such as a second one, are left out.
import { orientationIn, orientationTiff } from './orientation.js';
import { MAX_PROFILE_BYTES, type Reduced } from './reduce-png.js';

const [START, END, SCAN] = [0xd8, 0xd9, 0xda] as const;
const [HUFFMAN, ARITHMETIC, QUANTIZATION, RESTART_EVERY] = [0xc4, 0xcc, 0xdb, 0xdd] as const;
const TABLES: readonly number[] = [HUFFMAN, ARITHMETIC, QUANTIZATION, RESTART_EVERY];
const [APP_JFIF, APP_EXIF, APP_ICC, APP_ADOBE] = [0xe0, 0xe1, 0xe2, 0xee] as const;

/** Start-of-frame markers; within C0–CF, C4, C8 and CC mean other things. */
export const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8 && !TABLES.includes(marker);
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
/** Markers without a length. */
export const isBare = (marker: number) => marker === 0x01 || isRestart(marker) || marker === START;

const JFIF = 'JFIF\0';
const JFIF_BYTES = 14;
const ADOBE = 'Adobe';
const ADOBE_BYTES = 12;
const EXIF = 'Exif\0\0';
const ICC = 'ICC_PROFILE\0';

export interface ReducedJpeg extends Reduced {
  /**
   * Complete, upright, without a profile, and no segment has a byte that the frame, tables or scans do not need. It can be sent.
   */
  isPlain: boolean;
}

/** Null if it is not a sequence of segments with one frame, or of too many. */
export function reduceJpeg(
  bytes: Buffer,
  withProfile = true,
  maxSegments = Number.POSITIVE_INFINITY,
): ReducedJpeg | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff00 + START) return null;
  // Room for the start marker and the orientation, which is known later.
  const tiff = orientationTiff(1);
  const room = 2 + 4 + EXIF.length + tiff.length;
  const out = Buffer.allocUnsafe(room + bytes.length);
  let length = room;
  const copy = (from: number, to: number) => {
    length += bytes.copy(out, length, from, to);
  };
  const begins = (at: number, end: number, word: string) =>
    end - at >= word.length && bytes.toString('latin1', at, at + word.length) === word;

  const seen = new Set<number>();
  let orientation = 1;
  let components = 0;
  let profileBytes = 0;
  let isPlain = true;
  let isWhole = false;
  let at = 2;
  let segments = 0;
  while (at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] as number;
    // Any number of FF bytes may precede a marker.
    if (marker === 0xff || isBare(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (++segments > maxSegments) return null;
    if (marker === END) {
      isWhole = true;
      break;
    }
    if (at + 4 > bytes.length) break;
    const content = at + 4;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < content || end > bytes.length) return null;
    if (isFrame(marker)) {
      // Decoders disagree about a second frame.
      if (components > 0 || end - content < 6) return null;
      components = bytes.readUInt8(content + 5);
      if (components === 0 || end - content < 6 + 3 * components) return null;
      if (end - content > 6 + 3 * components) isPlain = false;
      copy(at, end);
    } else if (TABLES.includes(marker)) {
      if (!isExact(bytes.subarray(content, end), marker)) isPlain = false;
      copy(at, end);
    } else if (marker === SCAN) {
      if (components === 0 || end === content) return null;
      if (end - content !== 4 + 2 * bytes.readUInt8(content)) isPlain = false;
      const next = endOfScan(bytes, end);
      copy(at, next);
      seen.add(SCAN);
      at = next;
      continue;
    } else if (!seen.has(SCAN)) {
      if (marker === APP_JFIF && !seen.has(marker) && begins(content, end, JFIF)) {
        if (end - content >= JFIF_BYTES) {
          out.writeUInt32BE(0xffe00000 + JFIF_BYTES + 2, length);
          // Without the thumbnail that may follow, whose size are the last two bytes.
          bytes.copy(out, length + 4, content, content + JFIF_BYTES - 2);
          out.writeUInt16BE(0, length + 4 + JFIF_BYTES - 2);
          length += 4 + JFIF_BYTES;
          seen.add(marker);
        }
      } else if (marker === APP_ADOBE && !seen.has(marker) && begins(content, end, ADOBE)) {
        if (end - content >= ADOBE_BYTES) {
          out.writeUInt32BE(0xffee0000 + ADOBE_BYTES + 2, length);
          bytes.copy(out, length + 4, content, content + ADOBE_BYTES);
          length += 4 + ADOBE_BYTES;
          seen.add(marker);
        }
        // It may say that the colours are not what a JPEG usually has.
        isPlain = false;
      } else if (marker === APP_EXIF && !seen.has(marker) && begins(content, end, EXIF)) {
        orientation = orientationIn(bytes.subarray(content + EXIF.length, end));
        seen.add(marker);
      } else if (marker === APP_ICC && begins(content, end, ICC)) {
        isPlain = false;
        profileBytes += end - content;
        if (profileBytes > MAX_PROFILE_BYTES && withProfile) return reduceJpeg(bytes, false);
        if (withProfile) copy(at, end);
      }
    }
    at = end;
  }
  if (!seen.has(SCAN)) return null;
  if (isWhole) length += out.writeUInt16BE(0xff00 + END, length) - length;

  let start = room - 2;
  if (orientation !== 1) {
    start = 0;
    out.writeUInt32BE(0xffe10000 + 2 + EXIF.length + tiff.length, 2);
    out.write(EXIF, 6, 'latin1');
    orientationTiff(orientation).copy(out, 6 + EXIF.length);
  }
  out.writeUInt16BE(0xff00 + START, start);
  // Four components mean CMYK, which needs a profile to look right.
  isPlain &&= isWhole && orientation === 1 && (components === 1 || components === 3);
  return { bytes: out.subarray(start, length), orientation, isPlain };
}

/** Where the next marker is that is no restart marker; FF00 is a byte of the picture. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = from;
  for (; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] as number;
    if (next !== 0 && !isRestart(next)) return at;
    at++;
  }
  return bytes.length;
}

/** Whether the segment's tables fill it. */
function isExact(content: Buffer, marker: number): boolean {
  if (marker === RESTART_EVERY) return content.length === 2;
  if (marker === ARITHMETIC) return false;
  let at = 0;
  while (at < content.length) {
    if (marker === QUANTIZATION) at += 1 + 64 * (content.readUInt8(at) >> 4 === 0 ? 1 : 2);
    else {
      const counts = content.subarray(at + 1, at + 17);
      at += 17 + counts.reduce((sum, count) => sum + count, 0);
    }
  }
  return at === content.length;
}
