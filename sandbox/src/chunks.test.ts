import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chunkMistake, lastByteOf, parseContentRange } from './chunks.js';

const plan = (videoSize: number, chunkSize: number, chunkCount: number) => ({
  videoSize,
  chunkSize,
  chunkCount,
});

/** Plans that are legal under every reading of the documentation, and where their last chunk lies. */
const LEGAL: [size: number, chunkSize: number, count: number, lastRange: string][] = [
  [1, 1, 1, 'bytes 0-0/1'],
  [4_194_304, 4_194_304, 1, 'bytes 0-4194303/4194304'],
  [64_000_000, 64_000_000, 1, 'bytes 0-63999999/64000000'],
  [64_000_001, 10_000_000, 6, 'bytes 50000000-64000000/64000001'],
  [77_360_899, 10_000_000, 7, 'bytes 60000000-77360898/77360899'],
  [158_008_374, 10_000_000, 15, 'bytes 140000000-158008373/158008374'],
  [4_294_967_296, 10_000_000, 429, 'bytes 4280000000-4294967295/4294967296'],
  [50_000_123, 10_000_000, 5, 'bytes 40000000-50000122/50000123'],
  [158_008_374, 5_242_880, 30, 'bytes 152043520-158008373/158008374'],
];

describe('a plan of chunks', () => {
  for (const [size, chunkSize, count, lastRange] of LEGAL)
    it(`may be ${size} bytes in ${count} of ${chunkSize}`, () => {
      assert.equal(chunkMistake(plan(size, chunkSize, count)), null);
      const range = parseContentRange(lastRange);
      assert.equal(range?.first, (count - 1) * chunkSize);
      assert.equal(range?.last, lastByteOf(plan(size, chunkSize, count), range?.first ?? 0));
    });

  const SIZE = 'The chunk size is invalid';
  const COUNT = 'The total chunk count is invalid';
  const wrong: [title: string, size: number, chunkSize: number, count: number, mistake: string][] = [
    ['one chunk that is not the whole video', 121_000_000, 64_000_000, 1, SIZE],
    ['one chunk that is smaller than a small video', 4_000_000, 3_000_000, 1, SIZE],
    ['one chunk of more than 64 MB', 158_008_374, 158_008_374, 1, SIZE],
    ['a count that was rounded up', 50_000_123, 10_000_000, 6, COUNT],
    ['one too few', 50_000_123, 10_000_000, 4, COUNT],
    ['chunks of less than 5 MB', 20_000_000, 4_000_000, 5, SIZE],
    ['more than 1000 chunks', 4_294_967_296, 4_000_000, 1073, COUNT],
    ['no chunks', 10, 10, 0, COUNT],
    ['no bytes', 0, 0, 1, 'The video size is invalid'],
    ['half bytes', 1.5, 1.5, 1, 'The video size is invalid'],
    ['more than 4 GB', 4_294_967_297, 10_000_000, 429, 'The video size is invalid'],
    ['text', '10' as never, 10, 1, 'The video size is invalid'],
  ];
  for (const [title, size, chunkSize, count, mistake] of wrong)
    it(`may not be ${title}`, () => assert.equal(chunkMistake(plan(size, chunkSize, count)), mistake));

  it('gives all but the last chunk the announced size', () => {
    const five = plan(50_000_123, 10_000_000, 5);
    const lasts = [0, 10_000_000, 20_000_000, 30_000_000, 40_000_000].map((first) => lastByteOf(five, first));
    assert.deepEqual(lasts, [9_999_999, 19_999_999, 29_999_999, 39_999_999, 50_000_122]);
  });
});

describe('a Content-Range', () => {
  it('is read', () => {
    assert.deepEqual(parseContentRange('bytes 0-9/10'), { first: 0, last: 9, total: 10 });
  });
  for (const header of [
    undefined,
    '',
    'bytes',
    'bytes 0-9',
    'bytes */10',
    'bytes 5-4/10',
    'bytes 0-10/10',
    'bytes -5/10',
    'items 0-9/10',
  ])
    it(`is refused if it is ${header}`, () => assert.equal(parseContentRange(header), null));
});
