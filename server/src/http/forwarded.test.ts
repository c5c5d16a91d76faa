import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressesIn } from './forwarded.js';

describe('X-Forwarded-For', () => {
  it('is a list of addresses, with or without ports', () => {
    assert.deepEqual(addressesIn('203.0.113.7'), ['203.0.113.7']);
    assert.deepEqual(addressesIn('2001:db8::1, 10.0.0.2 ,10.0.0.3'), ['2001:db8::1', '10.0.0.2', '10.0.0.3']);
    assert.deepEqual(addressesIn('203.0.113.7:4711, [2001:db8::1]:443, [::1]'), [
      '203.0.113.7',
      '2001:db8::1',
      '::1',
    ]);
  });

  it('counts up to the first entry, from the right, that is no address', () => {
    assert.deepEqual(addressesIn('10.0.0.1, unknown, 203.0.113.7'), ['203.0.113.7']);
    for (const bad of [
      'unknown',
      '_hidden',
      '203.0.113.7x',
      '256.1.1.1',
      '<script>',
      '',
      ' ',
      '127.1',
      '203.0.113.7; drop',
      "' or 1=1",
      '1.2.3.4:',
      '[1.2.3.4',
    ])
      assert.deepEqual(addressesIn(`203.0.113.7, ${bad}`), [], bad);
  });
});
