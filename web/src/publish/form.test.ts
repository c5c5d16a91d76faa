import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreatorOptions, Dispatch, Post } from '@airdate/sdk/core';
import { exampleAccount, exampleAttempt, examplePost } from '../../test/example-post.js';
import {
  firstForm,
  momentOf,
  obstacle,
  type PublishForm,
  publishBody,
  scheduleBody,
  tooSoon,
  UNDISCLOSED,
} from './form.js';

const NOW = Date.parse('2026-11-15T12:10:00Z');

/** With options, as a program may have stored them. */
const post = (changes: Partial<Post> = {}): Post =>
  examplePost({ privacy_level: 'PUBLIC_TO_EVERYONE', ...changes });

const account = exampleAccount;

const creator = (changes: Partial<CreatorOptions> = {}): CreatorOptions => ({
  platform: 'tiktok',
  supports: { post_types: ['slides', 'video'], modes: ['direct', 'inbox'], toggles: [] },
  username: 'a',
  nickname: 'A',
  avatar_url: null,
  privacy_level_options: ['PUBLIC_TO_EVERYONE', 'SELF_ONLY'],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_video_post_duration_sec: 60,
  blocked_until: null,
  block_reason: null,
  ...changes,
});

const first = (of = post(), accounts = [account('a')], latest?: Dispatch): PublishForm => ({
  when: 'now',
  ...firstForm(of, accounts, 'UTC', NOW, 300_000, latest),
});

describe('the form', () => {
  it('begins with nothing chosen and nothing allowed, whatever the post has stored', () => {
    const { privacy, allowComment, allowDuet, allowStitch, isCommercial, isBranded } = first();
    assert.deepEqual(
      [privacy, allowComment, allowDuet, allowStitch, isCommercial, isBranded],
      [null, false, false, false, false, false],
    );
  });

  it('keeps what was chosen when a scheduled post is rescheduled', () => {
    const form = first(
      post({
        status: 'scheduled',
        scheduled_at: '2026-12-01T18:00:00Z',
        disable_duet: true,
        brand_content_toggle: true,
      }),
    );
    assert.equal(form.privacy, 'PUBLIC_TO_EVERYONE');
    assert.deepEqual([form.allowComment, form.allowDuet, form.isBranded], [true, false, true]);
    assert.equal(form.wall, '2026-12-01T18:00');
  });

  it('chooses an account only if there is no choice', () => {
    const homeless = post({ social_account_id: null });
    assert.equal(first(homeless, [account('a'), account('b')]).accountId, null);
    const broken = account('b', { status: 'reconnect_required' });
    assert.equal(first(homeless, [account('a'), broken]).accountId, 'a');
    // The post's own account stays chosen, so that the member reconnects it or decides for another.
    assert.equal(first(post({ social_account_id: 'b' }), [account('a'), broken]).accountId, 'b');
    // Also when it was disconnected, and is no longer in the list.
    assert.equal(first(post({ social_account_id: 'b' }), [account('a')]).accountId, 'b');
    const sent = exampleAttempt({ social_account_id: 'b' });
    assert.equal(first(homeless, [account('a')], sent).accountId, 'b');
  });

  it('keeps what was chosen when a failed post is tried again', () => {
    const failed = post({ last_publish_error: 'No (x)', disable_stitch: true, brand_organic_toggle: true });
    const form = first(failed, [account('a', { default_mode: 'inbox' })], exampleAttempt());
    assert.deepEqual([form.mode, form.privacy, form.accountId], ['direct', 'PUBLIC_TO_EVERYONE', 'a']);
    assert.deepEqual([form.allowComment, form.allowDuet, form.allowStitch], [true, true, false]);
    assert.deepEqual([form.isCommercial, form.isOwnBrand, form.isBranded], [true, true, false]);
    const sent = exampleAttempt({ mode: 'inbox', social_account_id: 'b' });
    const again = first(examplePost({ social_account_id: null }), [account('a'), account('b')], sent);
    assert.deepEqual([again.mode, again.accountId, again.privacy], ['inbox', 'b', null]);
  });

  it('begins with the delivery that the account has as its default, if it may', () => {
    const inbox = { default_mode: 'inbox' } as const;
    assert.equal(first(examplePost(), [account('a', inbox)]).mode, 'inbox');
    assert.equal(
      first(examplePost(), [account('a', { ...inbox, scopes: ['video.publish'] })]).mode,
      'direct',
    );
    assert.equal(first(examplePost({ publish_mode: 'inbox' }), [account('a')]).mode, 'inbox');
    assert.equal(first(examplePost(), [account('a', { scopes: ['video.upload'] })]).mode, 'inbox');
  });

  it('starts with a full hour that is not too close', () => {
    assert.equal(momentOf(first(), 'UTC'), Date.parse('2026-11-15T13:00Z'));
  });
});

describe('what stands in the way', () => {
  it('is said, the disclosure first', () => {
    const form = first();
    const undisclosed = obstacle({ ...form, isCommercial: true }, creator());
    assert.deepEqual(undisclosed, { reason: UNDISCLOSED, field: 'disclosure' });
    const unseen = { reason: 'Choose who can see the post.', field: 'audience' };
    assert.deepEqual(obstacle(form, creator()), unseen);
    assert.deepEqual(obstacle({ ...form, privacy: 'FOLLOWER_OF_CREATOR' }, creator()), unseen);
    const secret = { ...form, privacy: 'SELF_ONLY', isCommercial: true, isBranded: true };
    assert.match(obstacle(secret, creator())?.reason ?? '', /cannot be set to private/);
    assert.equal(obstacle({ ...form, accountId: null }, creator())?.field, 'account');
    assert.equal(obstacle({ ...form, privacy: 'SELF_ONLY' }, creator()), null);
  });

  it('is nothing for the inbox, where all of it is chosen in the app', () => {
    assert.equal(obstacle({ ...first(), mode: 'inbox' }, undefined), null);
  });
});

describe('a slot', () => {
  const MINUTE = 60_000;

  it('is as far ahead as the service asks for, to the millisecond', () => {
    assert.match(tooSoon(NOW + 5 * MINUTE - 1, NOW, 5 * MINUTE) ?? '', /at least 5 min from now/);
    assert.equal(tooSoon(NOW + 5 * MINUTE, NOW, 5 * MINUTE), null);
    assert.equal(tooSoon(NOW + 1, NOW, 0), null);
  });

  it('that is suggested is a full hour, and far enough ahead for the service', () => {
    const suggested = (leadMs: number) => firstForm(post(), [], 'UTC', NOW, leadMs).wall;
    assert.equal(suggested(5 * MINUTE), '2026-11-15T13:00');
    assert.equal(suggested(60 * MINUTE), '2026-11-15T14:00');
  });

  it('that is suggested is ahead even when its hour comes twice', () => {
    const now = Date.parse('2026-10-25T00:10:00Z');
    const form = firstForm(post(), [], 'Europe/Berlin', now, 5 * MINUTE);
    assert.equal(form.wall, '2026-10-25T02:00');
    assert.equal(momentOf(form, 'Europe/Berlin'), Date.parse('2026-10-25T01:00:00Z'));
  });

  it('is never in the past, whatever the service asks for', () => {
    for (const lead of [0, 5 * MINUTE]) assert.match(tooSoon(NOW, NOW, lead) ?? '', /has passed/);
  });
});

describe('what is sent', () => {
  const chosen = { ...first(), privacy: 'PUBLIC_TO_EVERYONE', allowComment: true, allowDuet: true };

  it('turns "allow" into "disable", and never allows what the account forbids', () => {
    const body = publishBody(chosen, post(), creator({ duet_disabled: true }));
    assert.deepEqual([body.disable_comment, body.disable_duet, body.disable_stitch], [false, true, true]);
  });

  it('allows nothing but comments for photos', () => {
    const body = publishBody(chosen, post({ post_type: 'slides' }), creator());
    assert.deepEqual([body.disable_comment, body.disable_duet], [false, true]);
  });

  it('discloses nothing that the toggle has taken back', () => {
    assert.equal(publishBody({ ...chosen, isBranded: true }, post(), creator()).brand_content_toggle, false);
  });

  it('is the narrowest audience for the inbox', () => {
    const body = publishBody({ ...chosen, mode: 'inbox' }, post(), undefined);
    assert.deepEqual([body.privacy_level, body.mode, body.disable_comment], ['SELF_ONLY', 'inbox', true]);
  });

  it('has its slot in whole seconds', () => {
    const body = scheduleBody(chosen, post(), creator(), NOW);
    assert.deepEqual([body.status, body.scheduled_at], ['scheduled', '2026-11-15T12:10:00Z']);
  });
});
