// Valid files with some bytes changed, by a fixed seed. Used by the everyday test and, with more of them, by the proof.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from '../../../src/assets/media/inspect.js';
import { mp4 } from './mp4.js';
import { fileOf, fixture, png } from './parts.js';
import { webm } from './webm.js';

export function damagedUploads(files: number): void {
  describe('Damaged uploads', () => {
    it(`always get a verdict: ${files} files with some bytes changed at random`, async (t) => {
      const next = randomNumbers(20_261_115);
      const originals = [
        [fixture('slide.jpg'), 'image/jpeg'],
        [fixture('slide.png'), 'image/png'],
        [png({ colour: 6, interlaced: true }), 'image/png'],
        [fixture('tiny.mp4'), 'video/mp4'],
        [fixture('tiny.mov'), 'video/quicktime'],
        [fixture('tiny.webm'), 'video/webm'],
        [mp4(), 'video/mp4'],
        [webm(), 'video/webm'],
      ] as const;
      const counts = { accepted: 0, refused: 0 };
      const one = async (number: number) => {
        const [original, type] = originals[number % originals.length] as (typeof originals)[number];
        const bytes = Buffer.from(original);
        for (let flips = 1 + (next() % 12); flips > 0; flips--) bytes[placeIn(bytes, next)] = next() & 0xff;
        const verdict = await inspect(fileOf(bytes), type);
        counts[verdict.ok ? 'accepted' : 'refused']++;
        if (!verdict.ok) return assert.ok(verdict.reason.length > 20);
        const { width, height, durationMs } = verdict.found;
        assert.ok(
          Number.isInteger(width) && width > 0 && width <= 16_384,
          `width ${width} of case ${number}`,
        );
        assert.ok(
          Number.isInteger(height) && height > 0 && height <= 16_384,
          `height ${height} of case ${number}`,
        );
        if (type.startsWith('video/')) assert.ok(Number.isInteger(durationMs) && (durationMs as number) > 0);
      };
      for (let number = 0; number < files; number += 4)
        await Promise.all([number, number + 1, number + 2, number + 3].map(one));
      t.diagnostic(JSON.stringify(counts));
      assert.ok(counts.accepted > files / 10 && counts.refused > files / 10, JSON.stringify(counts));
    });
  });
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
