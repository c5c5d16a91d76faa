import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import { exampleAccount, examplePost, exampleProblem } from '../../test/example-post.js';
import { missingParts } from './draft-gaps.js';

const ONE = [exampleAccount('a'), exampleAccount('b', { status: 'reconnect_required' })];
const TWO = [...ONE, exampleAccount('c')];
const draft = (changes: Partial<Post> = {}) =>
  examplePost({ post_type: 'slides', cover_url: '/cover.jpg', social_account_id: 'a', ...changes });

describe('what a draft lacks', () => {
  it('is its file, the account, or both', () => {
    assert.deepEqual(missingParts(draft(), TWO), []);
    assert.deepEqual(missingParts(draft({ cover_url: null }), TWO), ['No slides yet']);
    assert.deepEqual(missingParts(draft({ social_account_id: null }), TWO), ['No account yet']);
    const bare = draft({ post_type: 'video', cover_video_url: null, social_account_id: null });
    assert.deepEqual(missingParts(bare, TWO), ['No video yet', 'No account yet']);
  });

  it('is no account if only one can be meant, or while accounts are not known', () => {
    const homeless = draft({ social_account_id: null });
    assert.deepEqual(missingParts(homeless, ONE), []);
    assert.deepEqual(missingParts(homeless, undefined), []);
    assert.deepEqual(missingParts(homeless, []), ['No account yet']);
  });

  it('is an account that was disconnected, or has to be connected again', () => {
    assert.deepEqual(missingParts(draft({ social_account_id: 'gone' }), TWO), ['Account disconnected']);
    assert.deepEqual(missingParts(draft({ social_account_id: 'b' }), TWO), ['Reconnect account']);
  });

  it('is otherwise what became of it', () => {
    assert.deepEqual(missingParts(draft({ last_publish_error: 'Refused' }), TWO), ['Failed']);
    const readiness = { ready: false, problems: [exampleProblem('uploads_pending', 'Wait.')] };
    const sending = draft({ cover_url: null, readiness });
    assert.deepEqual(missingParts(sending, TWO), ['Upload not finished']);
    const wait = exampleProblem('uploads_pending', 'Wait until a.jpg has been fetched, or remove it.');
    const fetching = draft({ cover_url: null, readiness: { ready: false, problems: [wait] } });
    assert.deepEqual(missingParts(fetching, TWO), ['Fetching its files']);
  });
});
