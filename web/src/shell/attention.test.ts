import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attention } from '../api/queries.js';
import { causesOf } from './attention.js';

const row = (more: Partial<Attention>): Attention => ({
  cause: 'publish_failed',
  count: 1,
  post_ids: ['p1'],
  next_at: null,
  message: 'The API says it in a sentence.',
  ...more,
});
const ACCOUNT = { id: 'a1', username: 'field.notes' };
const told = (...rows: Attention[]) =>
  causesOf(rows, []).map(({ title, todo, place }) => [title, todo, place.to]);

describe('what needs attention', () => {
  it('is one row per cause, in the order of the API, with the place that mends it', () => {
    assert.deepEqual(
      told(
        row({ cause: 'account_reconnect', account: ACCOUNT, count: 14 }),
        row({ cause: 'account_missing', account: { id: 'a2', username: 'old.notes' } }),
        row({ cause: 'account_blocked', account: ACCOUNT, count: 3 }),
        row({ cause: 'account_blocked' }),
        row({ cause: 'no_media', next_at: '2026-12-01T18:00:00Z' }),
        row({ cause: 'no_media', count: 3, post_ids: ['p1', 'p2', 'p3'] }),
        row({ cause: 'upload_unfinished' }),
        row({ cause: 'will_fail', code: 'caption_too_long' }),
        row({ cause: 'will_fail', code: 'slide_count', count: 2 }),
        row({ cause: 'will_fail', code: 'reconnect_required', count: 2 }),
        row({ cause: 'will_fail', code: 'media_rejected' }),
        row({ cause: 'will_fail', code: 'media_rejected', count: 2 }),
        row({ cause: 'time_without_slot' }),
        row({ cause: 'time_without_slot', count: 2 }),
        row({ cause: 'outcome_unknown', count: 2 }),
        row({ code: 'picture_size_check_failed' }),
        row({ code: null, count: 1_000 }),
      ),
      [
        ['field.notes', 'Reconnect: 14 posts waiting', '/accounts'],
        ['old.notes', 'Connect again: 1 post waiting', '/accounts'],
        ['field.notes', 'Blocked: 3 posts waiting', '/accounts'],
        ['App limit for the day reached', 'Blocked: 1 post waiting', '/accounts'],
        ['1 post has no media', 'Add media', '/posts/$postId/edit'],
        ['3 posts have no media', 'Add media', '/library'],
        ['Upload not finished', '1 post waiting', '/posts/$postId/edit'],
        ['Caption too long', 'Fix 1 post that will fail', '/posts/$postId'],
        ['Number of slides not allowed', 'Fix 2 posts that will fail', '/library'],
        ['Account needs reconnecting', 'Reconnect: 2 posts waiting', '/accounts'],
        ['1 post has a rejected file', 'Remove or replace it', '/posts/$postId/edit'],
        ['2 posts have rejected files', 'Remove or replace them', '/library'],
        ['1 draft was never scheduled', 'Schedule it, or remove its time', '/posts/$postId'],
        ['2 drafts were never scheduled', 'Schedule them, or remove their times', '/library'],
        ['Outcome unknown', 'Check and resolve 2 posts', '/library'],
        ['Unsupported image size', 'Fix and retry', '/posts/$postId'],
        ['Publishing failed', 'Fix and retry 1,000+ posts', '/library'],
      ],
    );
  });

  it('names a post that is the only one, and what is the matter with it', () => {
    const post_title = 'Five ways to fold a map';
    const about = (more: Partial<Attention>) => told(row({ post_title, ...more }))[0];
    assert.deepEqual(about({ code: 'picture_size_check_failed' }), [
      post_title,
      'Unsupported image size: fix and retry',
      '/posts/$postId',
    ]);
    assert.equal(about({ cause: 'outcome_unknown' })?.[1], 'Outcome unknown: check and resolve');
    assert.equal(about({ cause: 'will_fail', code: 'caption_too_long' })?.[1], 'Will fail: caption too long');
    assert.equal(about({ cause: 'account_reconnect', account: ACCOUNT })?.[0], 'field.notes');
  });

  it('names an account that no post waits for last, and once', () => {
    const accounts = [
      { ...ACCOUNT, status: 'reconnect_required' as const },
      { id: 'a2', username: 'idle.notes', status: 'reconnect_required' as const },
      { id: 'a3', username: 'fine.notes', status: 'connected' as const },
    ];
    const causes = causesOf([row({ cause: 'account_reconnect', account: ACCOUNT }), row({})], accounts);
    assert.deepEqual(
      causes.map(({ title }) => title),
      ['field.notes', 'Publishing failed', 'idle.notes'],
    );
  });

  it('says until when a blocked account is blocked', () => {
    const blocked_until = '2026-12-01T18:00:00Z';
    const [cause] = causesOf([row({ cause: 'account_blocked', account: ACCOUNT, blocked_until })], []);
    assert.equal(cause?.until, blocked_until);
  });

  it('is calm about files that Airdate fetches, until the slot is near', () => {
    const post_ids = ['p1', 'p2'];
    const about = (count: number, ids: string[], next_at: string) => {
      const named = count === 1 ? { post_title: 'Maps', post_ids: ['p1'] } : { post_ids };
      const rows = [row({ cause: 'upload_unfinished', count, next_at, ...named })];
      const [cause] = causesOf(rows, [], new Set(ids), Date.parse('2026-12-01T12:00:00Z'));
      return [cause?.title, cause?.todo, cause?.isCalm];
    };
    const [later, soon] = ['2026-12-01T18:00:00Z', '2026-12-01T12:30:00Z'];
    assert.deepEqual(about(1, ['p1'], later), ['Maps', 'Fetching its files', true]);
    assert.deepEqual(about(1, ['p1'], soon), ['Maps', 'Still fetching its files', false]);
    assert.deepEqual(about(9, post_ids, later), ['Fetching files', '9 posts waiting', true]);
    assert.deepEqual(about(9, ['p2'], later), ['Upload not finished', '9 posts waiting', false]);
    assert.deepEqual(about(1, [], later), ['Maps', 'Upload not finished', false]);
  });

  it('tells a viewer what is wrong, without what to do', () => {
    const rows = [
      row({ cause: 'account_reconnect', account: ACCOUNT, count: 14 }),
      row({ cause: 'no_media', post_title: 'Maps' }),
      row({ cause: 'no_media', count: 3 }),
      row({ cause: 'will_fail', code: 'media_rejected', count: 2 }),
      row({ cause: 'time_without_slot', post_title: 'Maps' }),
      row({ cause: 'outcome_unknown', post_title: 'Maps' }),
      row({ code: 'picture_size_check_failed', post_title: 'Maps' }),
      row({ code: null, count: 3 }),
    ];
    const idle = { id: 'a2', username: 'idle.notes', status: 'reconnect_required' as const };
    const causes = causesOf(rows, [idle], new Set(), 0, false);
    assert.deepEqual(
      causes.map(({ title, todo }) => `${title}: ${todo}`),
      [
        'field.notes: Not connected: 14 posts waiting',
        'Maps: No media yet',
        '3 posts have no media: Will fail without it',
        '2 posts have rejected files: 2 posts will fail',
        'Maps: Never scheduled',
        'Maps: Outcome unknown',
        'Maps: Unsupported image size',
        'Publishing failed: 3 posts',
        'idle.notes: Not connected',
      ],
    );
    assert.ok(causes.every(({ place }) => place.to !== '/posts/$postId/edit'));
  });

  it('says when a post without media is due', () => {
    const [cause] = causesOf([row({ cause: 'no_media', next_at: '2026-12-01T18:00:00Z' })], []);
    assert.equal(cause?.due, '2026-12-01T18:00:00Z');
  });
});
