import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isExpiring } from './authorization.js';

describe('the authorization of an account', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const ends = (authorization_expires_at: string | null) => isExpiring({ authorization_expires_at }, now);

  it('is expiring in the last two weeks, and not before', () => {
    assert.equal(ends('2026-11-29T12:00:00Z'), false);
    assert.equal(ends('2026-11-29T11:59:59Z'), true);
  });

  it('is not expiring when no end is known', () => {
    assert.equal(ends(null), false);
  });
});
