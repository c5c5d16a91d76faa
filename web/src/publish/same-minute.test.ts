import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countOthersAt, sameMinuteText } from './same-minute.js';

const at = (minute: string) => Date.parse(`2026-12-01T18:${minute}Z`);
const post = (id: string, minute: string) => ({ id, scheduled_at: `2026-12-01T18:${minute}Z` });

describe('other posts of an account', () => {
  it('are counted in the minute of each slot, without the posts that get it', () => {
    const scheduled = [post('a', '00:00'), post('b', '00:30'), post('c', '01:00'), post('own', '00:10')];
    assert.deepEqual(countOthersAt([at('00:00'), at('01:00'), at('02:00')], scheduled, ['own']), [2, 1, 0]);
  });

  it('are told calmly, and only if there are any', () => {
    assert.equal(sameMinuteText([0]), null);
    assert.equal(sameMinuteText([]), null);
    assert.equal(sameMinuteText([1]), '1 other post of this account goes out then.');
    assert.equal(sameMinuteText([2]), '2 other posts of this account go out then.');
    assert.equal(sameMinuteText([0, 2]), 'At one of these times, another post of this account goes out.');
    assert.equal(sameMinuteText([1, 2]), 'At 2 of these times, other posts of this account go out.');
  });
});
