import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Given,
  HOUR_MS,
  NOW,
  OUTCOMES,
  observing,
  POLICY,
  SNAPSHOT,
} from '../../../test/support/world/decide-cases.js';
import { decide } from './decide.js';
import { ADDRESS_POLLS_MS } from './public-address.js';

const WITHOUT_ADDRESS = { kind: 'published', socialStatus: 'PUBLISH_COMPLETE' } as const;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

const audience = (privacyLevel: string | null) => ({ draft: { ...SNAPSHOT.draft, privacyLevel } });
const PUBLIC = audience('PUBLIC_TO_EVERYONE');

/** A public post, published this long ago, whose address is not known. */
const published = (agoMs: number, given: Given = {}) =>
  observing('schedule', {
    snapshot: PUBLIC,
    ...given,
    attempt: { outcome: 'published', phase: 'done', finished_at: NOW - agoMs, ...given.attempt },
  });

describe('The address of a published post', () => {
  it('is asked for 1, 5 and 30 minutes, 2, 6 and 24 hours after the publication', () => {
    assert.deepEqual(ADDRESS_POLLS_MS, [
      MINUTE_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      6 * HOUR_MS,
      DAY_MS,
    ]);
    const { attempt } = decide(observing('api', { snapshot: PUBLIC }), WITHOUT_ADDRESS, POLICY);
    assert.deepEqual([attempt.outcome, attempt.next_at], ['published', NOW + MINUTE_MS]);
    for (const [i, ms] of ADDRESS_POLLS_MS.entries()) {
      const later: number | undefined = ADDRESS_POLLS_MS[i + 1];
      const { attempt, post } = decide(published(ms), WITHOUT_ADDRESS, POLICY);
      const next_at: number | null = later === undefined ? null : NOW - ms + later;
      assert.deepEqual(attempt, { lease_until: null, next_at });
      assert.deepEqual(post, {});
    }
  });

  it('is asked for at the next of these times when a worker comes late', () => {
    const { attempt } = decide(published(3 * HOUR_MS), WITHOUT_ADDRESS, POLICY);
    assert.equal(attempt.next_at, NOW + 3 * HOUR_MS);
  });

  it('is not asked for when it came with the publication, when the post is not public, or without a publish id', () => {
    const { attempt } = decide(observing('api', { snapshot: PUBLIC }), OUTCOMES.published, POLICY);
    assert.deepEqual(
      [attempt.next_at, attempt.platform_post_id, attempt.post_url],
      [null, '7', 'https://x/7'],
    );
    for (const level of ['SELF_ONLY', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', null]) {
      const state = observing('api', { snapshot: audience(level) });
      assert.equal(decide(state, WITHOUT_ADDRESS, POLICY).attempt.next_at, null, `${level}`);
    }
    const resolved = published(MINUTE_MS, { attempt: { publish_id: null } });
    assert.equal(decide(resolved, WITHOUT_ADDRESS, POLICY).attempt.next_at, null);
  });

  it('is asked for once a draft from the inbox was posted, because its audience is chosen on the platform', () => {
    const draft = observing('api', { attempt: { mode: 'inbox', outcome: 'in_inbox', phase: 'done' } });
    const { attempt } = decide(draft, WITHOUT_ADDRESS, POLICY);
    assert.deepEqual([attempt.outcome, attempt.next_at], ['published', NOW + MINUTE_MS]);
  });

  it('changes nothing else when it becomes known', () => {
    assert.deepEqual(decide(published(MINUTE_MS), OUTCOMES.published, POLICY), {
      attempt: { lease_until: null, next_at: null, platform_post_id: '7', post_url: 'https://x/7' },
      post: {},
    });
    const { postUrl: _url, ...withoutUsername } = OUTCOMES.published;
    assert.deepEqual(decide(published(MINUTE_MS), withoutUsername, POLICY).attempt, {
      lease_until: null,
      next_at: null,
      platform_post_id: '7',
    });
  });

  it('is asked for every hour after the last of these times only while the platform does not answer, for a week', () => {
    for (const outcome of [OUTCOMES.later, OUTCOMES.reauthorize]) {
      const next = (agoMs: number) => decide(published(agoMs), outcome, POLICY).attempt.next_at;
      assert.equal(next(MINUTE_MS), NOW + 4 * MINUTE_MS);
      assert.equal(next(DAY_MS), NOW + HOUR_MS);
      assert.equal(next(7 * DAY_MS), null);
    }
    for (const outcome of [OUTCOMES.accepted, OUTCOMES.refused, OUTCOMES.lost, OUTCOMES.in_inbox])
      assert.equal(decide(published(DAY_MS), outcome, POLICY).attempt.next_at, null);
  });
});
