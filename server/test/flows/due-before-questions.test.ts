// More posts of an organization are due than can start at the same time, and others of its attempts are due to be polled.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_POLLS_WHILE_DUE, POOL_LIMITS } from '../../src/publishing/schedule/engine.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { setPost } from '../support/service/posts.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

onEngines('sqlite', 'While due posts of an organization wait for a free place', (engine) => {
  let sending = Promise.resolve();
  let asking = Promise.resolve();
  let asked = 0;
  const world = useWorld(engine, {
    connector: (real) => ({
      ...real,
      async creator(...given) {
        await sending;
        return real.creator(...given);
      },
      async observe(...given) {
        asked++;
        await asking;
        return real.observe(...given);
      },
    }),
  });

  const makeDue = ({ accountId }: Creator, id: string) =>
    setPost(world.service, id, {
      status: 'scheduled',
      social_account_id: accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
      scheduled_at: world.now(),
    });

  /** Another account of the same organization. */
  const colleague = ({ org, username }: Creator, n: number): Promise<Creator> =>
    world.creatorIn(org, `${username}.${n}`);

  it('only a few of its attempts are polled at once, and the others when there are free places again', async () => {
    const { perOrganization, perTarget } = POOL_LIMITS.publish;
    const first = await world.creator();
    const creators = [first];
    for (let n = 1; n <= perOrganization / perTarget; n++) creators.push(await colleague(first, n));
    const onTheirWay = creators.slice(0, 2 * MAX_POLLS_WHILE_DUE);
    const posts: string[] = [];
    for (const creator of onTheirWay) {
      const id = await world.post(creator);
      await makeDue(creator, id);
      posts.push(id);
    }
    await world.engine.publish();
    await world.engine.idle();
    world.advance(STEP_MS);
    for (const creator of creators)
      for (let n = 0; n < perTarget; n++) await makeDue(creator, await creator.org.addPost());

    const [sends, answers] = [new Latch(), new Latch()];
    sending = sends.opened;
    asking = answers.opened;
    try {
      await world.engine.publish();
      await world.engine.poll();
      await world.engine.poll();
      assert.ok(asked <= MAX_POLLS_WHILE_DUE, `${asked} polls at once`);
    } finally {
      sends.open();
      answers.open();
      await world.engine.idle();
    }
    assert.equal(asked, MAX_POLLS_WHILE_DUE);
    await world.engine.publish();
    await world.engine.poll();
    await world.engine.idle();
    assert.equal(asked, onTheirWay.length);
    for (const [n, creator] of onTheirWay.entries())
      assert.deepEqual(await world.outcomesOf(creator, posts[n] as string), ['posted', 'published']);
  });
});
