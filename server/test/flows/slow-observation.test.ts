// The platform takes longer to answer a poll than a lease lasts without a heartbeat.
import assert from 'node:assert/strict';
import { afterEach, it, mock } from 'node:test';
import type { Connector } from '../../src/connectors/connector.js';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useWorld } from '../support/world/world.js';

onEngines('sqlite', 'A poll that is answered after the lease would have ended', (engine) => {
  const asked: string[] = [];
  let answered = new Latch();
  let answerGate: Latch | null = null;
  let writing: Promise<unknown> = Promise.resolve();

  // The platform is really called; its answer to the first worker is delayed until the latch opens.
  const world = useWorld(engine, {
    connector: (real) => ({
      ...real,
      async observe(...given) {
        asked.push('the first');
        const answer = await real.observe(...given);
        answered.open();
        await answerGate?.opened;
        return answer;
      },
    }),
    database: (real) => ({
      ...real,
      transact(work) {
        const written = real.transact(work);
        writing = written.catch(() => {});
        return written;
      },
    }),
  });
  const watched = (real: Connector): Connector => ({
    ...real,
    observe(...given) {
      asked.push('another');
      return real.observe(...given);
    },
  });
  afterEach(() => {
    answerGate?.open();
    mock.timers.reset();
  });

  it('is sent once: the worker keeps its lease, no other worker takes the attempt, and the answer is settled once', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    await world.engine.publish();
    await world.engine.idle();
    await world.waitForPlatform(creator.username);
    world.advance(world.app.config.publishing.reconcileIntervalMs + 1);
    const attempt = async () => {
      const [only, ...more] = await world.attempts(id);
      assert.ok(only && more.length === 0);
      return only;
    };
    const other = await world.otherApp({ connector: watched });
    const rival = createEngine(other);
    // Heartbeats come when the test says so.
    mock.timers.enable({ apis: ['setInterval'] });
    [answerGate, answered] = [new Latch(), new Latch()];
    try {
      await world.engine.poll();
      await answered.opened;
      const { fence, lease_until } = await attempt();
      const beatMs = world.app.config.publishing.leaseMs / 4;
      for (let beat = 1; beat <= 6; beat++) {
        world.advance(beatMs);
        mock.timers.tick(beatMs);
        await writing;
        for (const worker of [rival, world.engine]) await worker.poll();
        await rival.idle();
        assert.deepEqual([asked, (await attempt()).fence], [['the first'], fence], `after ${beat} beats`);
      }
      assert.ok(world.now() > (lease_until as number), 'the lease it began with has long ended');
      answerGate.open();
      await world.engine.idle();
      const settled = await attempt();
      assert.deepEqual(
        [settled.outcome, settled.fence, settled.lease_until, settled.next_at],
        ['published', fence + 1, null, null],
      );
      // A heartbeat in flight, or a worker that comes late, changes nothing any more.
      mock.timers.tick(beatMs);
      world.advance(world.app.config.publishing.leaseMs + 1);
      for (const worker of [rival, world.engine]) {
        await worker.poll();
        await worker.idle();
      }
      assert.deepEqual([await attempt(), asked], [settled, ['the first']]);
      assert.equal((await world.live(creator.username)).length, 1);
    } finally {
      answerGate.open();
      await world.engine.idle();
      await rival.idle();
      await other.close();
    }
  });
});
