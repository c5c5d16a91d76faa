import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatPartNumbers, lengthsOf } from './lengths.js';

describe('The parts of a file', () => {
  it('have the same length but for the last, which has the rest', () => {
    assert.deepEqual(lengthsOf(10, 4), [4, 4, 2]);
    assert.deepEqual(lengthsOf(8, 4), [4, 4]);
    assert.deepEqual(lengthsOf(3, 4), [3]);
    assert.deepEqual(lengthsOf(4, 4), [4]);
  });

  it('are named in ranges, and no more than ten of them', () => {
    assert.equal(formatPartNumbers([]), '');
    assert.equal(formatPartNumbers([7]), '7');
    assert.equal(formatPartNumbers([1, 2, 3]), '1 to 3');
    assert.equal(formatPartNumbers([1, 3, 4, 5, 9]), '1, 3 to 5 and 9');
    const odd = Array.from({ length: 100 }, (_, i) => 2 * i + 1);
    assert.equal(formatPartNumbers(odd), '1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and more');
  });
});
