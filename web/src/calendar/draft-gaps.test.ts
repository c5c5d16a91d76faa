import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import { exampleAccount, examplePost } from '../../test/example-post.js';
import { gapsOf } from './draft-gaps.js';

const ONE = [exampleAccount('a'), exampleAccount('b', { status: 'reconnect_required' })];
const TWO = [...ONE, exampleAccount('c')];
const draft = (changes: Partial<Post> = {}) =>
  examplePost({ post_type: 'slides', cover_url: '/cover.jpg', social_account_id: 'a', ...changes });

describe('what a draft lacks', () => {
  it('is its file, the account, or both', () => {
    assert.deepEqual(gapsOf(draft(), TWO), []);
    assert.deepEqual(gapsOf(draft({ cover_url: null }), TWO), ['No slides yet']);
    assert.deepEqual(gapsOf(draft({ social_account_id: null }), TWO), ['No account yet']);
    const bare = draft({ post_type: 'video', cover_video_url: null, social_account_id: null });
    assert.deepEqual(gapsOf(bare, TWO), ['No video yet', 'No account yet']);
  });

  it('is no account if only one can be meant, or while accounts are not known', () => {
    const homeless = draft({ social_account_id: null });
    assert.deepEqual(gapsOf(homeless, ONE), []);
    assert.deepEqual(gapsOf(homeless, undefined), []);
    assert.deepEqual(gapsOf(homeless, []), ['No account yet']);
  });

  it('is an account that was disconnected, or has to be connected again', () => {
    assert.deepEqual(gapsOf(draft({ social_account_id: 'gone' }), TWO), ['Account disconnected']);
    assert.deepEqual(gapsOf(draft({ social_account_id: 'b' }), TWO), ['Account to reconnect']);
  });

  it('is otherwise what became of it', () => {
    assert.deepEqual(gapsOf(draft({ last_publish_error: 'Refused' }), TWO), ['Failed']);
    const readiness = { ready: false, problems: [{ code: 'uploads_pending', message: 'Wait.' }] };
    const sending = draft({ cover_url: null, readiness } as unknown as Partial<Post>);
    assert.deepEqual(gapsOf(sending, TWO), ['Upload not finished']);
  });
});
