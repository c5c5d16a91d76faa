// Decodes a picture once, within limits: to check that it is complete and to make its thumbnail, or to convert it for the platform.
// Runs in a process of its own (child.ts).
import sharp from 'sharp';
import { pngBytesPerPixel, readPictureHeader } from './picture-header.js';
import { reduceJpeg } from './reduce-jpeg.js';
import { reducePng } from './reduce-png.js';
import { type Answers, type ReadBytes, refused, SLIDE, type Task, type Verdict } from './tasks.js';

const MAX_SIDE = 16_384;
const MAX_PIXELS = 50_000_000;
/**
 * How much memory the pixels may take in pictures that cannot be decoded line by line: interlaced PNG, progressive JPEG, and rotated
 * PNG. That is 25 megapixels with transparency, or 33 of an ordinary JPEG, and leaves memory for the file itself within what a
 * process may grow.
 */
const MAX_HELD_BYTES = 96 * 1024 * 1024;
const THUMBNAIL = { width: 480, height: 854 };
/** Two megapixels at this quality take at most 4 MB, even of noise: far below the platform's 20. */
const QUALITY = 90;

// No picture is decoded twice, so a cache would waste memory. One thread each: two pictures use two cores.
sharp.cache(false);
sharp.concurrency(1);

const DAMAGED = refused('The image is damaged or incomplete. Save it again and upload the new copy.');

interface Picture {
  ok: true;
  /** Upright. */
  width: number;
  height: number;
  bytes: Buffer;
}

export async function judgePicture(task: Task, maxReadBytes: number, read: ReadBytes): Promise<Verdict> {
  const picture = measure(await readWhole(task.size, maxReadBytes, read), task.type);
  if (!picture.ok) return picture;
  const { width, height } = picture;
  return decode<Verdict>(async () => ({
    ok: true,
    found: { width, height, durationMs: null, codec: null },
    thumbnail: await open(picture)
      .resize({ ...THUMBNAIL, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer(),
  }));
}

export async function convertPicture(
  task: Task,
  maxReadBytes: number,
  read: ReadBytes,
): Promise<Answers['fit']> {
  const picture = measure(await readWhole(task.size, maxReadBytes, read), task.type);
  if (!picture.ok) return picture;
  const isWide = picture.width > picture.height;
  return decode<Answers['fit']>(async () => ({
    ok: true,
    picture: await open(picture)
      .resize({
        width: isWide ? SLIDE.longerSide : SLIDE.shorterSide,
        height: isWide ? SLIDE.shorterSide : SLIDE.longerSide,
        fit: 'inside',
        withoutEnlargement: true,
      })
      // JPEG has no transparency; without this it would turn black.
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: QUALITY })
      .toBuffer(),
  }));
}

const open = ({ bytes }: Picture) =>
  sharp(bytes, {
    limitInputPixels: MAX_PIXELS,
    failOn: 'error',
    sequentialRead: true,
    autoOrient: true,
  });

/** The decoder's message is for its developers, and may quote the file's bytes. */
const decode = <T>(work: () => Promise<T>): Promise<T | typeof DAMAGED> => work().catch(() => DAMAGED);

/** What is known before anything is decoded, and the bytes that are to be. */
function measure(bytes: Buffer, type: string): Picture | { ok: false; reason: string } {
  const header = readPictureHeader(bytes, type);
  if (header === null || header.width === 0 || header.height === 0)
    return refused("The image doesn't state its width and height. Save it again and upload the new copy.");
  const { width, height, heldBytes } = header;
  const size = `${width} × ${height} pixels`;
  if (width > MAX_SIDE || height > MAX_SIDE)
    return refused(`The image has ${size}. Make each side 16,384 pixels or shorter.`);
  if (width * height > MAX_PIXELS) return refused(`The image has ${size}. Make it 50 megapixels or smaller.`);
  const reduced = type === 'image/png' ? reducePng(bytes) : reduceJpeg(bytes);
  if (reduced === null) return DAMAGED;
  const isTurned = reduced.orientation >= 5;
  // Rotating a PNG by 90 degrees needs the whole picture in memory. A JPEG is shrunk while it is read, so it costs nothing.
  const turning = isTurned && type === 'image/png' ? width * height * pngBytesPerPixel(bytes) : 0;
  if (Math.max(heldBytes, turning) > MAX_HELD_BYTES)
    return refused(
      `The picture has ${size} and can only be decoded as a whole. Make it smaller, or save it without interlacing or progressive mode.`,
    );
  // Everything that was read has been copied, and the decoder needs the room.
  globalThis.gc?.();
  const upright = isTurned ? { width: height, height: width } : { width, height };
  return { ok: true, ...upright, bytes: reduced.bytes };
}

/** The decoder needs the whole file, of at most 20 MB. */
async function readWhole(size: number, maxReadBytes: number, read: ReadBytes): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at += maxReadBytes)
    bytes.set(await read(at, Math.min(size, at + maxReadBytes)), at);
  return bytes;
}
