import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post, PostProblem } from '@airdate/sdk/core';
import { exampleProblem } from '../../test/example-post.js';
import { chipStateOf } from './chip-state.js';

const stateOf = (status: Post['status'], error: string | null = null, problems: PostProblem[] = []) => {
  const readiness = { ready: problems.length === 0, problems };
  const { tone, label, reason } = chipStateOf({ status, last_publish_error: error, readiness } as Post);
  return [tone, label, reason];
};

describe('a post in the calendar', () => {
  const pending = exampleProblem('uploads_pending', 'Wait for the upload to finish.');
  const bare = exampleProblem('no_media', 'Add at least one slide.');

  it('looks like its status while nothing is wrong', () => {
    assert.deepEqual(stateOf('scheduled'), ['scheduled', 'Scheduled', null]);
    assert.deepEqual(stateOf('posted'), ['posted', 'Posted', null]);
  });

  it('will fail for the reason a person can do something about', () => {
    assert.deepEqual(stateOf('scheduled', null, [pending]), ['scheduled', 'Scheduled', null]);
    assert.deepEqual(stateOf('scheduled', null, [pending, bare]), ['attention', 'Will fail', bare.detail]);
    assert.deepEqual(stateOf('scheduled', 'Too many requests', [bare]), [
      'attention',
      'Will fail',
      bare.detail,
    ]);
  });

  it('waits for an account that must be reconnected, whatever else is wrong', () => {
    const dead = exampleProblem('reconnect_required', 'Reconnect field.notes.');
    assert.deepEqual(stateOf('scheduled', null, [dead, bare]), ['attention', 'Waits', dead.detail]);
  });

  it('has failed, waits for another try, or has missed its slot', () => {
    assert.deepEqual(stateOf('draft', 'Too small (size)'), ['attention', 'Failed', 'Too small.']);
    assert.deepEqual(stateOf('scheduled', 'Too busy'), ['attention', 'Waiting to retry', 'Too busy.']);
    assert.deepEqual(stateOf('draft'), ['attention', 'Missed', null]);
  });
});
