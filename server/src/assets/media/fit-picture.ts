// Converts a stored picture to the JPEG that the platform accepts: small enough, upright, in sRGB, without metadata.
import type { Readable } from 'node:stream';
import { readPictureHeader } from './picture-header.js';

const SHORTER_SIDE = 1080;
/** The platform documents no limit for the longer side; this is what phones show. */
const LONGER_SIDE = 1920;
const MAX_PIXELS = 50_000_000;
const MAX_STORED_BYTES = 20 * 1024 * 1024;
/** Two megapixels at this quality take at most 4 MB, even of noise: far below the platform's 20. */
const QUALITY = 90;
const MAX_PLAIN_BYTES = 5_000_000;
const SECONDS = 20;

/**
 * The stored PNG or JPEG, fitted. The decoder needs the whole file in memory: stored files were inspected and have at most
 * 20 MB. Rejects anything else.
 */
export async function fitPicture(open: () => Promise<Readable>, signal?: AbortSignal): Promise<Buffer> {
  const bytes = await collect(await open());
  // Decoding cannot be ended.
  signal?.throwIfAborted();
  // Encoding it again would only lose quality.
  if (fitsAsItIs(bytes)) return bytes;
  // Loaded with the first picture, as in the inspection.
  const { default: sharp } = await import('sharp');
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true } as const;
  const { autoOrient } = await sharp(bytes, options).metadata();
  const isWide = autoOrient.width > autoOrient.height;
  return await sharp(bytes, { ...options, autoOrient: true })
    .resize({
      width: isWide ? LONGER_SIDE : SHORTER_SIDE,
      height: isWide ? SHORTER_SIDE : LONGER_SIDE,
      fit: 'inside',
      withoutEnlargement: true,
    })
    // JPEG has no transparency; without this it would turn black.
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .timeout({ seconds: SECONDS })
    .jpeg({ quality: QUALITY })
    .toBuffer();
}

function fitsAsItIs(bytes: Buffer): boolean {
  if (bytes.length < 4 || bytes.length > MAX_PLAIN_BYTES || bytes.readUInt16BE(0) !== 0xffd8) return false;
  const header = readPictureHeader(bytes, 'image/jpeg');
  if (!header?.isPlain) return false;
  const [shorter, longer] = [header.width, header.height].sort((a, b) => a - b) as [number, number];
  return shorter > 0 && shorter <= SHORTER_SIDE && longer <= LONGER_SIDE;
}

async function collect(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_STORED_BYTES) throw new RangeError('the stored picture is larger than the upload limit');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
