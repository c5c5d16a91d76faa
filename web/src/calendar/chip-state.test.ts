import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import { chipStateOf } from './chip-state.js';

type Problems = NonNullable<Post['readiness']>['problems'];

const stateOf = (status: Post['status'], error: string | null = null, problems: Problems = []) => {
  const readiness = { ready: problems.length === 0, problems };
  const { tone, label, reason } = chipStateOf({ status, last_publish_error: error, readiness } as Post);
  return [tone, label, reason];
};

describe('a post in the calendar', () => {
  const pending = { code: 'uploads_pending', message: 'Wait for the upload to finish.' };
  const bare = { code: 'no_media', message: 'Add at least one slide.' };

  it('looks like its status while nothing is wrong', () => {
    assert.deepEqual(stateOf('scheduled'), ['scheduled', 'Scheduled', null]);
    assert.deepEqual(stateOf('posted'), ['posted', 'Posted', null]);
  });

  it('will fail for the reason a person can do something about', () => {
    assert.deepEqual(stateOf('scheduled', null, [pending]), ['scheduled', 'Scheduled', null]);
    assert.deepEqual(stateOf('scheduled', null, [pending, bare]), ['attention', 'Will fail', bare.message]);
    assert.deepEqual(stateOf('scheduled', 'Too many requests', [bare]), [
      'attention',
      'Will fail',
      bare.message,
    ]);
  });

  it('has failed, waits for another try, or has missed its slot', () => {
    assert.deepEqual(stateOf('draft', 'Too small (size)'), ['attention', 'Failed', 'Too small.']);
    assert.deepEqual(stateOf('scheduled', 'Too busy'), ['attention', 'Waiting to retry', 'Too busy.']);
    assert.deepEqual(stateOf('draft'), ['attention', 'Missed', null]);
  });
});
