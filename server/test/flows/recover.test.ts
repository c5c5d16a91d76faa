// An attempt whose process stopped, or was paused, in the middle of sending.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import {
  assertProblem,
  assertTold,
  dispatchesOf,
  onlyDispatch,
  publish,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('postgres', 'An attempt whose worker stopped in the middle', (engine) => {
  // Long enough that no heartbeat comes in between.
  const world = useTidyWorld(engine, { env: { PUBLISH_LEASE_SECONDS: '3600' } });

  for (const type of ['slides', 'video'] as const)
    it(`with ${type} is taken over as soon as its lease ends, and not as a retry; the paused worker changes nothing`, async () => {
      const { org, accountId } = await world.creator();
      const id = await world.scheduledPost(org, accountId, type);
      world.advance(HOUR_MS);
      const init = world.scripted.stopBeforeInit();
      await world.engine.publish();
      await init.reached;
      await world.engine.poll();
      await onlyDispatch(org, id);
      world.advance(world.service.app.config.publishing.leaseMs + 1);
      await (await world.otherEngine()).poll();
      await until('the attempt was taken over and accepted', async () => {
        const [newest] = await dispatchesOf(org, id);
        return newest?.outcome === 'accepted';
      });
      const [taken, interrupted] = await dispatchesOf(org, id);
      assert.deepEqual([taken?.attempt, taken?.trigger], [2, 'schedule']);
      assert.deepEqual([interrupted?.outcome, interrupted?.error_code], ['failed', 'interrupted']);
      const before = await readPost(org, id);
      assert.deepEqual([before.status, before.publish_retries], ['posted', 0]);
      init.release();
      await world.engine.idle();
      assert.deepEqual(await readPost(org, id), before);
      assert.deepEqual((await dispatchesOf(org, id))[1], interrupted);
      await world.settle(taken?.publish_id ?? '');
      await until('only one can still be published', async () => {
        const others = (await world.publishesOf(accountId)).filter(
          ({ publish_id }) => publish_id !== taken?.publish_id,
        );
        return others.every(({ status, bytes }) => status === 'FAILED' || (type === 'video' && bytes === 0));
      });
      assert.equal((await dispatchesOf(org, id))[0]?.outcome, 'published');
    });

  /** A scheduled post whose worker was paused before its init, beyond its lease. */
  async function asleep() {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    const init = world.scripted.stopBeforeInit();
    await world.engine.publish();
    await init.reached;
    return { org, accountId, id, init };
  }

  it('is not continued when its slot is too long ago by then', async () => {
    const { org, accountId, id, init } = await asleep();
    world.advance(72 * HOUR_MS);
    await (await world.otherEngine()).poll();
    await until('it is a draft', async () => (await readPost(org, id)).status === 'draft');
    assertTold((await readPost(org, id)).last_publish_error, 'slot_missed');
    init.release();
    await world.engine.idle();
    assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
    assert.ok((await world.publishesOf(accountId)).every(({ status }) => status !== 'PUBLISH_COMPLETE'));
  });

  it('is not continued when its account is no longer connected, but waits for it', async () => {
    const { org, accountId, id, init } = await asleep();
    await org.call('DELETE', `/api/v1/social-accounts/${accountId}`);
    world.advance(world.service.app.config.publishing.leaseMs + 1);
    await (await world.otherEngine()).poll();
    await until('it waits', async () => (await readPost(org, id)).status === 'scheduled');
    init.release();
    await world.engine.idle();
    assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
  });

  for (const isAccepted of [true, false])
    it(`the waiting request gets the attempt that replaced it, ${isAccepted ? 'which was accepted' : 'or learns that it is still running'}`, async () => {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org, 'video');
      const sleeper = world.scripted.stopBeforeInit();
      const answer = publish(org, id, accountId);
      await sleeper.reached;
      world.advance(world.service.app.config.publishing.leaseMs + 1);
      const successor = world.scripted.stopBeforeInit();
      await (await world.otherEngine()).poll();
      await successor.reached;
      assert.equal((await readPost(org, id)).status, 'publishing');
      if (isAccepted) {
        successor.release();
        await (await world.otherEngine()).idle();
        sleeper.release();
        const { publish_id, attempt, trigger } = (await dispatchesOf(org, id))[0] ?? {};
        const { status, json } = await answer;
        assert.deepEqual([status, json], [200, { data: { publish_id } }]);
        assert.deepEqual([attempt, trigger], [2, 'api']);
      } else {
        sleeper.release();
        assertProblem(await answer, 504, 'platform_timeout');
        successor.release();
        await (await world.otherEngine()).idle();
      }
      assert.equal((await readPost(org, id)).status, 'posted');
    });

  it('with slides of which one was fetched is unknown, and never sent again; a late acceptance counts', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const sleeper = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await sleeper.reached;
    const { nonce } = await world.dispatchRow(id);
    assert.equal((await world.service.request('GET', `/media/${nonce}/1.jpg`)).status, 200);
    world.advance(world.service.app.config.publishing.leaseMs + 1);
    await (await world.otherEngine()).poll();
    await (await world.otherEngine()).idle();
    const { outcome, error_code } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, error_code], ['unknown', 'interrupted']);
    const post = await readPost(org, id);
    assert.equal(post.status, 'publishing');
    assertTold(post.last_publish_error, 'interrupted');
    await world.runOnce();
    assert.equal((await onlyDispatch(org, id)).outcome, 'unknown');
    sleeper.release();
    assert.equal((await answer).status, 200);
    const { publish_id } = await onlyDispatch(org, id);
    await world.settle(publish_id ?? '');
    assert.equal((await onlyDispatch(org, id)).outcome, 'published');
    assert.equal((await readPost(org, id)).status, 'posted');
  });
});
