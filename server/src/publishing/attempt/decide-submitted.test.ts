import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideOn,
  HOUR_MS,
  NOW,
  POLICY,
  sending,
  TRIGGERS,
} from '../../../test/support/world/decide-cases.js';
import { decideInterrupted } from './decide-interrupted.js';
import type { AttemptState } from './transition.js';

/** An attempt of this class; `sentAgo`: how long ago its submit was about to leave, if it was. */
const submitted = (lost: 'ask' | 'repeat' | 'never', sentAgo: number | null, checks = 0): AttemptState =>
  sending('schedule', {
    snapshot: { lost },
    attempt: { sent_at: sentAgo === null ? null : NOW - sentAgo, checks, submission_ref: 'sealed' },
  });

describe('A lost answer to a submit', () => {
  for (const lost of ['ask', 'repeat'] as const) {
    it(`to ${lost} leaves the attempt open and the post as it is, and a worker continues it soon`, () => {
      for (const trigger of TRIGGERS) {
        const state = {
          ...submitted(lost, 100),
          attempt: { ...submitted(lost, 100).attempt, trigger_kind: trigger },
        };
        assert.deepEqual(decideOn(state, 'lost'), {
          attempt: { lease_until: null, next_at: NOW + POLICY.reconcileIntervalMs },
          post: {},
        });
      }
    });

    it(`to ${lost} is unknown after very many tries`, () => {
      assert.equal(decideOn(submitted(lost, 100, 200), 'lost').attempt.outcome, 'unknown');
    });

    it(`to ${lost} after a crash continues the same attempt, and counts it`, () => {
      assert.deepEqual(decideInterrupted(submitted(lost, 100, 2), null, POLICY), {
        kind: 'resume',
        transition: { attempt: { checks: 3 }, post: {} },
      });
      const end = decideInterrupted(submitted(lost, 100, 200), null, POLICY);
      assert.deepEqual([end.kind, end.transition.attempt.outcome], ['end', 'unknown']);
    });
  }

  it('can be asked about however late it is, but not repeated', () => {
    const late = { maxLatenessMs: HOUR_MS };
    const old = (lost: 'ask' | 'repeat') => {
      const state = submitted(lost, 2 * HOUR_MS);
      return { ...state, attempt: { ...state.attempt, scheduled_for: NOW - 2 * HOUR_MS } };
    };
    assert.equal(decideOn(old('ask'), 'lost', late).attempt.outcome, undefined);
    assert.equal(decideOn(old('repeat'), 'lost', late).attempt.outcome, 'unknown');
  });

  it('that only a person can clear up is unknown, immediately and after a crash', () => {
    assert.equal(decideOn(submitted('never', 100), 'lost').attempt.outcome, 'unknown');
    const { kind, transition } = decideInterrupted(submitted('never', 100), null, POLICY);
    assert.deepEqual([kind, transition.attempt.outcome], ['end', 'unknown']);
  });

  for (const lost of ['ask', 'repeat', 'never'] as const)
    it(`before anything was submitted counts as not taken, and a crash begins a new attempt (${lost})`, () => {
      const { attempt, post } = decideOn(submitted(lost, null), 'lost');
      assert.deepEqual([attempt.outcome, post.status], ['failed', 'scheduled']);
      assert.equal(decideInterrupted(submitted(lost, null), null, POLICY).kind, 'reopen');
    });

  it('does not concern answers: they are believed', () => {
    for (const lost of ['ask', 'repeat', 'never'] as const)
      for (const name of ['refused', 'later', 'reauthorize'] as const)
        assert.equal(decideOn(submitted(lost, 100), name).attempt.outcome, 'failed');
  });
});
