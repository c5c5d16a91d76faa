import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COLOURS, type Colour, type Label, leastUsed } from './label.js';

const label = (colour: Colour): Label => ({ id: colour, name: colour, colour, created_at: '' });

describe('the colour of a new label', () => {
  it('begins with blue, is another one each time as long as there is one, and never red', () => {
    const labels: Label[] = [];
    for (let n = 1; n < COLOURS.length; n++) labels.push(label(leastUsed(labels)));
    assert.equal(labels[0]?.colour, 'blue');
    assert.equal(new Set(labels.map(({ colour }) => colour)).size, COLOURS.length - 1);
    assert.ok(labels.every(({ colour }) => colour !== 'red'));
  });

  it('is one of the least used when all are in use', () =>
    assert.equal(leastUsed([...COLOURS.map(([colour]) => label(colour)), label('blue')]), 'teal'));
});
