import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrivedBytes, chunkEnd, planChunks, resumeAt } from './chunks.js';

const PLANS: [size: number, chunkSize: number, count: number, lastRange: string][] = [
  [1, 1, 1, 'bytes 0-0/1'],
  [4_194_304, 4_194_304, 1, 'bytes 0-4194303/4194304'],
  [64_000_000, 64_000_000, 1, 'bytes 0-63999999/64000000'],
  [64_000_001, 10_000_000, 6, 'bytes 50000000-64000000/64000001'],
  [77_360_899, 10_000_000, 7, 'bytes 60000000-77360898/77360899'],
  [158_008_374, 10_000_000, 15, 'bytes 140000000-158008373/158008374'],
  [4_294_967_296, 10_000_000, 429, 'bytes 4280000000-4294967295/4294967296'],
];

describe('the plan of chunks', () => {
  for (const [size, chunkSize, chunkCount, lastRange] of PLANS)
    it(`of ${size} bytes is ${chunkCount} of ${chunkSize}, the last one ${lastRange}`, () => {
      const plan = planChunks(size);
      assert.deepEqual(plan, { videoSize: size, chunkSize, chunkCount });
      const first = (chunkCount - 1) * chunkSize;
      assert.equal(`bytes ${first}-${(chunkEnd(plan, first) as number) - 1}/${size}`, lastRange);
      let offset = 0;
      let count = 0;
      for (; offset < size; count++) offset = chunkEnd(plan, offset) as number;
      assert.deepEqual([offset, count], [size, chunkCount], 'the chunks are the whole video');
    });

  it('does not exist for what cannot be sent', () => {
    for (const size of [0, -1, 1.5, Number.NaN, 4_294_967_297]) assert.equal(planChunks(size), null);
  });

  const plan = { videoSize: 25_000_000, chunkSize: 10_000_000, chunkCount: 2 };

  it('has chunks only where they begin', () => {
    assert.deepEqual(
      [0, 10_000_000, 1, 20_000_000, 25_000_000, -10_000_000].map((offset) => chunkEnd(plan, offset)),
      [10_000_000, 25_000_000, null, null, null, null],
    );
  });

  it('is taken up again where a chunk begins', () => {
    const received = [0, 9_999_999, 10_000_000, 19_999_999, 24_999_999, 25_000_000, Number.NaN];
    assert.deepEqual(
      received.map((bytes) => resumeAt(plan, bytes)),
      [0, 0, 10_000_000, 10_000_000, 10_000_000, 25_000_000, 0],
    );
  });

  it('makes both readings of the answered range the same number', () => {
    const headers = ['bytes 0-9999999/25000000', 'bytes 0-10000000/25000000', 'bytes */25000000'];
    assert.deepEqual(
      headers.map((header) => arrivedBytes(plan, header)),
      [10_000_000, 10_000_000, 0],
    );
    for (const header of ['bytes 0-24999999/25000000', 'bytes 0-25000000/25000000'])
      assert.equal(arrivedBytes(plan, header), 25_000_000);
    for (const header of [undefined, '', 'bytes 0-5/25000000', 'bytes 3-9999999/25000000', 'chunks 1'])
      assert.equal(arrivedBytes(plan, header), null, String(header));
  });
});
