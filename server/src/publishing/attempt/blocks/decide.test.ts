import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideOn,
  HOUR_MS,
  isByPerson,
  NOW,
  OUTCOMES,
  observing,
  POLICY,
  sending,
  TRIGGERS,
} from '../../../../test/support/world/decide-cases.js';
import { errorColumns } from '../../../posts/rows.js';
import { MAX_RETRIES } from '../backoff.js';
import { decide } from '../decide.js';
import { decideInterrupted } from '../decide-interrupted.js';
import { waitsBecause } from './waiting-posts.js';

const { blocked } = OUTCOMES;
const WAITS = waitsBecause(blocked);

describe('A block by the platform', () => {
  it('makes a scheduled post wait for its end, without costing a retry, however often', () => {
    for (const publish_retries of [0, MAX_RETRIES]) {
      const { attempt, post } = decideOn(sending('schedule', { post: { publish_retries } }), 'blocked');
      assert.deepEqual(post, {
        status: 'scheduled',
        ...errorColumns(WAITS),
        wait_reason: 'block',
        wait_until: NOW + blocked.windowMs,
      });
      assert.deepEqual(
        [attempt.outcome, attempt.failure, attempt.error_code, attempt.retry_after_ms],
        ['failed', 'retryable', blocked.code, blocked.windowMs],
      );
    }
  });

  it('ends when the engine has worked out that it does', () => {
    const blockedUntil = NOW + HOUR_MS;
    const { attempt, post } = decide({ ...sending('schedule'), blockedUntil }, blocked, POLICY);
    assert.deepEqual([post.wait_until, attempt.retry_after_ms], [blockedUntil, HOUR_MS]);
  });

  it('that lasts longer than the post may be late makes it wait until then, to be missed', () => {
    const slot = NOW - 1_000;
    const long = { ...blocked, windowMs: 24 * HOUR_MS };
    const { post } = decide(sending('schedule'), long, POLICY);
    assert.equal(post.wait_until, slot + POLICY.maxLatenessMs + 1);
  });

  for (const trigger of TRIGGERS)
    it(`that is reported after the acceptance of ${trigger} ${isByPerson(trigger) ? 'returns the post to draft' : 'makes the post wait'}`, () => {
      const { attempt, post } = decideOn(observing(trigger), 'blocked');
      assert.deepEqual([attempt.outcome, attempt.social_status], ['failed', 'FAILED']);
      assert.equal(post.posted_at, null);
      assert.equal(post.status, isByPerson(trigger) ? 'draft' : 'scheduled');
      assert.equal(post.publish_retries, undefined);
      const archived = decideOn(observing(trigger, { post: { status: 'archived' } }), 'blocked').post;
      assert.deepEqual([archived.status ?? 'archived', archived.posted_at], ['archived', null]);
    });

  it('does not send a post again that was restored from a backup', () => {
    const { post } = decideOn(observing('schedule', { snapshot: { is_restored: true } }), 'blocked');
    assert.equal(post.status, 'draft');
  });

  it('changes no post of which something newer was tried', () => {
    assert.deepEqual(decideOn(observing('schedule', { isLatest: false }), 'blocked').post, {});
  });

  it('keeps an interrupted attempt from being sent anew', () => {
    const block = { until: NOW + HOUR_MS, reason: blocked.reason, code: blocked.code };
    const ended = decideInterrupted(sending('schedule'), null, POLICY, block);
    assert.equal(ended.kind, 'end');
    assert.deepEqual(
      [ended.transition.post.status, ended.transition.post.wait_until],
      ['scheduled', block.until],
    );
    // The post carries the block, and the attempt that it was interrupted.
    assert.deepEqual(
      [ended.transition.post.last_publish_error_code, ended.transition.attempt.error_code],
      [blocked.code, 'interrupted'],
    );
    assert.equal(decideInterrupted(sending('schedule'), null, POLICY, null).kind, 'reopen');
    const fetched = sending('schedule', { attempt: { fetched_at: NOW - 1 } });
    assert.equal(decideInterrupted(fetched, null, POLICY, block).transition.attempt.outcome, 'unknown');
  });
});
