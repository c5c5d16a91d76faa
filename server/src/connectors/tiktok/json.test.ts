import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countOf, fieldsOf, idsOf, parseJson, textOf } from './json.js';

describe('JSON of the platform', () => {
  it('keeps every digit of long numbers, and leaves everything else as it is', () => {
    const text = '{"ids":[7602997517160123666,-9007199254740993],"n":5,"f":0.12345678901234567,"e":1e20}';
    assert.deepEqual(parseJson(text), {
      ids: ['7602997517160123666', '-9007199254740993'],
      n: 5,
      f: Number('0.12345678901234567'),
      e: 1e20,
    });
    const quoted = { text: 'a "7602997517160123666" \\ 7602997517160123666', '7602997517160123666': 1 };
    assert.deepEqual(parseJson(JSON.stringify(quoted)), quoted);
  });

  it('is undefined if it cannot be parsed', () => {
    for (const text of ['', '<html>', '{"a":', `"${'\\"1'.repeat(300_000)}`])
      assert.equal(parseJson(text), undefined);
  });

  it('is trusted only where its types are right', () => {
    for (const value of [null, [], 'x', 1]) assert.equal(fieldsOf(value), null);
    for (const value of ['', 1, null, {}]) assert.equal(textOf(value), null);
    for (const value of [-1, 1.5, '1', null, Number.NaN]) assert.equal(countOf(value), null);
    assert.deepEqual(idsOf(['7602997517160123666', 12, -1, 'x', null, {}]), ['7602997517160123666', '12']);
    assert.deepEqual(idsOf('7602997517160123666'), []);
  });
});
