// Decodes a picture once, within limits, to check that it is complete and to make its thumbnail.

import { pngBytesPerPixel, readPictureHeader } from './picture-header.js';
import type { FileBytes, Verdict } from './verdict.js';

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_SIDE = 16_384;
const MAX_PIXELS = 50_000_000;
/**
 * Measured with 49 megapixels: decoding line by line takes at most 40 MB, an interlaced 16-bit PNG 450 MB, a full-colour
 * progressive JPEG 290 MB. This limit admits what cameras and editors produce.
 */
const MAX_HELD_BYTES = 128 * 1024 * 1024;
const DECODE_SECONDS = 20;
const THUMBNAIL = { width: 480, height: 854 };

export async function inspectPicture(file: FileBytes, type: string): Promise<Verdict> {
  if (file.size > MAX_BYTES)
    return refused('The image is larger than 20 MB. Save a smaller one and upload it again.');
  return decode(await file.read(0, file.size), type);
}

const refused = (reason: string): Verdict => ({ ok: false, reason });

async function decode(bytes: Buffer, type: string): Promise<Verdict> {
  const header = readPictureHeader(bytes, type);
  if (header === null || header.width === 0 || header.height === 0)
    return refused("The image doesn't state its width and height. Save it again and upload the new copy.");
  const size = `${header.width} × ${header.height} pixels`;
  if (header.width > MAX_SIDE || header.height > MAX_SIDE)
    return refused(`The image has ${size}. Make each side 16,384 pixels or shorter.`);
  if (header.width * header.height > MAX_PIXELS)
    return refused(`The image has ${size}. Make it 50 megapixels or smaller.`);
  const tooMuch = refused(
    `The picture has ${size} and can only be decoded as a whole. Make it smaller, or save it without interlacing or progressive mode.`,
  );
  if (header.heldBytes > MAX_HELD_BYTES) return tooMuch;

  const sharp = await loadSharp();
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true } as const;
  try {
    const { orientation = 1, autoOrient } = await sharp(bytes, options).metadata();
    // Rotating a PNG by 90 degrees needs the whole picture in memory. A JPEG is shrunk while it is read, so it costs nothing.
    const turned = type === 'image/png' && orientation >= 5;
    if (turned && header.width * header.height * pngBytesPerPixel(bytes) > MAX_HELD_BYTES) return tooMuch;
    const thumbnail = await sharp(bytes, { ...options, autoOrient: true })
      .resize({ ...THUMBNAIL, fit: 'inside', withoutEnlargement: true })
      .timeout({ seconds: DECODE_SECONDS })
      .webp({ quality: 80 })
      .toBuffer();
    const { width, height } = autoOrient;
    return { ok: true, found: { width, height, durationMs: null, codec: null }, thumbnail };
  } catch {
    // The decoder's message is for its developers, and may quote the file's bytes.
    return refused('The image is damaged or incomplete. Save it again and upload the new copy.');
  }
}

let loaded: Promise<typeof import('sharp').default> | undefined;

/** Loaded with the first picture: a process without pictures saves 20 MB. */
function loadSharp() {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    // No picture is decoded twice, so a cache would waste memory. One thread each: two pictures use two cores.
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  return loaded;
}
