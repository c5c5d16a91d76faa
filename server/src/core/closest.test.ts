import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closest } from './closest.js';

describe('The name that was meant', () => {
  const names = ['title', 'caption', 'status', 'per_page', 'ids', 'q'];
  for (const [wrong, meant] of [
    ['tittle', 'title'],
    ['stauts', 'status'],
    ['Caption', 'caption'],
    ['perpage', 'per_page'],
    ['id', 'ids'],
    ['captoins', 'caption'],
    ['tags', undefined],
    ['limit', undefined],
    ['xyz', undefined],
    ['x', undefined],
    ['t'.repeat(60_000), undefined],
  ] as const)
    it(`of ${wrong.slice(0, 20)} is ${meant}`, () => assert.equal(closest(wrong, names), meant));
});
