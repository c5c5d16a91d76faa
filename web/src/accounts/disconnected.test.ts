import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { awaitedAccounts, disconnectedLabel } from './disconnected.js';

describe('a disconnected account', () => {
  it('is named in a list, if its name is known', () => {
    assert.equal(disconnectedLabel('city.notes'), '@city.notes (disconnected)');
    assert.equal(disconnectedLabel(undefined), 'Disconnected account');
  });

  it('has a row while scheduled posts wait for it', () => {
    const row = { count: 2, post_ids: ['p'], next_at: null, message: '' };
    const account = { id: 'a', username: 'city.notes' };
    const missing = { ...row, cause: 'account_missing' as const, account };
    const rows = [missing, { ...row, cause: 'account_reconnect' as const, account }];
    assert.deepEqual(awaitedAccounts(rows), [missing]);
  });
});
