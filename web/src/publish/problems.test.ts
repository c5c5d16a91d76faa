import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PostProblem } from '@airdate/sdk/core';
import { examplePost, exampleProblem } from '../../test/example-post.js';
import type { Failure } from './failure.js';
import type { PublishForm } from './form.js';
import { problemsOf } from './problems.js';

const codes = (problems: PostProblem[], failure: Failure | null = null) =>
  problemsOf(
    { ready: false, problems, account: null, request: {} },
    examplePost(),
    { mode: 'direct' } as PublishForm,
    undefined,
    undefined,
    failure,
  ).map(({ code }) => code);

const failure = (code: string, isOpen = true): Failure => ({ code, message: 'No.', at: null, isOpen });

describe('the problems of the sheet', () => {
  it('have one message for each cause', () => {
    const missing = exampleProblem('no_media', 'Add the video.');
    assert.deepEqual(codes([missing], failure('no_media')), ['no_media']);
    assert.deepEqual(codes([missing], failure('spam_risk_text')), ['no_media', 'spam_risk_text']);
  });

  it('leave the account to its field', () => {
    const dead = { ...exampleProblem('reconnect_required', 'Reconnect it.'), pointer: '/social_account_id' };
    assert.deepEqual(codes([dead], failure('reconnect_required')), []);
  });

  it('do not repeat a failure that was dealt with', () => {
    assert.deepEqual(codes([], failure('picture_size_check_failed')), ['picture_size_check_failed']);
    assert.deepEqual(codes([], failure('picture_size_check_failed', false)), []);
  });
});
