import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import type { Organization } from '../support/service/harness.js';
import {
  archive,
  assertProblem,
  changePost,
  dispatchesOf,
  published,
  readPost,
  readyPost,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { askForUpload } from '../support/service/uploads.js';
import { useTidyWorld } from '../support/world/world.js';

const path = (id: string) => `/api/v1/posts/${id}/preflight`;

async function preflightOf(org: Organization, id: string) {
  return org.sdk.posts.preflight(id);
}

/** Level, code and field of each problem. */
async function problemsOf(org: Organization, id: string) {
  const { ready, problems } = await preflightOf(org, id);
  assert.equal(
    ready,
    problems.every(({ level }) => level !== 'error'),
  );
  for (const { detail } of problems) assert.match(detail, /^[A-Z].*[.)]$/);
  return problems.map(({ level, code, pointer }) => [level, code, pointer]);
}

onEngines('sqlite', 'GET /api/v1/posts/:id/preflight', (engine) => {
  const world = useTidyWorld(engine);

  async function plannedPost(type: 'slides' | 'video' = 'slides', fields: Record<string, unknown> = {}) {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, type, fields);
    await changePost(org, id, { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' });
    return { org, accountId, id };
  }

  it('404: an unknown, malformed or foreign post; 403 without posts:read', async () => {
    const { org } = await world.creator();
    const other = await plannedPost();
    for (const id of [UNKNOWN_ID, 'nonsense', other.id])
      assertProblem(await org.call('GET', path(id)), 404, 'not_found');
    const key = await org.keyWith(['posts:write']);
    const answer = await world.service.request('GET', path(await readyPost(org)), { key });
    assertProblem(answer, 403, 'insufficient_scope');
  });

  it('is ready when nothing would be refused, and shows exactly what would be sent', async () => {
    for (const type of ['slides', 'video'] as const) {
      const { org, accountId, id } = await plannedPost(type);
      await changePost(org, id, { disable_comment: true });
      const before = await readPost(org, id);
      const { ready, problems, request } = await preflightOf(org, id);
      assert.deepEqual([ready, problems], [true, []]);
      assert.deepEqual([await readPost(org, id), await dispatchesOf(org, id)], [before, []]);
      assert.deepEqual(await world.publishesOf(accountId), []);
      await published(org, id, accountId, { disable_comment: true });
      const { nonce } = await world.dispatchRow(id);
      const [sent] = await world.publishesOf(accountId);
      assert.deepEqual(JSON.parse(JSON.stringify(request).replaceAll('{nonce}', nonce ?? '')), sent?.request);
    }
  });

  it('names everything that is missing at once', async () => {
    const { org } = await world.creator();
    const id = await org.addPost();
    assert.deepEqual(await problemsOf(org, id), [
      ['error', 'account_missing', '/social_account_id'],
      ['error', 'no_media', null],
      ['error', 'privacy_level_missing', '/privacy_level'],
    ]);
    const ready = await readyPost(org);
    assert.deepEqual(await problemsOf(org, ready), [
      ['error', 'account_missing', '/social_account_id'],
      ['error', 'privacy_level_missing', '/privacy_level'],
    ]);
  });

  it('says that media is missing for a slot that is booked', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    await changePost(org, id, {
      status: 'scheduled',
      scheduled_at: '2099-01-01T00:00:00Z',
      social_account_id: accountId,
      privacy_level: 'SELF_ONLY',
    });
    assert.deepEqual(await problemsOf(org, id), [['error', 'no_media', null]]);
  });

  it('finds a text that is too long, and branded content that is private', async () => {
    const { org, id } = await plannedPost('video', { caption: 'a'.repeat(2_200) });
    await changePost(org, id, { privacy_level: 'SELF_ONLY', brand_content_toggle: true });
    assert.deepEqual(await problemsOf(org, id), [
      ['error', 'caption_too_long', '/caption'],
      ['error', 'branded_content_private', '/privacy_level'],
    ]);
  });

  it('warns of a title that is left out, of text that is not sent, and of files that have not arrived', async () => {
    const slides = await plannedPost('slides', { title: 'a'.repeat(91) });
    await askForUpload(slides.org, slides.id, { filename: 'late.png', content_type: 'image/png' });
    assert.deepEqual(await problemsOf(slides.org, slides.id), [
      ['warning', 'title_not_sent', '/title'],
      ['warning', 'uploads_pending', null],
    ]);
    const { request } = await preflightOf(slides.org, slides.id);
    assert.equal((request.post_info as { title?: string }).title, undefined);
    const video = await plannedPost('video');
    await changePost(video.org, video.id, { publish_mode: 'inbox' });
    assert.deepEqual(await problemsOf(video.org, video.id), [['warning', 'text_not_sent', '/caption']]);
  });

  it('finds a post that cannot be published as it is', async () => {
    const { org, accountId, id } = await plannedPost();
    await published(org, id, accountId);
    assert.deepEqual(await problemsOf(org, id), [['error', 'wrong_state', '/status']]);
    await archive(org, id);
    assert.deepEqual(await problemsOf(org, id), [['error', 'wrong_state', '/status']]);
  });

  it('finds an account that must be reconnected, whether that was known or not', async () => {
    const username = `preflight.gone.${engine}`;
    const { org, accountId } = await world.creator(username);
    const id = await readyPost(org);
    await changePost(org, id, { social_account_id: accountId, privacy_level: 'SELF_ONLY' });
    await world.platform.control('remove_authorization', { username });
    for (let i = 0; i < 2; i++)
      assert.deepEqual(await problemsOf(org, id), [['error', 'reconnect_required', '/social_account_id']]);
    assert.equal((await org.call('DELETE', `/api/v1/social-accounts/${accountId}`)).status, 204);
    assert.deepEqual(await problemsOf(org, id), [['error', 'reconnect_required', '/social_account_id']]);
  });

  it('names the account of the post, even if it was disconnected', async () => {
    const username = `preflight.named.${engine}`;
    const { org, accountId } = await world.creator(username);
    const id = await readyPost(org);
    const named = async () => (await org.call('GET', `/api/v1/posts/${id}/preflight`)).json.data.account;
    assert.equal(await named(), null);
    await changePost(org, id, { social_account_id: accountId });
    assert.deepEqual(await named(), { id: accountId, username });
    await org.call('DELETE', `/api/v1/social-accounts/${accountId}`);
    assert.deepEqual(await named(), { id: accountId, username });
  });

  it('warns if the platform could not be asked what the account may do', async () => {
    const { org, id } = await plannedPost();
    await world.platform.control('faults', { on: 'creator_info', kind: 'http_500' });
    assert.deepEqual(await problemsOf(org, id), [['warning', 'creator_unknown', '/social_account_id']]);
  });

  it('warns about options that are turned off in the account', async () => {
    const username = `preflight.off.${engine}`;
    const { org, accountId } = await world.creator(username);
    await world.platform.control('accounts', { username, comment_disabled: true, duet_disabled: true });
    const id = await readyPost(org);
    await changePost(org, id, { social_account_id: accountId, privacy_level: 'SELF_ONLY' });
    assert.deepEqual(await problemsOf(org, id), [['warning', 'turned_off_by_account', '/disable_comment']]);
    await changePost(org, id, { disable_comment: true });
    assert.deepEqual(await problemsOf(org, id), []);
  });
});

onEngines('sqlite', 'GET /api/v1/posts/:id/preflight on the strict platform', (engine) => {
  const world = useTidyWorld(engine, { platform: { strict: true } });

  it('finds a privacy level that the account is not offered', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video');
    await changePost(org, id, { social_account_id: accountId, privacy_level: 'FOLLOWER_OF_CREATOR' });
    assert.deepEqual(await problemsOf(org, id), [['error', 'privacy_level_not_offered', '/privacy_level']]);
  });
});
