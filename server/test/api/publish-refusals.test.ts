import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import type { Organization } from '../support/service/harness.js';
import {
  archive,
  assertProblem,
  assertRefused,
  assertTold,
  changePost,
  dispatchesOf,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
  setPost,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { upload } from '../support/service/uploads.js';
import { useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'POST /api/v1/posts/:id/publish, refused', (engine) => {
  const world = useTidyWorld(engine);

  /** Nothing has happened: the post is unchanged, there is no attempt, and the platform has received nothing. */
  async function assertUntouched(org: Organization, id: string, before: object, accountId?: string) {
    assert.deepEqual(await readPost(org, id), before);
    assert.deepEqual(await dispatchesOf(org, id), []);
    if (accountId) assert.deepEqual(await world.publishesOf(accountId), []);
  }

  it('400: privacy_level and social_account_id are needed; there is no default', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const before = await readPost(org, id);
    assertRefused(await publish(org, id, accountId, { privacy_level: undefined }), 'privacy_level');
    assertRefused(await publish(org, id, accountId, { social_account_id: undefined }), 'social_account_id');
    assertRefused(await publish(org, id, accountId, { privacy_level: 'EVERYBODY' }), 'privacy_level');
    assertRefused(await publish(org, id, accountId, { privacy_level: null }), 'privacy_level');
    assertRefused(await publish(org, id, accountId, { mode: 'later' }), 'mode');
    assertRefused(await publish(org, id, accountId, { disable_duet: 'yes' }), 'disable_duet');
    assertRefused(await publish(org, id, accountId, { disable_duets: true }), 'disable_duets');
    await assertUntouched(org, id, before, accountId);
  });

  it('400: an account that is not a connected account of the organization', async () => {
    const { org } = await world.creator();
    const other = await world.creator();
    const id = await readyPost(org);
    const before = await readPost(org, id);
    const gone = await org.connectAccount();
    assert.equal((await org.call('DELETE', `/api/v1/social-accounts/${gone}`)).status, 204);
    for (const accountId of [other.accountId, UNKNOWN_ID, gone, 'mine'])
      assertRefused(await publish(org, id, accountId), 'social_account_id');
    await assertUntouched(org, id, before, other.accountId);
  });

  it('403: the key needs posts:publish', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const key = await org.keyWith(['posts:read', 'posts:write', 'accounts:manage']);
    const body = { social_account_id: accountId, privacy_level: 'SELF_ONLY' };
    const path = `/api/v1/posts/${id}/publish`;
    assertProblem(await world.service.request('POST', path, { key, body }), 403, 'insufficient_scope');
    const enough = await org.keyWith(['posts:publish']);
    assert.equal((await world.service.request('POST', path, { key: enough, body })).status, 200);
  });

  it('404: an unknown, malformed or foreign post, all alike', async () => {
    const { org, accountId } = await world.creator();
    const other = await world.creator();
    const foreign = await readyPost(other.org);
    const answers = [];
    for (const id of [UNKNOWN_ID, 'nonsense', foreign]) {
      const answer = await publish(org, id, accountId);
      assertProblem(answer, 404, 'not_found');
      answers.push(answer.text.replace(answer.json.request_id, ''));
    }
    assert.equal(new Set(answers).size, 1);
    assert.equal((await readPost(other.org, foreign)).status, 'draft');
  });

  for (const status of ['publishing', 'posted', 'archived'] as const)
    it(`409: a post that is ${status}`, async () => {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org);
      if (status === 'archived') await archive(org, id);
      else await setPost(world.service, id, { status });
      const before = await readPost(org, id);
      assertProblem(await publish(org, id, accountId), 409, 'wrong_state');
      await assertUntouched(org, id, before, accountId);
    });

  it('409: a published post is not published twice', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await published(org, id, accountId);
    assertProblem(await publish(org, id, accountId), 409, 'wrong_state');
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  for (const type of ['slides', 'video'] as const)
    it(`409 no_media: a ${type} post without an uploaded file`, async () => {
      const { org, accountId } = await world.creator();
      const id = await org.addPost({ post_type: type });
      const before = await readPost(org, id);
      assertProblem(await publish(org, id, accountId), 409, 'no_media');
      await assertUntouched(org, id, before, accountId);
    });

  it('409 reconnect_required: an account known to need it causes no call to the platform, and no attempt', async () => {
    const { org } = await world.creator();
    const accountId = await org.addAccount('reconnect_required');
    for (const mode of ['direct', 'inbox']) {
      const id = await readyPost(org);
      const before = await readPost(org, id);
      assertProblem(await publish(org, id, accountId, { mode }), 409, 'reconnect_required');
      await assertUntouched(org, id, before);
    }
  });

  for (const mode of ['direct', 'inbox'] as const)
    it(`409 reconnect_required: the grant turns out to be gone (${mode}); the attempt has failed, the post is as before`, async () => {
      const { org, accountId } = await world.creator(`gone.${mode}.${engine}`);
      const id = await readyPost(org);
      const before = await readPost(org, id);
      await world.platform.control('remove_authorization', { username: `gone.${mode}.${engine}` });
      assertProblem(await publish(org, id, accountId, { mode }), 409, 'reconnect_required');
      const { updated_at: _, ...after } = await readPost(org, id);
      assert.deepEqual({ ...after, updated_at: before.updated_at }, before);
      const dispatch = await onlyDispatch(org, id);
      assert.deepEqual([dispatch.outcome, dispatch.publish_id], ['failed', null]);
      assertTold(dispatch.error_message, dispatch.error_code ?? '');
      const { data } = (await org.call('GET', '/api/v1/social-accounts')).json;
      assert.equal(data[0].status, 'reconnect_required');
    });

  it('422 caption_too_long: caption and hashtags together have more than 2200 UTF-16 units for a video', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video', { caption: '😀'.repeat(1_098), hashtags: '#a' });
    await changePost(org, id, { hashtags: '#maps' });
    const before = await readPost(org, id);
    const answer = await publish(org, id, accountId);
    assertProblem(answer, 422, 'caption_too_long');
    assert.deepEqual(
      answer.json.errors.map((error: { pointer: string }) => error.pointer),
      ['/caption'],
    );
    await assertUntouched(org, id, before, accountId);
    await changePost(org, id, { hashtags: '#a' });
    await published(org, id, accountId);
    const [sent] = await world.publishesOf(accountId);
    assert.equal(sent?.request.post_info.title.length, 2_200);
  });

  it('a video for the inbox carries no text, so no text is too long', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video', { caption: 'a'.repeat(2_200) });
    await published(org, id, accountId, { mode: 'inbox' });
    assert.equal((await world.publishesOf(accountId))[0]?.request.post_info, undefined);
  });

  it('422: branded content cannot be private', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const before = await readPost(org, id);
    const branded = { privacy_level: 'SELF_ONLY', brand_content_toggle: true };
    assertProblem(await publish(org, id, accountId, branded), 422, 'branded_content_private');
    await assertUntouched(org, id, before, accountId);
  });

  it('422: a refusal of the platform, with its code and reason; the attempt has failed, the post is a draft that says why', async () => {
    const { org, accountId } = await world.creator(`refused.${engine}`);
    await world.platform.control('faults', { on: 'init', kind: 'http_400' });
    const id = await readyPost(org);
    const answer = await publish(org, id, accountId, { mode: 'inbox' });
    assertProblem(answer, 422, 'platform_refused');
    assert.match(answer.json.detail, /\(invalid_params\)/);
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at], ['draft', null]);
    assertTold(post.last_publish_error, 'invalid_params');
    const dispatch = await onlyDispatch(org, id);
    assert.deepEqual(
      [dispatch.outcome, dispatch.error_code, dispatch.error_message],
      ['failed', 'invalid_params', post.last_publish_error],
    );
    assert.notEqual(dispatch.finished_at, null);
  });

  it('a scheduled post that is refused now keeps its slot if that is in the future', async () => {
    const { org, accountId } = await world.creator(`ahead.${engine}`);
    const id = await world.scheduledPost(org, accountId);
    const { scheduled_at } = await readPost(org, id);
    await world.platform.control('faults', { on: 'init', kind: 'http_400' });
    assertProblem(await publish(org, id, accountId, { mode: 'inbox' }), 422, 'platform_refused');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at], ['scheduled', scheduled_at]);
    assertTold(post.last_publish_error, 'invalid_params');
  });
});

onEngines('sqlite', 'POST /api/v1/posts/:id/publish on the strict platform', (engine) => {
  const world = useTidyWorld(engine, { platform: { strict: true } });

  it('422: a privacy level that the account is not offered', async () => {
    const username = `private.${engine}`;
    const { org, accountId } = await world.creator(username);
    await world.platform.control('accounts', { username, is_private: true });
    const id = await readyPost(org, 'video');
    const before = await readPost(org, id);
    assertProblem(await publish(org, id, accountId), 422, 'privacy_level_not_offered');
    assert.deepEqual([await readPost(org, id), await dispatchesOf(org, id)], [before, []]);
    await published(org, id, accountId, { privacy_level: 'SELF_ONLY' });
  });

  it('422: a video longer than the account may post', async () => {
    const username = `short.${engine}`;
    const { org, accountId } = await world.creator(username);
    await world.platform.control('accounts', { username, max_video_seconds: 5 });
    const id = await org.addPost({ post_type: 'video' });
    await upload(org, id, 'clip-12s-moov-at-end.mp4');
    assertProblem(await publish(org, id, accountId), 422, 'video_too_long');
    assert.deepEqual(await dispatchesOf(org, id), []);
  });

  it('422: slides from a URL that the platform has not verified', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    assertProblem(await publish(org, id, accountId), 422, 'platform_refused');
    const { outcome, error_code } = await onlyDispatch(org, id);
    assert.equal(outcome, 'failed');
    assertTold((await readPost(org, id)).last_publish_error, error_code ?? '');
  });
});
