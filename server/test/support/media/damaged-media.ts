// Files that were damaged on their way.
import { mp4 } from './mp4.js';
import { fixture, png } from './parts.js';
import { webm } from './webm.js';

export interface DamagedFile {
  number: number;
  type: (typeof ORIGINALS)[number][1];
  bytes: Buffer;
}

const ORIGINALS = [
  [fixture('slide.jpg'), 'image/jpeg'],
  [fixture('slide.png'), 'image/png'],
  [png({ colour: 6, interlaced: true }), 'image/png'],
  [fixture('tiny.mp4'), 'video/mp4'],
  [fixture('tiny.mov'), 'video/quicktime'],
  [fixture('tiny.webm'), 'video/webm'],
  [mp4(), 'video/mp4'],
  [webm(), 'video/webm'],
] as const;

/** Valid files with some bytes changed, the same in every run. */
export function* damagedFiles(count: number): Generator<DamagedFile> {
  const next = randomNumbers(20_261_115);
  for (let number = 0; number < count; number++) {
    const [original, type] = ORIGINALS[number % ORIGINALS.length] as (typeof ORIGINALS)[number];
    const bytes = Buffer.from(original);
    for (let flips = 1 + (next() % 12); flips > 0; flips--) bytes[placeIn(bytes, next)] = next() & 0xff;
    yield { number, type, bytes };
  }
}

/** Mostly where it matters: near the start, or in the index. */
function placeIn(bytes: Buffer, next: () => number): number {
  const index = Math.max(bytes.indexOf('moov'), 0);
  const where = next() % 4;
  if (where === 0) return next() % bytes.length;
  if (where === 1) return next() % Math.min(bytes.length, 512);
  return Math.min(index + (next() % 1024), bytes.length - 1);
}

/** mulberry32: the same numbers in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
