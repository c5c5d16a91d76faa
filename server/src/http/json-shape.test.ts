import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonShapeError } from './json-shape.js';

const shapeOf = (json: string) => jsonShapeError(Buffer.from(json));

describe('The shape of a JSON body', () => {
  it('may have 20 levels and 5,000 values', () => {
    assert.equal(shapeOf(`${'['.repeat(20)}${']'.repeat(20)}`), null);
    assert.equal(shapeOf(`[${Array(4_999).fill('1').join()}]`), null);
    assert.equal(shapeOf('{"title":"Maps"}'), null);
    assert.equal(shapeOf(''), null);
  });

  it('is refused beyond', () => {
    assert.match(String(shapeOf('['.repeat(21))), /deeply/);
    assert.match(String(shapeOf('{"a":'.repeat(21))), /deeply/);
    assert.match(String(shapeOf(`[${Array(5_000).fill('1').join()}]`)), /many/);
    assert.match(String(shapeOf('[],'.repeat(5_000))), /many/);
  });

  it('is not what is written inside a text, however its quotes are written', () => {
    const brackets = '['.repeat(100) + ','.repeat(9_000);
    assert.equal(shapeOf(JSON.stringify({ title: brackets })), null);
    assert.equal(shapeOf(JSON.stringify({ title: `\\"${brackets}\\` })), null);
    assert.match(String(shapeOf(`["\\\\",${brackets}`)), /deeply/);
  });
});
