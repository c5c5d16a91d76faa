import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { levelOf, usageText } from './quotas.js';

describe('a quota', () => {
  it('is near from four fifths on, and full at its limit; without a limit it never is', () => {
    assert.equal(levelOf({ used: 79, limit: 100 }), 'fine');
    assert.equal(levelOf({ used: 80, limit: 100 }), 'near');
    assert.equal(levelOf({ used: 99, limit: 100 }), 'near');
    assert.equal(levelOf({ used: 100, limit: 100 }), 'full');
    assert.equal(levelOf({ used: 101, limit: 100 }), 'full');
    assert.equal(levelOf({ used: 1e12, limit: null }), 'fine');
  });

  it('is said in decimal units, or as a number', () => {
    assert.equal(usageText('bytes', { used: 18_240_000_000, limit: 20_000_000_000 }), '18.2 GB of 20 GB');
    assert.equal(usageText('bytes', { used: 0, limit: 1_500_000_000_000 }), '0 bytes of 1.5 TB');
    assert.equal(usageText('bytes', { used: 999, limit: null }), '999 bytes');
    assert.equal(usageText('bytes', { used: 20_999_999_999, limit: 21_000_000_000 }), '20.9 GB of 21 GB');
    assert.equal(usageText('keys', { used: 3, limit: 5 }), '3 of 5');
    assert.equal(usageText('posts_per_day', { used: 1234, limit: null }), '1,234');
  });
});
