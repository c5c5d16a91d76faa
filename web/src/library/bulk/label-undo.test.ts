import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { labelsUndone } from './label-undo.js';

describe('undo of labels', () => {
  it('removes what was added, and adds what was removed', () =>
    assert.deepEqual(labelsUndone(['a', 'b'], ['b', 'x'], ['b', 'x']), ['b', 'a']));

  it('keeps what someone else has added or removed since', () => {
    assert.deepEqual(labelsUndone(['a'], ['a', 'x'], ['a', 'x', 'theirs']), ['a', 'theirs']);
    assert.deepEqual(labelsUndone(['a'], ['a', 'x'], ['x']), []);
    assert.deepEqual(labelsUndone(['a'], [], ['a']), ['a']);
  });
});
