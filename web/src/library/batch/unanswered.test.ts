import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { BulkBody } from './bulk.js';
import { type Keys, keysOfUnanswered } from './unanswered.js';

const shift = (days: number, ids = ['a', 'b']): BulkBody => ({ action: 'shift', days, ids });

describe('the key of a request for many posts', () => {
  let keys: Keys;
  beforeEach(() => {
    let made = 0;
    keys = keysOfUnanswered(() => `key ${++made}`);
  });

  it('stays the same until the request is answered', () => {
    assert.deepEqual(
      [keys.keyFor(shift(1)), keys.keyFor(shift(1)), keys.keyFor(shift(2))],
      ['key 1', 'key 1', 'key 2'],
    );
    keys.succeeded(shift(1));
    assert.equal(keys.keyFor(shift(1)), 'key 3');
    keys.forget(shift(1));
    assert.equal(keys.keyFor(shift(1)), 'key 4');
  });

  it('is a new one once another request has changed one of the posts', () => {
    keys.keyFor(shift(1));
    keys.keyFor(shift(-1, ['b']));
    keys.succeeded(shift(-1, ['b']));
    assert.equal(keys.keyFor(shift(1)), 'key 3');
  });

  it('stays when other posts were changed', () => {
    keys.keyFor(shift(1));
    keys.succeeded(shift(1, ['c']));
    assert.equal(keys.keyFor(shift(1)), 'key 1');
  });
});
