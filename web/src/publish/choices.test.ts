import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleAttempt, examplePost } from '../../test/example-post.js';
import { wasChosen } from './choices.js';

describe('the options of a post', () => {
  const set = { privacy_level: 'PUBLIC_TO_EVERYONE' } as const;

  it('are not chosen by a new post, a copy, or a level that no form has written', () => {
    assert.equal(wasChosen(examplePost(), undefined), false);
    assert.equal(wasChosen(examplePost(set), undefined), false);
  });

  it('were chosen when a post is scheduled, was sent, or was unscheduled', () => {
    assert.equal(wasChosen(examplePost({ ...set, status: 'scheduled' }), undefined), true);
    assert.equal(wasChosen(examplePost(set), exampleAttempt()), true);
    assert.equal(wasChosen(examplePost({ ...set, last_slot: '2026-11-15T12:00:00Z' }), undefined), true);
    assert.equal(wasChosen(examplePost({ ...set, disable_duet: true }), undefined), true);
  });

  it('are chosen in the app when a post goes to the inbox', () => {
    const narrow = { privacy_level: 'SELF_ONLY', disable_comment: true } as const;
    const inbox = exampleAttempt({ mode: 'inbox' });
    assert.equal(wasChosen(examplePost({ ...narrow, publish_mode: 'inbox' }), inbox), false);
    assert.equal(wasChosen(examplePost(narrow), inbox), false);
    assert.equal(wasChosen(examplePost({ ...narrow, ...set }), inbox), true);
  });
});
