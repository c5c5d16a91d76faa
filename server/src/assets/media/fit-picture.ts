// Converts a stored picture to the JPEG that the platform accepts: small enough, upright, in sRGB, without metadata.
import type { Readable } from 'node:stream';
import { readPictureHeader } from './picture-header.js';
import { FIT_LIMITS, readInChild } from './read-in-child.js';
import { reduceJpeg } from './reduce-jpeg.js';
import { SLIDE } from './tasks.js';

const MAX_STORED_BYTES = 20 * 1024 * 1024;
const MAX_PLAIN_BYTES = 5_000_000;
/** A picture has some dozens. One with more is left to the process that decodes. */
const MAX_PLAIN_SEGMENTS = 2_000;

/**
 * The stored PNG or JPEG, fitted. The decoder needs the whole file in memory: stored files were inspected and have at most
 * 20 MB. Rejects anything else.
 */
export async function fitPicture(open: () => Promise<Readable>, signal?: AbortSignal): Promise<Buffer> {
  const bytes = await collect(await open());
  signal?.throwIfAborted();
  const isJpeg = bytes.length >= 2 && bytes.readUInt16BE(0) === 0xffd8;
  // Encoding it again would only lose quality.
  const plain = isJpeg ? plainJpeg(bytes) : null;
  if (plain) return plain;
  const type = isJpeg ? 'image/jpeg' : 'image/png';
  const file = { size: bytes.length, read: async (start: number, end: number) => bytes.subarray(start, end) };
  // Not ended by the signal: a new process would cost more than most pictures.
  const answer = await readInChild('fit', type, file, { limits: FIT_LIMITS });
  if (!answer.ok) throw new Error(answer.reason);
  return answer.picture;
}

/** The picture and nothing else, if it is small enough and needs no conversion. */
function plainJpeg(bytes: Buffer): Buffer | null {
  if (bytes.length > MAX_PLAIN_BYTES) return null;
  const reduced = reduceJpeg(bytes, true, MAX_PLAIN_SEGMENTS);
  if (!reduced?.isPlain) return null;
  const header = readPictureHeader(reduced.bytes, 'image/jpeg');
  if (!header) return null;
  const [shorter, longer] = [header.width, header.height].sort((a, b) => a - b) as [number, number];
  if (shorter === 0 || shorter > SLIDE.shorterSide || longer > SLIDE.longerSide) return null;
  return reduced.bytes;
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
