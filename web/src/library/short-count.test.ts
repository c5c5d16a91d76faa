import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortCount } from './short-count.js';

describe('the count on a tab', () => {
  for (const [count, said] of [
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [1_290, '1.2k'],
    [9_999, '9.9k'],
    [35_500, '35k'],
    [999_999, '999k'],
    [1_450_000, '1.4M'],
  ] as const)
    it(`${count} is "${said}"`, () => assert.equal(shortCount(count), said));
});
