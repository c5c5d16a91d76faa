import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideOn,
  type Given,
  HOUR_MS,
  isByPerson,
  NAMES,
  NOW,
  OUTCOMES,
  observing,
  POLICY,
  sending,
  TRIGGERS,
} from '../../../test/support/world/decide-cases.js';
import type { AttemptRow } from '../../db/tables.js';
import { errorColumns } from '../../posts/rows.js';
import { MAX_RETRIES } from './backoff.js';
import { decide, GIVE_UP_MS } from './decide.js';

describe('A scheduled post of which nothing was taken', () => {
  it('because of a failure on our side, keeps its slot and its retries, however often', () => {
    const unsent = {
      kind: 'later',
      code: 'unavailable',
      reason: 'Not sent (unavailable)',
      isUnsent: true,
    } as const;
    for (const publish_retries of [0, MAX_RETRIES]) {
      const state = sending('schedule', { post: { publish_retries } });
      const { attempt, post } = decide(state, unsent, POLICY);
      assert.deepEqual(post, {
        status: 'scheduled',
        wait_until: NOW + POLICY.backoffMs,
        ...errorColumns(unsent),
      });
      assert.deepEqual([attempt.outcome, attempt.failure, attempt.next_at], ['failed', 'retryable', null]);
    }
  });

  it('is retried five times, each time after twice as long, and then returns to draft', () => {
    const state = sending('schedule');
    const waits = [];
    for (let retries = 0; retries < MAX_RETRIES; retries++) {
      const { post } = decideOn({ ...state, post: { ...state.post, publish_retries: retries } }, 'later');
      assert.deepEqual([post.status, post.publish_retries], ['scheduled', retries + 1]);
      assert.equal(post.scheduled_at, undefined);
      assert.equal(post.last_publish_error, OUTCOMES.later.reason);
      waits.push((post.wait_until ?? 0) - NOW);
    }
    assert.deepEqual(waits, [30_000, 60_000, 120_000, 240_000, 480_000]);
    const { post } = decideOn({ ...state, post: { ...state.post, publish_retries: MAX_RETRIES } }, 'later');
    assert.deepEqual(post, {
      status: 'draft',
      scheduled_at: null,
      last_slot: NOW - 1_000,
      wait_until: null,
      ...errorColumns(OUTCOMES.later),
    });
  });

  it('waits as long as the platform asks, and no less than its own backoff', () => {
    const later = (retryAfterMs: number) =>
      decide(sending('schedule'), { ...OUTCOMES.later, retryAfterMs }, POLICY);
    assert.equal(later(90_000).post.wait_until, NOW + 90_000);
    assert.equal(later(90_000).attempt.retry_after_ms, 90_000);
    assert.equal(later(1_000).post.wait_until, NOW + 30_000);
  });

  it('is not retried at the same moment as others', () => {
    const wait = (random: number) => decideOn(sending('schedule'), 'later', { random }).post.wait_until ?? 0;
    assert.ok(wait(0) < wait(0.5) && wait(0.5) < wait(0.99));
  });

  it('waits until its account is reconnected, or its slot is missed', () => {
    for (const trigger of ['schedule', 'retry'] as const) {
      const { post } = decideOn(sending(trigger), 'reauthorize');
      assert.deepEqual(post, {
        status: 'scheduled',
        ...errorColumns(OUTCOMES.reauthorize),
        wait_until: NOW - 1_000 + POLICY.maxLatenessMs,
        wait_reason: 'account',
      });
    }
  });
});

describe('Once the platform has accepted', () => {
  for (const trigger of TRIGGERS)
    for (const status of ['posted', 'archived'] as const) {
      const of = `of ${trigger} whose post is ${status}`;
      const state = () => observing(trigger, { post: { status } });

      it(`success ${of} ends the attempt and leaves posted_at as it was`, () => {
        for (const name of ['published', 'in_inbox'] as const) {
          const { attempt, post } = decideOn(state(), name);
          assert.deepEqual([attempt.outcome, attempt.phase, attempt.finished_at], [name, 'done', NOW]);
          assert.deepEqual([post.status, post.posted_at], [status, NOW - HOUR_MS]);
        }
        assert.equal(decideOn(state(), 'published').attempt.post_url, 'https://x/7');
      });

      it(`permanent failure ${of} clears posted_at`, () => {
        const { attempt, post } = decideOn(state(), 'refused');
        assert.deepEqual([attempt.outcome, attempt.social_status], ['failed', 'FAILED']);
        assert.equal(post.posted_at, null);
        assert.equal(post.last_publish_error, OUTCOMES.refused.reason);
        assert.equal(post.status ?? 'archived', status === 'archived' ? 'archived' : 'draft');
      });

      const isAgain = status === 'posted' && !isByPerson(trigger);
      it(`temporary failure ${of} is ${isAgain ? '' : 'not '}retried`, () => {
        const { attempt, post } = decideOn(state(), 'broken');
        assert.equal(attempt.outcome, 'failed');
        assert.equal(post.posted_at, null);
        assert.equal(post.status === 'scheduled', isAgain);
        assert.equal(post.publish_retries, isAgain ? (trigger === 'retry' ? 2 : 1) : undefined);
      });

      it(`a poll without an answer ${of} changes nothing but the time of the next`, () => {
        for (const name of ['reauthorize', 'later', 'lost'] as const) {
          const { attempt, post } = decideOn(state(), name);
          assert.deepEqual(post, {});
          assert.deepEqual(attempt, { checks: 1, lease_until: null, next_at: NOW + 2_000 });
        }
      });

      it(`a post still being processed ${of} stays unchanged`, () => {
        const { attempt, post } = decideOn(state(), 'accepted');
        assert.deepEqual(post, {});
        assert.deepEqual([attempt.outcome, attempt.checked_at], [undefined, NOW]);
      });

      it(`24 hours without a final status ${of} make it unknown; it is polled less often, for a week`, () => {
        const since = (ms: number, outcome: AttemptRow['outcome'] = 'accepted') =>
          decideOn(
            { ...state(), attempt: { ...state().attempt, accepted_at: NOW - ms, outcome } },
            'accepted',
          );
        assert.equal(since(GIVE_UP_MS - 1).attempt.outcome, undefined);
        const { attempt, post } = since(GIVE_UP_MS);
        assert.deepEqual([attempt.outcome, attempt.next_at], ['unknown', NOW + HOUR_MS]);
        assert.equal(post.status, status === 'archived' ? 'archived' : 'publishing');
        assert.equal(post.posted_at, null);
        assert.match(post.last_publish_error ?? '', /^The outcome is unknown: .* \(no_final_status\)$/);
        assert.deepEqual(since(2 * GIVE_UP_MS, 'unknown').post, {});
        assert.equal(since(7 * GIVE_UP_MS, 'unknown').attempt.next_at, null);
      });
    }

  it('a publish now before its slot that fails later returns to draft: it has replaced the slot', () => {
    const given = { snapshot: { from: 'scheduled' as const }, post: { scheduled_at: NOW + HOUR_MS } };
    const { post } = decideOn(observing('api', given), 'broken');
    assert.deepEqual(
      [post.status, post.scheduled_at, post.posted_at, post.publish_retries],
      ['draft', null, null, undefined],
    );
  });

  it('a temporary failure returns the post to draft when no retries are left', () => {
    const { post } = decideOn(observing('retry', { post: { publish_retries: MAX_RETRIES } }), 'broken');
    assert.deepEqual([post.status, post.scheduled_at, post.posted_at], ['draft', null, null]);
  });

  it('an unknown outcome is settled when the platform finally reports it', () => {
    const unknown = observing('api', {
      attempt: { outcome: 'unknown', accepted_at: NOW - 2 * GIVE_UP_MS },
      post: { status: 'publishing', posted_at: null },
    });
    const { attempt, post } = decideOn(unknown, 'published');
    assert.deepEqual([attempt.outcome, attempt.error_code], ['published', null]);
    assert.deepEqual([post.status, post.posted_at], ['posted', NOW - 2 * GIVE_UP_MS]);
    assert.equal(decideOn(unknown, 'refused').post.status, 'draft');
  });
});

describe('After the end of an attempt', () => {
  const ended = (outcome: 'failed' | 'published' | 'in_inbox', given: Given = {}) =>
    observing('schedule', { ...given, attempt: { outcome, phase: 'done', finished_at: NOW - 1 } });

  it('published is final: nothing but the address can change, and a private post has none to ask for', () => {
    const { later, reauthorize } = OUTCOMES;
    for (const name of NAMES) {
      const { attempt, post } = decideOn(ended('published'), name);
      assert.deepEqual(post, {});
      const address = name === 'published' ? { post_url: 'https://x/7', platform_post_id: '7' } : {};
      const isUnanswered = [later.kind, reauthorize.kind].some((kind) => kind === OUTCOMES[name].kind);
      const next_at = isUnanswered ? NOW + HOUR_MS : null;
      assert.deepEqual(attempt, { lease_until: null, next_at, ...address });
    }
  });

  it('a draft that is still in the inbox stays exactly as it is', () => {
    const { attempt, post } = decideOn(ended('in_inbox'), 'in_inbox');
    assert.deepEqual(post, {});
    assert.deepEqual(attempt, { checked_at: NOW, lease_until: null, next_at: null });
  });

  it('an inbox draft that the creator posts is published, and no failure reverts it', () => {
    assert.equal(decideOn(ended('in_inbox'), 'published').attempt.outcome, 'published');
    for (const name of NAMES.filter((name) => name !== 'published' && name !== 'in_inbox')) {
      const { attempt, post } = decideOn(ended('in_inbox'), name);
      assert.deepEqual([attempt.outcome, post], [undefined, {}]);
    }
  });

  for (const status of ['draft', 'scheduled', 'archived'] as const)
    it(`a late success after a failure counts for a post that is ${status}, if nothing newer was tried`, () => {
      const failed = ended('failed', {
        post: { status, posted_at: null, last_publish_error: 'It broke (internal)' },
      });
      const { attempt, post } = decideOn(failed, 'published');
      assert.deepEqual([attempt.outcome, attempt.error_code], ['published', null]);
      assert.deepEqual(
        [post.status, post.posted_at, post.last_publish_error, post.wait_until],
        [status === 'archived' ? 'archived' : 'posted', NOW - HOUR_MS, null, null],
      );
    });

  it('a failed attempt is not changed by anything else', () => {
    for (const name of NAMES.filter((name) => name !== 'published' && name !== 'in_inbox')) {
      const { attempt, post } = decideOn(
        ended('failed', { post: { status: 'draft', posted_at: null } }),
        name,
      );
      assert.deepEqual([attempt.outcome, attempt.phase, post], [undefined, undefined, {}]);
    }
  });

  it('an attempt that was followed by a newer one is settled without changing the post', () => {
    for (const name of ['published', 'in_inbox', 'refused', 'broken'] as const)
      for (const status of ['draft', 'publishing', 'posted', 'scheduled', 'archived'] as const) {
        const { attempt, post } = decideOn(
          observing('schedule', { post: { status }, isLatest: false }),
          name,
        );
        assert.deepEqual(post, {});
        assert.equal(attempt.outcome, name === 'refused' || name === 'broken' ? 'failed' : name);
      }
    assert.deepEqual(decideOn({ ...ended('failed'), isLatest: false }, 'published').post, {});
  });
});
