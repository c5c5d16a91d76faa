// Uploads that mean harm meet the inspection itself: each ends as expected, and the process stays as it was.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { inspect } from '../../src/media/inspect.js';
import { HOSTILE } from '../hostile/hostile-media.js';
import { mp4 } from '../hostile/media-mp4.js';
import { fileOf, fixture, png } from '../hostile/media-parts.js';
import { webm } from '../hostile/media-webm.js';

const MB = 1024 * 1024;

describe('Hostile uploads', () => {
  const strays: unknown[] = [];
  const onStray = (reason: unknown) => strays.push(reason);
  let atStart = 0;
  let peak = 0;
  let peakOfChildren = 0;
  let sampler: NodeJS.Timeout;

  before(() => {
    process.on('unhandledRejection', onStray);
    atStart = process.memoryUsage.rss();
    sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
      peakOfChildren = Math.max(peakOfChildren, memoryOfChildren());
    }, 5);
  });
  after(() => {
    clearInterval(sampler);
    process.off('unhandledRejection', onStray);
  });

  it('are many, each with a title of its own, and what they are built from is good', async () => {
    assert.ok(HOSTILE.length >= 100);
    assert.equal(new Set(HOSTILE.map(({ title }) => title)).size, HOSTILE.length);
    for (const [bytes, type] of [
      [png(), 'image/png'],
      [mp4(), 'video/mp4'],
      [webm(), 'video/webm'],
    ] as const)
      assert.equal((await inspect(fileOf(bytes), type)).ok, true, type);
  });

  for (const { title, contentType, bytes, expected } of HOSTILE)
    it(`${expected}: ${title}`, async () => {
      const verdict = await inspect(fileOf(bytes()), contentType);
      assert.equal(verdict.ok ? 'harmless' : 'refused', expected, JSON.stringify(verdict));
      if (!verdict.ok)
        assert.match(verdict.reason, /^[A-Z].*\. [A-Z].*\.$/, 'says what is wrong, then what to do');
    });

  it('leave no rejection unheard, and never took more than 256 MB', (t) => {
    assert.deepEqual(strays, []);
    const grown = Math.round((peak - atStart) / MB);
    t.diagnostic(`grew by ${grown} MB at most, a child had ${Math.round(peakOfChildren / MB)} MB at most`);
    // The files under test are in this memory too, the largest with 66 MB.
    assert.ok(grown < 256, `grew by ${grown} MB`);
    assert.ok(peakOfChildren < 384 * MB, `a child had ${peakOfChildren} bytes`);
  });
});

describe('Damaged uploads', () => {
  it('always get a verdict: 100 files with some bytes changed at random', async (t) => {
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
      assert.ok(Number.isInteger(width) && width > 0 && width <= 16_384, `width ${width} of case ${number}`);
      assert.ok(
        Number.isInteger(height) && height > 0 && height <= 16_384,
        `height ${height} of case ${number}`,
      );
      if (type.startsWith('video/')) assert.ok(Number.isInteger(durationMs) && (durationMs as number) > 0);
    };
    for (let number = 0; number < 100; number += 4)
      await Promise.all([number, number + 1, number + 2, number + 3].map(one));
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.accepted > 10 && counts.refused > 10, JSON.stringify(counts));
  });
});

/** Mostly where something depends on it: near the start, or in the index. */
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

/** Zero where the system does not tell. */
function memoryOfChildren(): number {
  let kilobytes = 0;
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      const children = readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
      for (const pid of children)
        kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    }
  } catch {
    // One of them has just ended, or there is no such folder.
  }
  return kilobytes * 1024;
}
