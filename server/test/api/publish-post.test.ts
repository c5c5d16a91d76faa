import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  analyticsOf,
  at,
  changePost,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
  setPost,
} from '../support/service/posts.js';
import { askForUpload, upload } from '../support/service/uploads.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'POST /api/v1/posts/:id/publish, accepted', (engine) => {
  const world = useTidyWorld(engine);

  it('publishes slides: 200 with a publish_id, the post is posted, and a dispatch is logged', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const begun = at(world.service.clock.now());
    const answer = await publish(org, id, accountId);
    assert.equal(answer.status, 200, answer.text);
    const publishId: string = answer.json.data.publish_id;
    assert.deepEqual(answer.json, { data: { publish_id: publishId } });
    const { id: dispatchId, started_at, accepted_at, ...dispatch } = await onlyDispatch(org, id);
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at], ['posted', accepted_at]);
    assert.ok(begun <= started_at && started_at <= (accepted_at ?? ''));
    assert.ok((accepted_at ?? '') <= at(world.service.clock.now()));
    assert.match(dispatchId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(dispatch, {
      post_id: id,
      social_account_id: accountId,
      platform: 'tiktok',
      trigger: 'api',
      attempt: 1,
      mode: 'direct',
      outcome: 'accepted',
      publish_id: publishId,
      post_url: null,
      platform_post_id: null,
      social_status: 'PROCESSING_DOWNLOAD',
      error_code: null,
      error_message: null,
      scheduled_for: null,
      finished_at: null,
    });
    const [sent, ...more] = await world.publishesOf(accountId);
    assert.deepEqual([sent?.publish_id, sent?.kind, sent?.mode, more], [publishId, 'photo', 'direct', []]);
    assert.equal(sent?.request.post_info.description, 'Maps\n\n#maps');
    await world.settle(publishId);
    assert.equal((await onlyDispatch(org, id)).outcome, 'published');
    assert.deepEqual(await readPost(org, id), { ...post, updated_at: (await readPost(org, id)).updated_at });
    const { published: posts, total_dispatches, successful_dispatches } = await analyticsOf(org);
    assert.deepEqual([posts, total_dispatches, successful_dispatches], [1, 1, 1]);
  });

  it('publishes a video: the request does not wait for its bytes, which follow', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video');
    const publishId = await published(org, id, accountId);
    assert.equal((await readPost(org, id)).status, 'posted');
    const [before] = await world.publishesOf(accountId);
    assert.deepEqual([before?.kind, before?.bytes], ['video', 0]);
    assert.equal((await onlyDispatch(org, id)).social_status, 'PROCESSING_UPLOAD');
    await world.settle(publishId);
    const { outcome, social_status, finished_at } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, social_status], ['published', 'PUBLISH_COMPLETE']);
    assert.notEqual(finished_at, null);
    assert.equal((await world.publishesOf(accountId))[0]?.bytes, 38_566);
  });

  for (const type of ['slides', 'video'] as const)
    it(`puts ${type} into the inbox: the post is posted, and the dispatch in_inbox once delivered`, async () => {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org, type);
      const publishId = await published(org, id, accountId, { mode: 'inbox' });
      assert.equal((await readPost(org, id)).status, 'posted');
      await world.settle(publishId);
      const { outcome, mode } = await onlyDispatch(org, id);
      assert.deepEqual([outcome, mode], ['in_inbox', 'inbox']);
      const post = await readPost(org, id);
      assert.deepEqual([post.status, post.publish_mode], ['posted', 'inbox']);
      assert.equal((await world.publishesOf(accountId))[0]?.mode, 'inbox');
    });

  it('stores the options on the post once it is accepted; an absent toggle is false', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video');
    const other = await org.connectAccount();
    await changePost(org, id, {
      social_account_id: other,
      privacy_level: 'SELF_ONLY',
      publish_mode: 'inbox',
      disable_stitch: true,
      brand_organic_toggle: true,
    });
    await published(org, id, accountId, { disable_duet: true, brand_content_toggle: true });
    const post = await readPost(org, id);
    assert.deepEqual(
      [post.social_account_id, post.privacy_level, post.publish_mode],
      [accountId, 'PUBLIC_TO_EVERYONE', 'direct'],
    );
    assert.deepEqual([post.disable_comment, post.disable_duet, post.disable_stitch], [false, true, false]);
    assert.deepEqual([post.brand_content_toggle, post.brand_organic_toggle], [true, false]);
    const [sent] = await world.publishesOf(accountId);
    const info = sent?.request.post_info;
    assert.equal(info.privacy_level, 'PUBLIC_TO_EVERYONE');
    assert.deepEqual([info.disable_comment, info.disable_duet, info.disable_stitch], [false, true, false]);
    assert.deepEqual([info.brand_content_toggle, info.brand_organic_toggle], [true, false]);
  });

  it('accepts the account id in capital letters', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await published(org, id, accountId.toUpperCase());
    assert.equal((await readPost(org, id)).social_account_id, accountId);
  });

  it('sends the uploaded slides, in their order, and leaves out pending ones', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await askForUpload(org, id, { filename: 'never.png', content_type: 'image/png' });
    await upload(org, id, 'slide.jpg');
    const publishId = await published(org, id, accountId);
    const [sent] = await world.publishesOf(accountId);
    assert.equal(sent?.request.source_info.photo_images.length, 2);
    await world.settle(publishId);
    assert.equal((await onlyDispatch(org, id)).outcome, 'published');
  });

  it('replaces a slot, and starts counting retries anew', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    await setPost(world.service, id, {
      publish_retries: 3,
      last_publish_error: 'Not reached (not_reached)',
    });
    await published(org, id, accountId);
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.publish_retries, post.last_publish_error], ['posted', 0, null]);
    world.advance(2 * HOUR_MS);
    await world.runOnce();
    assert.equal((await world.publishesOf(accountId)).length, 1);
    const dispatch = await onlyDispatch(org, id);
    assert.deepEqual([dispatch.trigger, dispatch.scheduled_for], ['api', null]);
  });

  it('publishes the post as it was at the start, whatever happens to it meanwhile', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const init = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await init.reached;
    const changed = await org.call('PATCH', `/api/v1/posts/${id}`, { caption: 'Other maps' });
    assert.equal(changed.status, 409);
    const again = await publish(org, id, accountId);
    assert.deepEqual([again.status, again.json.code], [409, 'wrong_state']);
    assert.equal((await readPost(org, id)).status, 'publishing');
    assert.equal((await onlyDispatch(org, id)).outcome, 'started');
    assert.equal((await analyticsOf(org)).total_dispatches, 1);
    init.release();
    assert.equal((await answer).status, 200);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });
});
