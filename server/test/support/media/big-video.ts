// A video of any size that is stored nowhere: its bytes are generated while sent, and compared while received.
import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { asSent } from './sent-video.js';
import { TINY } from './videos.js';

/** Without what is overwritten when it is published, so that the platform gets the bytes that are stored. */
const BARE = await asSent(TINY);
const CHUNK = 1024 * 1024;
/** Consecutive chunks start at different offsets of it, so that a chunk lost, doubled or swapped is noticed. */
const NOISE = randomBytes(2 * CHUNK);
const STEP = 7919;

/** A real video, followed by a box of samples that no table names, with its size in 64 bits. */
function headOf(size: number): Buffer {
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write('mdat', 4, 'latin1');
  box.writeBigUInt64BE(BigInt(size - BARE.length), 8);
  return Buffer.concat([BARE, box]);
}

function* chunksOf(size: number): Generator<Buffer> {
  const head = headOf(size);
  yield head;
  for (let at = head.length, i = 0; at < size; at += CHUNK, i++) {
    const from = (i * STEP) % CHUNK;
    yield NOISE.subarray(from, from + Math.min(CHUNK, size - at));
  }
}

export const sendBigVideo = (size: number): Readable => Readable.from(chunksOf(size), { highWaterMark: 2 });

/** The bytes of that video from `start` up to, not including, `end`. */
export function sliceOfBigVideo(size: number, start: number, end: number): Buffer {
  const slice = Buffer.allocUnsafe(Math.min(end, size) - start);
  const head = headOf(size);
  let filled = start < head.length ? head.copy(slice, 0, start) : 0;
  while (filled < slice.length) {
    const at = start + filled - head.length;
    const from = (Math.floor(at / CHUNK) * STEP) % CHUNK;
    filled += NOISE.copy(slice, filled, from + (at % CHUNK), from + CHUNK);
  }
  return slice;
}

/** Receives the bytes of that video, and fails at the first that differs. */
export function compareBigVideo(size: number): Writable {
  const chunks = chunksOf(size);
  let expected = Buffer.alloc(0);
  let received = 0;
  return new Writable({
    highWaterMark: CHUNK,
    write(bytes: Buffer, _encoding, done) {
      for (let at = 0; at < bytes.length; ) {
        if (expected.length === 0) expected = chunks.next().value ?? Buffer.alloc(0);
        const length = Math.min(bytes.length - at, expected.length);
        if (length === 0 || expected.compare(bytes, at, at + length, 0, length) !== 0)
          return done(
            new Error(`other bytes than were sent, between ${received} and ${received + bytes.length}`),
          );
        expected = expected.subarray(length);
        at += length;
      }
      received += bytes.length;
      done();
    },
    final: (done) => done(received === size ? null : new Error(`${received} of ${size} bytes came`)),
  });
}
