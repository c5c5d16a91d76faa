import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lostLabel, usernameIn, waitingIn } from './lost.js';

describe('a disconnected account', () => {
  it('is named by the sentence of the API, and by no other', () => {
    assert.equal(usernameIn('Connect city.notes again, or choose another account.'), 'city.notes');
    assert.equal(usernameIn('Reconnect city.notes.'), undefined);
    assert.equal(lostLabel('city.notes'), '@city.notes (disconnected)');
    assert.equal(lostLabel(undefined), 'Disconnected account');
  });

  it('has a row while scheduled posts wait for it', () => {
    const row = { count: 2, post_ids: ['p'], next_at: null, message: '' };
    const account = { id: 'a', username: 'city.notes' };
    const missing = { ...row, cause: 'account_missing' as const, account };
    const rows = [missing, { ...row, cause: 'account_reconnect' as const, account }];
    assert.deepEqual(waitingIn(rows), [missing]);
  });
});
