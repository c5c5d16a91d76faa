// A post that was due hours ago is not sent now: neither when a worker finds it interrupted, nor when one wakes up with it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import {
  assertProblem,
  assertTold,
  at,
  dispatchesOf,
  onlyDispatch,
  publish,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'A post that is sent too late', (engine) => {
  const world = useTidyWorld(engine);
  /** Checks once the platform has processed all it was sent. */
  const assertNothingPublished = async (accountId: string) => {
    const statuses = async () => (await world.publishesOf(accountId)).map(({ status }) => status);
    await until('the platform is done', async () =>
      (await statuses()).every((status) => !status.startsWith('PROCESSING')),
    );
    assert.ok(!(await statuses()).includes('PUBLISH_COMPLETE'));
  };

  /** Another process looks for interrupted attempts. */
  async function foundElsewhere(): Promise<void> {
    const other = await world.otherEngine();
    await other.poll();
    await other.idle();
  }

  for (const slot of ['none', 'ahead', 'passed'] as const)
    it(`publish now, interrupted and found 30 hours later, slot ${slot}: not sent, as before, and says why`, async () => {
      const { org, accountId } = await world.creator();
      const hours = slot === 'ahead' ? 48 : 2;
      const fields = { scheduled_at: at(world.service.clock.now() + hours * HOUR_MS) };
      const id =
        slot === 'none' ? await readyPost(org) : await world.scheduledPost(org, accountId, 'slides', fields);
      const sleeper = world.scripted.stopBeforeInit();
      const answer = publish(org, id, accountId);
      await sleeper.reached;
      world.advance(30 * HOUR_MS);
      await foundElsewhere();
      const post = await readPost(org, id);
      assert.equal(post.status, slot === 'ahead' ? 'scheduled' : 'draft');
      assert.equal(post.scheduled_at === null, slot !== 'ahead');
      assertTold(post.last_publish_error, 'too_late');
      assert.equal((await onlyDispatch(org, id)).error_code, 'too_late');
      sleeper.release();
      assertProblem(await answer, 503, 'platform_unavailable');
      await assertNothingPublished(accountId);
    });

  it('publish now, interrupted twice: the hours count from the member’s request', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const first = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await first.reached;
    world.advance(4 * HOUR_MS);
    const second = world.scripted.stopBeforeInit();
    await (await world.otherEngine()).poll();
    await second.reached;
    world.advance(4 * HOUR_MS);
    await world.engine.poll();
    await world.engine.idle();
    assertTold((await readPost(org, id)).last_publish_error, 'too_late');
    assert.equal((await dispatchesOf(org, id)).length, 2);
    first.release();
    second.release();
    assertProblem(await answer, 503, 'platform_unavailable');
  });

  for (const trigger of ['now', 'schedule'] as const)
    it(`a worker that is paused for hours between claim and send, ${trigger}: checks the time, and does not send`, async () => {
      const { org, accountId } = await world.creator();
      const id = trigger === 'now' ? await readyPost(org) : await world.scheduledPost(org, accountId);
      if (trigger === 'schedule') {
        world.advance(HOUR_MS);
        world.scripted.beforeCreator = async () => {
          world.scripted.beforeCreator = null;
          world.advance(7 * HOUR_MS);
        };
        await world.runOnce();
      } else {
        // The first attempt is cut off, and the process that continues it is paused.
        const sleeper = world.scripted.stopBeforeInit();
        const answer = publish(org, id, accountId);
        await sleeper.reached;
        world.advance(HOUR_MS);
        world.scripted.beforeCreator = async () => {
          world.scripted.beforeCreator = null;
          world.advance(7 * HOUR_MS);
        };
        await foundElsewhere();
        sleeper.release();
        assertProblem(await answer, 503, 'platform_unavailable');
      }
      const code = trigger === 'now' ? 'too_late' : 'slot_missed';
      const post = await readPost(org, id);
      assert.deepEqual([post.status, post.scheduled_at], ['draft', null]);
      assertTold(post.last_publish_error, code);
      const [newest] = await dispatchesOf(org, id);
      assert.deepEqual([newest?.outcome, newest?.error_code], ['failed', code]);
      await assertNothingPublished(accountId);
    });
});
