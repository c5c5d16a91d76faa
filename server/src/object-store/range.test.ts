import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rangeOf } from './range.js';

const CASES: [header: string | undefined, size: number, expected: ReturnType<typeof rangeOf>][] = [
  [undefined, 10, null],
  ['bytes=0-0', 10, { start: 0, end: 1 }],
  ['bytes=2-4', 10, { start: 2, end: 5 }],
  ['bytes=5-', 10, { start: 5, end: 10 }],
  ['bytes=5-99', 10, { start: 5, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-99', 10, { start: 0, end: 10 }],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-12', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=4-2', 10, null],
  ['bytes=-', 10, null],
  ['bytes=0-1,3-4', 10, null],
  ['items=0-1', 10, null],
  ['bytes=a-b', 10, null],
];

it('a range is what the header asks for, as far as the file goes', () => {
  for (const [header, size, expected] of CASES)
    assert.deepEqual(rangeOf(header, size), expected, `${header} of ${size}`);
});
