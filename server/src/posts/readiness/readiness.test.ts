import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDraft } from '../../connectors/tiktok/checks.js';
import { consent } from '../../connectors/tiktok/consent.js';
import type { PostRow } from '../../db/tables.js';
import { type KnownAccount, type KnownFiles, NO_FILES, readinessOf } from './readiness.js';

const app = {
  connector: () => ({
    check: checkDraft,
    consent,
    supports: { postTypes: ['slides', 'video'], modes: ['direct', 'inbox'], toggles: [] },
    lost: () => 'ask',
    authorizeUrl: () => '',
  }),
} as unknown as Parameters<typeof readinessOf>[0];

const POST: PostRow = {
  org_id: 'o',
  id: 'p',
  post_type: 'slides',
  title: 'A post',
  caption: null,
  hashtags: null,
  status: 'scheduled',
  last_slot: null,
  labels: null,
  cover_index: null,
  cover_ms: null,
  scheduled_at: 1,
  posted_at: null,
  social_account_id: 'a',
  publish_mode: 'direct',
  publish_retries: 0,
  last_publish_error: null,
  last_publish_error_code: null,
  wait_reason: null,
  last_outcome: null,
  privacy_level: 'PUBLIC_TO_EVERYONE',
  disable_comment: 0,
  disable_duet: 0,
  disable_stitch: 0,
  brand_content_toggle: 0,
  brand_organic_toggle: 0,
  created_at: 0,
  updated_at: 0,
  version: 1,
};
const ACCOUNT: KnownAccount = {
  platform: 'tiktok',
  username: 'field.notes',
  status: 'connected',
  scopes: '',
};
const SLIDES: KnownFiles = { ...NO_FILES, slides: 3 };
const VIDEO: KnownFiles = {
  ...NO_FILES,
  video: { bytes: 1_000, contentType: 'video/mp4', durationMs: 5_000 },
};

const problemsOf = (
  post: Partial<PostRow>,
  account: Partial<KnownAccount> | null = {},
  files: Partial<KnownFiles> = SLIDES,
) =>
  readinessOf(app, { ...POST, ...post }, account && { ...ACCOUNT, ...account }, { ...SLIDES, ...files })
    ?.problems;

const saying = (...given: Parameters<typeof problemsOf>) =>
  problemsOf(...given)?.map(({ code, detail, pointer }) => [code, detail, pointer]);

describe('Readiness', () => {
  it('is given to drafts and scheduled posts, and to no others', () => {
    for (const status of ['draft', 'scheduled'] as const)
      assert.deepEqual(
        readinessOf(app, { ...POST, status, scheduled_at: status === 'draft' ? null : 1 }, ACCOUNT, SLIDES),
        { ready: true, problems: [] },
      );
    for (const status of ['publishing', 'posted', 'archived'] as const)
      assert.equal(readinessOf(app, { ...POST, status }, ACCOUNT, SLIDES), null);
  });

  it('warns of a draft with a time, for which nothing is booked', () => {
    const { ready, problems } = readinessOf(app, { ...POST, status: 'draft' }, ACCOUNT, SLIDES) ?? {};
    assert.deepEqual(
      [ready, problems?.map(({ code, pointer, level }) => [code, pointer, level])],
      [true, [['time_without_slot', '/scheduled_at', 'warning']]],
    );
  });

  it('names the media that is missing', () => {
    assert.deepEqual(saying({}, {}, { slides: 0 }), [['no_media', 'Add at least one slide.', null]]);
    assert.deepEqual(saying({ post_type: 'video' }), [['no_media', 'Add the video.', null]]);
    assert.deepEqual(saying({ post_type: 'video' }, {}, VIDEO), []);
  });

  it('waits for an upload that is on its way, also if the post would go out without it', () => {
    assert.deepEqual(saying({}, {}, { slides: 0, pending: 1 }), [
      ['uploads_pending', 'Wait for the upload to finish.', null],
    ]);
    assert.deepEqual(saying({}, {}, { pending: 2 }), [
      ['uploads_pending', 'Wait for the upload to finish, or the post goes out without it.', null],
    ]);
  });

  it('names the account to choose, to reconnect or to connect again', () => {
    const pointer = '/social_account_id';
    assert.deepEqual(saying({ status: 'draft', scheduled_at: null, social_account_id: null }, null), [
      ['account_missing', 'Choose the account to publish to.', pointer],
    ]);
    assert.deepEqual(saying({}, { status: 'reconnect_required' }), [
      ['reconnect_required', 'Reconnect field.notes.', pointer],
    ]);
    assert.deepEqual(saying({}, { status: 'disconnected' }), [
      ['reconnect_required', 'Connect field.notes again, or choose another account.', pointer],
    ]);
  });

  it('knows what the consent of an account does not allow', () => {
    const inbox = { scopes: 'user.info.basic video.upload' };
    const direct = { scopes: 'user.info.basic video.publish' };
    const pointer = '/social_account_id';
    assert.deepEqual(saying({}, inbox), [
      ['reconnect_required', 'Reconnect field.notes and allow publishing.', pointer],
    ]);
    assert.deepEqual(saying({ publish_mode: 'inbox' }, direct), [
      ['reconnect_required', 'Reconnect field.notes and allow inbox drafts.', pointer],
    ]);
    assert.deepEqual(saying({}, direct), []);
    assert.deepEqual(saying({ publish_mode: 'inbox' }, inbox), []);
  });

  it('knows the rules of the platform that need no answer of it, and leaves out what is only a warning', () => {
    const video = { post_type: 'video' as const, caption: 'a'.repeat(2_200), hashtags: '#maps' };
    assert.deepEqual(
      problemsOf(video, {}, VIDEO)?.map(({ code, pointer }) => [code, pointer]),
      [['caption_too_long', '/caption']],
    );
    assert.deepEqual(
      problemsOf({}, {}, { slides: 36 })?.map(({ code }) => code),
      ['slide_count'],
    );
    assert.deepEqual(problemsOf({ title: 'a'.repeat(91), disable_duet: 1 }), []);
    assert.deepEqual(
      problemsOf({ privacy_level: 'SELF_ONLY', brand_content_toggle: 1 })?.map(({ code }) => code),
      ['branded_content_private'],
    );
  });

  it('does not ask a draft for a privacy level, which is chosen when it is published', () => {
    assert.deepEqual(saying({ status: 'draft', scheduled_at: null, privacy_level: null }), []);
    assert.deepEqual(
      problemsOf({ privacy_level: null })?.map(({ code }) => code),
      ['privacy_level_missing'],
    );
  });

  it('puts the account first, then the media, then the text', () => {
    assert.deepEqual(
      problemsOf({ caption: 'a'.repeat(4_001) }, { status: 'reconnect_required' }, { slides: 0 })?.map(
        ({ code }) => code,
      ),
      ['reconnect_required', 'no_media', 'caption_too_long'],
    );
  });
});
