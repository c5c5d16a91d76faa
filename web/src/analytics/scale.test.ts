import assert from 'node:assert/strict';
import { test } from 'node:test';
import { depthOf, gridLines, middleOf, namedDays } from './series.js';

test('the grid has round numbers, no fractions, and room for the highest value', () => {
  assert.deepEqual(gridLines(0), [0, 1]);
  assert.deepEqual(gridLines(1), [0, 1]);
  assert.deepEqual(gridLines(3), [0, 1, 2, 3]);
  assert.deepEqual(gridLines(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(gridLines(23), [0, 5, 10, 15, 20, 25]);
  assert.deepEqual(gridLines(480), [0, 100, 200, 300, 400, 500]);
  for (let highest = 0; highest < 3_000; highest += 7) {
    const lines = gridLines(highest);
    assert.ok((lines.at(-1) as number) >= highest, `${highest}`);
    assert.ok(lines.length <= 6 && lines.every(Number.isInteger), `${highest}: ${lines}`);
  }
});

test('at most eight days are named, evenly apart', () => {
  assert.deepEqual(namedDays(7), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(namedDays(30), [0, 4, 8, 12, 16, 20, 24, 28]);
  assert.equal(namedDays(90).length, 8);
});

test('places are in percent', () => {
  assert.equal(middleOf(0, 4), 12.5);
  assert.equal(middleOf(3, 4), 87.5);
  assert.equal(depthOf(0, 8), 100);
  assert.equal(depthOf(8, 8), 0);
});
