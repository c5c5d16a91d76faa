// From a slot to the platform, with a clock that the test moves and an engine that it runs by hand.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import {
  analyticsOf,
  archive,
  assertTold,
  at,
  changePost,
  dispatchesOf,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'A scheduled post', (engine) => {
  const world = useTidyWorld(engine);

  it('is published at its slot, to the second, and not before', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    const { scheduled_at } = await readPost(org, id);
    const slot = Date.parse(scheduled_at ?? '');
    await world.frozen(async () => {
      const { clock } = world.service;
      clock.stopAt(slot - 1);
      await world.runOnce();
      assert.deepEqual(await dispatchesOf(org, id), []);
      assert.equal((await readPost(org, id)).status, 'scheduled');
      clock.stopAt(slot);
      await world.runOnce();
      const post = await readPost(org, id);
      assert.deepEqual([post.status, post.posted_at], ['posted', scheduled_at]);
      const dispatch = await onlyDispatch(org, id);
      assert.deepEqual(
        [dispatch.trigger, dispatch.attempt, dispatch.outcome, dispatch.scheduled_for, dispatch.started_at],
        ['schedule', 1, 'accepted', scheduled_at, scheduled_at],
      );
    });
    const { scheduled, published: posts } = await analyticsOf(org);
    assert.deepEqual([scheduled, posts], [0, 1]);
  });

  for (const type of ['slides', 'video'] as const)
    it(`with ${type} is published in the end, with the options of the post`, async () => {
      const { org, accountId } = await world.creator();
      const id = await world.scheduledPost(org, accountId, type, {
        privacy_level: 'MUTUAL_FOLLOW_FRIENDS',
        disable_comment: true,
      });
      world.advance(HOUR_MS);
      await world.runOnce();
      const { publish_id } = await onlyDispatch(org, id);
      await world.settle(publish_id ?? '');
      const { outcome, social_status } = await onlyDispatch(org, id);
      assert.deepEqual([outcome, social_status], ['published', 'PUBLISH_COMPLETE']);
      assert.equal((await readPost(org, id)).status, 'posted');
      const [sent, ...more] = await world.publishesOf(accountId);
      assert.deepEqual(more, []);
      const { privacy_level, disable_comment } = sent?.request.post_info ?? {};
      assert.deepEqual([privacy_level, disable_comment], ['MUTUAL_FOLLOW_FRIENDS', true]);
      const { total_dispatches, success_rate } = await analyticsOf(org);
      assert.deepEqual([total_dispatches, success_rate], [1, 100]);
    });

  it('for the inbox ends in the inbox', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId, 'video', { publish_mode: 'inbox' });
    world.advance(HOUR_MS);
    await world.runOnce();
    await world.settle((await onlyDispatch(org, id)).publish_id ?? '');
    const { outcome, mode } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, mode], ['in_inbox', 'inbox']);
    assert.equal((await readPost(org, id)).status, 'posted');
  });

  it('is published as last edited, at the slot last set', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    const moved = at(world.service.clock.now() + 3 * HOUR_MS);
    await changePost(org, id, { caption: 'Other maps', scheduled_at: moved });
    world.advance(2 * HOUR_MS);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'scheduled');
    world.advance(HOUR_MS);
    await world.runOnce();
    assert.equal((await onlyDispatch(org, id)).scheduled_for, moved);
    assert.equal(
      (await world.publishesOf(accountId))[0]?.request.post_info.description,
      'Other maps\n\n#maps',
    );
  });

  it('is not published if its slot was cleared, or if it was archived', async () => {
    const { org, accountId } = await world.creator();
    const back = await world.scheduledPost(org, accountId);
    const away = await world.scheduledPost(org, accountId);
    await changePost(org, back, { status: 'draft' });
    await archive(org, away);
    world.advance(2 * HOUR_MS);
    await world.runOnce();
    for (const id of [back, away]) assert.deepEqual(await dispatchesOf(org, id), []);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('is published once, however many workers run', async () => {
    const { org, accountId } = await world.creator();
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await world.scheduledPost(org, accountId));
    world.advance(HOUR_MS + 60_000);
    const engines = [world.engine, createEngine(world.service.app), createEngine(world.service.app)];
    for (let i = 0; i < 3; i++) {
      await Promise.all(engines.map((one) => one.publish()));
      await Promise.all(engines.map((one) => one.idle()));
    }
    for (const id of ids) assert.equal((await onlyDispatch(org, id)).outcome, 'accepted');
    assert.equal((await world.publishesOf(accountId)).length, 8);
  });

  it('and a publish-now request at the same time share one attempt', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    const [answer] = await Promise.all([publish(org, id, accountId), world.runOnce()]);
    const { trigger } = await onlyDispatch(org, id);
    assert.equal(answer.status, trigger === 'api' ? 200 : 409, answer.text);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('is still published at its slot after a publish-now that the platform could not take', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    const { scheduled_at } = await readPost(org, id);
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    assert.equal((await publish(org, id, accountId)).status, 503);
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at], ['scheduled', scheduled_at]);
    world.advance(HOUR_MS);
    await world.runOnce();
    const [dispatch] = await dispatchesOf(org, id);
    assert.deepEqual([dispatch?.trigger, dispatch?.attempt, dispatch?.outcome], ['schedule', 2, 'accepted']);
  });

  it('is published late after an outage, if its slot is not more than six hours ago', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(6.9 * HOUR_MS);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'posted');
  });

  it('is missed if its slot is longer ago: a draft that says so, without an attempt', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(7.1 * HOUR_MS);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at, post.posted_at], ['draft', null, null]);
    assert.match(post.last_publish_error ?? '', /missed/);
    assertTold(post.last_publish_error, 'slot_missed');
    assert.deepEqual(await dispatchesOf(org, id), []);
    assert.deepEqual(await world.publishesOf(accountId), []);
    assert.equal((await analyticsOf(org)).scheduled, 0);
    await published(org, id, accountId);
    assert.equal((await readPost(org, id)).last_publish_error, null);
  });

  it('that hangs does not delay posts of other accounts', async () => {
    const { org, accountId } = await world.creator();
    const other = await org.connectAccount();
    const slow = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    const init = world.scripted.stopBeforeInit();
    await world.engine.publish();
    await init.reached;
    const id = await world.scheduledPost(org, other);
    world.advance(HOUR_MS);
    const second = createEngine(world.service.app);
    await second.publish();
    await second.idle();
    assert.equal((await readPost(org, id)).status, 'posted');
    assert.equal((await readPost(org, slow)).status, 'publishing');
    init.release();
    await world.engine.idle();
    assert.equal((await readPost(org, slow)).status, 'posted');
  });
});

onEngines('sqlite', 'A service with its worker and the built-in platform', (engine) => {
  const service = useService(engine, {
    env: { SCHEDULE_MIN_LEAD_SECONDS: '0', SANDBOX_PROCESSING_MS: '0', RECONCILE_INTERVAL_MS: '100' },
  });

  it('publishes scheduled slides and videos without any request', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const ids = [await readyPost(org), await readyPost(org, 'video')];
    for (const id of ids)
      await changePost(org, id, {
        status: 'scheduled',
        scheduled_at: at(service.clock.now() + 60_000),
        social_account_id: accountId,
        privacy_level: 'PUBLIC_TO_EVERYONE',
      });
    service.clock.advance(60_000);
    await until('both are published', async () => {
      const dispatches = await Promise.all(ids.map((id) => dispatchesOf(org, id)));
      return dispatches.every(([newest]) => newest?.outcome === 'published');
    });
    for (const id of ids) assert.equal((await onlyDispatch(org, id)).attempt, 1);
  });
});
