import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import { movedElsewhereReason } from './seen-slot.js';

const SEEN = '2026-12-01T09:00:00.000Z';
const post = (changes: Partial<Post>) =>
  ({ title: 'Stove test', status: 'scheduled', scheduled_at: '2026-12-01T09:00:00Z', ...changes }) as Post;

describe('a post that is moved in the calendar', () => {
  it('moves from the slot where it was seen', () => assert.equal(movedElsewhereReason(post({}), SEEN), null));

  it('stays where someone else has moved it', () =>
    assert.match(
      movedElsewhereReason(post({ scheduled_at: '2026-12-02T09:00:00Z' }), SEEN) ?? '',
      /^Stove test was just moved elsewhere: it goes out .*2 Dec/,
    ));

  it('is not moved as a draft, even if the draft has the same time', () => {
    const gone = 'Stove test is no longer scheduled.';
    assert.equal(movedElsewhereReason(post({ status: 'draft' }), SEEN), gone);
    assert.equal(movedElsewhereReason(post({ status: 'draft', scheduled_at: null }), SEEN), gone);
  });
});
