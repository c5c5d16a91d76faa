import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideOn,
  HOUR_MS,
  isByPerson,
  type Name,
  NOW,
  OUTCOMES,
  POLICY,
  sending,
  TRIGGERS,
} from '../../../test/support/world/decide-cases.js';
import { errorColumns } from '../../posts/rows.js';
import { decide } from './decide.js';

describe('While an attempt is being sent', () => {
  /** The attempt's outcome and the post's status, for publish now and for the schedule. */
  const TABLE: Record<Exclude<Name, 'lost'>, [now: [string, string], schedule: [string, string]]> = {
    accepted: [
      ['accepted', 'posted'],
      ['accepted', 'posted'],
    ],
    published: [
      ['published', 'posted'],
      ['published', 'posted'],
    ],
    in_inbox: [
      ['in_inbox', 'posted'],
      ['in_inbox', 'posted'],
    ],
    refused: [
      ['failed', 'draft'],
      ['failed', 'draft'],
    ],
    broken: [
      ['failed', 'draft'],
      ['failed', 'draft'],
    ],
    reauthorize: [
      ['failed', 'draft'],
      ['failed', 'scheduled'],
    ],
    later: [
      ['failed', 'draft'],
      ['failed', 'scheduled'],
    ],
    blocked: [
      ['failed', 'draft'],
      ['failed', 'scheduled'],
    ],
  };
  for (const [name, [now, schedule]] of Object.entries(TABLE) as [keyof typeof TABLE, string[][]][])
    for (const trigger of TRIGGERS) {
      const [outcome, status] = (isByPerson(trigger) ? now : schedule) as [string, string];
      it(`${name} of ${trigger} makes the attempt ${outcome} and the post ${status}`, () => {
        const { attempt, post } = decideOn(sending(trigger), name);
        assert.deepEqual([attempt.outcome, post.status], [outcome, status]);
      });
      it(`${name} of ${trigger} leaves a post archived that was archived meanwhile, and never retries it`, () => {
        const { attempt, post } = decideOn(sending(trigger, { post: { status: 'archived' } }), name);
        assert.equal(attempt.outcome, outcome);
        assert.equal(post.status ?? 'archived', 'archived');
        assert.equal(post.publish_retries, undefined);
        assert.ok(post.wait_until == null);
        assert.equal(post.posted_at ?? null, status === 'posted' ? NOW : null);
      });
    }

  it('acceptance sets posted_at, clears the error, and keeps the options that were sent', () => {
    const { attempt, post } = decideOn(
      sending('api', { post: { last_publish_error: 'Old (old)' } }),
      'accepted',
    );
    assert.deepEqual(post, {
      status: 'posted',
      scheduled_at: null,
      last_slot: null,
      posted_at: NOW,
      last_publish_error: null,
      wait_until: null,
      social_account_id: 'account',
      publish_mode: 'direct',
      privacy_level: 'SELF_ONLY',
      disable_comment: 1,
      disable_duet: 0,
      disable_stitch: 0,
      brand_content_toggle: 0,
      brand_organic_toggle: 1,
    });
    assert.deepEqual(
      [attempt.publish_id, attempt.social_status, attempt.accepted_at, attempt.phase, attempt.next_at],
      ['p_1', 'PROCESSING_DOWNLOAD', NOW, 'observing', NOW + 2_000],
    );
    assert.equal(attempt.finished_at, undefined);
  });

  it('acceptance of a video makes its bytes due immediately', () => {
    const plan = { videoSize: 1, chunkSize: 1, chunkCount: 1 };
    const upload = { address: 'https://x', contentType: 'video/mp4', plan };
    const { attempt } = decide(sending('api'), { ...OUTCOMES.accepted, upload }, POLICY);
    assert.deepEqual([attempt.phase, attempt.next_at], ['transferring', NOW]);
  });

  it('every failure ends the attempt, says why, and revokes its slide URLs', () => {
    for (const name of ['refused', 'broken', 'reauthorize', 'later', 'blocked', 'lost'] as const)
      for (const trigger of TRIGGERS) {
        const { code, reason } = OUTCOMES[name];
        const { attempt } = decideOn(sending(trigger), name);
        assert.deepEqual(
          [attempt.phase, attempt.finished_at, attempt.revoked_at, attempt.next_at, attempt.lease_until],
          ['done', NOW, NOW, null, null],
        );
        assert.deepEqual([attempt.error_code, attempt.error_message], [code, reason]);
      }
  });

  for (const trigger of TRIGGERS) {
    it(`a lost answer of ${trigger} without a fetched slide counts as not taken`, () => {
      const { attempt, post } = decideOn(sending(trigger), 'lost');
      assert.deepEqual([attempt.outcome, attempt.revoked_at], ['failed', NOW]);
      assert.equal(post.status, isByPerson(trigger) ? 'draft' : 'scheduled');
    });

    it(`a lost answer of ${trigger} with a fetched slide is unknown, and is never sent again`, () => {
      const state = sending(trigger, { attempt: { fetched_at: NOW - 1 } });
      const { attempt, post } = decideOn(state, 'lost');
      assert.deepEqual([attempt.outcome, attempt.phase, attempt.next_at], ['unknown', 'done', null]);
      assert.equal(attempt.revoked_at, undefined);
      assert.equal(post.status, 'publishing');
      assert.equal(post.publish_retries, undefined);
      assert.match(post.last_publish_error ?? '', /^The outcome is unknown: .* \(no_answer\)$/);
      const archived = decideOn({ ...state, post: { ...state.post, status: 'archived' } }, 'lost');
      assert.deepEqual([archived.attempt.outcome, archived.post.status], ['unknown', 'archived']);
    });

    it(`every answer of ${trigger} except an acceptance is unknown once a slide was fetched`, () => {
      for (const name of ['refused', 'broken', 'reauthorize', 'later', 'blocked', 'lost'] as const) {
        const { attempt, post } = decideOn(sending(trigger, { attempt: { fetched_at: NOW - 1 } }), name);
        assert.deepEqual([attempt.outcome, attempt.phase, attempt.next_at], ['unknown', 'done', null]);
        assert.deepEqual([attempt.revoked_at, post.status], [undefined, 'publishing']);
      }
      const fetched = sending(trigger, { attempt: { fetched_at: NOW - 1 } });
      assert.equal(decideOn(fetched, 'accepted').attempt.outcome, 'accepted');
    });

    it(`an acceptance of ${trigger} counts even after the attempt became unknown`, () => {
      const unknown = { outcome: 'unknown', phase: 'done', fetched_at: NOW - 1, next_at: null } as const;
      const { attempt, post } = decideOn(sending(trigger, { attempt: unknown }), 'accepted');
      assert.deepEqual(
        [attempt.outcome, attempt.phase, attempt.publish_id],
        ['accepted', 'observing', 'p_1'],
      );
      assert.deepEqual([post.status, post.last_publish_error], ['posted', null]);
    });

    it(`acceptance of ${trigger} ${isByPerson(trigger) ? 'gives up the slot' : 'keeps the slot'}`, () => {
      const { post } = decideOn(sending(trigger, { post: { scheduled_at: NOW + HOUR_MS } }), 'accepted');
      assert.equal(post.scheduled_at, isByPerson(trigger) ? null : undefined);
    });
  }

  it('a publish now of which nothing was taken leaves the post and its error as before', () => {
    for (const name of ['reauthorize', 'later', 'blocked', 'lost'] as const) {
      assert.deepEqual(decideOn(sending('api'), name).post, { status: 'draft' });
      const ahead = sending('api', {
        snapshot: { from: 'scheduled' },
        post: { scheduled_at: NOW + HOUR_MS },
      });
      assert.deepEqual(decideOn(ahead, name).post, { status: 'scheduled' });
    }
  });

  it('if the request no longer waits for the answer, the post carries the error', () => {
    const { post } = decideOn(sending('api', { snapshot: { interruptions: 1 } }), 'later');
    assert.deepEqual(post, { status: 'draft', ...errorColumns(OUTCOMES.later) });
  });

  it('a post that was refused keeps a slot that is still ahead, and loses one that has passed', () => {
    const from = { snapshot: { from: 'scheduled' as const } };
    const ahead = decideOn(sending('api', { ...from, post: { scheduled_at: NOW + 1 } }), 'refused').post;
    assert.deepEqual([ahead.status, ahead.scheduled_at], ['scheduled', undefined]);
    const passed = decideOn(sending('api', { ...from, post: { scheduled_at: NOW } }), 'refused').post;
    assert.deepEqual([passed.status, passed.scheduled_at], ['draft', null]);
    for (const { last_publish_error } of [ahead, passed])
      assert.equal(last_publish_error, OUTCOMES.refused.reason);
  });
});
