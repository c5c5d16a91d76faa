// A sample of crash/rush.proof.test.ts: the posts of more organizations than may publish at the same time are due, and the platform
// hangs for them. What another organization has scheduled for a second later begins in the same run.
import { afterEach, it } from 'node:test';
import { RUSH_LIMITS } from '../../src/publishing/schedule/engine.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { smallPicture } from '../support/world/due-posts.js';
import { HangingCrowd } from '../support/world/hanging-crowd.js';
import { addRush, manyOwners } from '../support/world/rush.js';
import { useWorld } from '../support/world/world.js';

onEngines('postgres', 'While the posts of 600 organizations are due', (engine) => {
  const crowd = new HangingCrowd();
  const world = useWorld(engine, { connector: crowd.wrap });
  afterEach(async () => {
    crowd.release();
    await world.engine.idle();
  });

  it('the post of another one, due a second later, begins in the same run', async () => {
    const model = await crowd.gather(world.app, 5);
    const owners = await manyOwners(world.app, model, 600);
    const slot = world.now() - 1_000;
    await addRush(world.app, owners, { posts: 600, slot, picture: await smallPicture(), name: 'rush' });
    const other = await world.creator();
    const id = await world.scheduled(other);
    await world.engine.publish();
    await until('the post of the other organization is accepted', async () => {
      const [attempt] = await world.attempts(id);
      return attempt?.outcome === 'accepted';
    });
    const { maxRecentWhenBusy, reserved } = RUSH_LIMITS;
    await until('the rush has the other places', () => crowd.hanging >= maxRecentWhenBusy - reserved - 1);
  });
});
