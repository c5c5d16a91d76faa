// A worker dies at each named point of publishing slides (Q1 to Q6). For slides the init alone can publish, so what decides
// is whether the platform has fetched anything.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { startService } from '../../src/service.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { SlideProxy } from '../support/platform/slide-proxy.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { send } from '../support/service/send.js';
import type { KillableWorker, Points } from '../support/world/killable-worker.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

onEngines('sqlite', 'A worker that publishes slides', (engine) => {
  const world = useWorld(engine);
  const gate = new SlideProxy(world);
  let creator: Creator;
  let id: string;
  const workers: KillableWorker[] = [];
  beforeEach(async () => {
    creator = await world.creator();
    id = await world.scheduled(creator);
    Object.assign(gate, { behind: null, breaks: 0 });
    gate.answered.length = 0;
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
  });

  async function worker(points: Points): Promise<KillableWorker> {
    const killable = await world.killableWorker(points);
    workers.push(killable);
    return killable;
  }
  const outcomes = async () => (await world.outcomesOf(creator, id)).join(' ');
  const statuses = async () => (await world.acceptedInits(creator.username)).map(({ status }) => status);

  it('Q1 dies before the init is sent: new URLs, a new init', async () => {
    await (await worker({ before: 'submit' })).work('publish');
    await world.runOnce();
    assert.equal(await outcomes(), 'publishing started', 'before the lease has ended');
    await world.finish(creator);
    assert.equal(await outcomes(), 'posted failed published');
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
    const [first, second] = await world.attempts(id);
    assert.notEqual(first?.nonce, second?.nonce);
    const gone = await send('GET', `${world.service.url}/media/${first?.nonce}/1.jpg`, {});
    assert.equal(gone.status, 410);
  });

  it('Q2 dies before the answer is read, and nothing was fetched: revoked, then sent again', async () => {
    const open = gate.closeFor(world.app);
    await (await worker({ after: 'submit' })).work('publish');
    open();
    world.advance(STEP_MS);
    await world.runOnce();
    gate.isOpen = true;
    await world.finish(creator);
    assert.deepEqual(gate.answered, [410]);
    assert.equal(await outcomes(), 'posted failed published');
    assert.deepEqual(await statuses(), ['FAILED', 'PUBLISH_COMPLETE']);
  });

  it('Q3 dies before the answer is read, and the slides were fetched: unknown, never sent again, resolved by a member', async () => {
    await (await worker({ after: 'submit' })).work('publish');
    await world.waitForPlatform(creator.username);
    for (let hours = 0; hours < 5; hours++) {
      world.advance(hours * 3_600_000 + STEP_MS);
      await world.runOnce();
    }
    assert.equal(await outcomes(), 'publishing unknown');
    assert.match(String(await world.errorOf(creator, id)), /^The outcome is unknown: .*\(interrupted\)$/);
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
    const answer = await creator.org.call('POST', `/api/v1/posts/${id}/resolve`, { outcome: 'posted' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await outcomes(), 'posted published');
  });

  for (const points of [
    { before: 'observe' },
    { after: 'observe' },
    { after: 'observe', transaction: 1 },
  ] as Points[])
    it(`Q4 dies ${Object.entries(points).join(' ')}, with the publish_id committed: only polled`, async () => {
      await world.engine.publish();
      await world.engine.idle();
      await world.waitForPlatform(creator.username);
      world.advance(STEP_MS);
      await (await worker(points)).work('poll');
      world.advance(STEP_MS);
      await world.finish(creator);
      assert.equal(await outcomes(), 'posted published');
      assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
    });

  it('Q5 is paused before its init, and another worker finishes: its late init is sent with revoked URLs, which answer 410', async () => {
    const zombie = await worker({ before: 'submit' });
    await zombie.work('publish');
    gate.isOpen = true;
    world.advance(STEP_MS);
    await world.finish(creator);
    assert.equal(await outcomes(), 'posted failed published');
    const before = await world.attempts(id);
    await zombie.wake();
    await world.waitForPlatform(creator.username);
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE', 'FAILED']);
    assert.deepEqual(await world.attempts(id), before);
    assert.equal(await outcomes(), 'posted failed published');
  });

  it('Q6 dies when half a slide was fetched: another process serves the same URL, and the post is published once', async () => {
    const open = gate.closeFor(world.app);
    gate.breaks = 1;
    await world.engine.publish();
    await world.engine.idle();
    open();
    const second = await startService(world.app.config, { clock: world.service.clock, log: silentLog });
    try {
      gate.isOpen = true;
      await until('half of it was fetched', () => gate.breaks < 1);
      gate.behind = second.url;
      await world.finish(creator);
    } finally {
      await second.stop();
    }
    assert.deepEqual(gate.answered, [200, 200]);
    assert.equal(await outcomes(), 'posted published');
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
  });
});
