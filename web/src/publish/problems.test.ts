import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Preflight } from '@airdate/sdk/core';
import { examplePost } from '../../test/example-post.js';
import type { Failure } from './failure.js';
import type { PublishForm } from './form.js';
import { problemsOf } from './problems.js';

const codes = (problems: Preflight['problems'], failure: Failure | null = null) =>
  problemsOf(
    { ready: false, problems, request: {} },
    examplePost(),
    { mode: 'direct' } as PublishForm,
    undefined,
    undefined,
    failure,
  ).map(({ code }) => code);

const failure = (code: string, isOpen = true): Failure => ({ code, message: 'No.', at: null, isOpen });

describe('the problems of the sheet', () => {
  it('have one message for each cause', () => {
    const missing = { code: 'no_media', level: 'error', detail: 'Add the video.' } as const;
    assert.deepEqual(codes([missing], failure('no_media')), ['no_media']);
    assert.deepEqual(codes([missing], failure('spam_risk_text')), ['no_media', 'spam_risk_text']);
  });

  it('leave the account to its field', () => {
    const dead = {
      code: 'reconnect_required',
      level: 'error',
      detail: 'Reconnect it.',
      field: 'social_account_id',
    } as const;
    assert.deepEqual(codes([dead], failure('reconnect_required')), []);
  });

  it('do not repeat a failure that was dealt with', () => {
    assert.deepEqual(codes([], failure('picture_size_check_failed')), ['picture_size_check_failed']);
    assert.deepEqual(codes([], failure('picture_size_check_failed', false)), []);
  });
});
