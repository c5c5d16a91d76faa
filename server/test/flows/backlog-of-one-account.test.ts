// One account has more due posts than it may have in flight, and posts of other accounts are due after them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { POOL_LIMITS } from '../../src/publishing/schedule/engine.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { inParallel } from '../support/runner/in-parallel.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { setPost } from '../support/service/posts.js';
import { type Creator, HOUR_MS, useWorld } from '../support/world/world.js';

const due = ({ accountId }: Creator, scheduled_at: number) =>
  ({
    status: 'scheduled',
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE',
    scheduled_at,
  }) as const;

onEngines('sqlite', 'A backlog of one account', (engine) => {
  let sending = Promise.resolve();
  const world = useWorld(engine, {
    connector: (real) => ({
      ...real,
      async creator(...given) {
        await sending;
        return real.creator(...given);
      },
    }),
  });

  it('that fills a whole scheduler query hides no other account: the post of another account starts in the same run', async () => {
    const [busy, other] = [await world.creator(), await world.creator()];
    const waiting = await world.post(other);
    const now = world.now();
    const backlog: string[] = [];
    await inParallel(
      10,
      Array(2 * POOL_LIMITS.publish.perOrganization).fill(HOUR_MS),
      async (age: number, n) => {
        backlog[n] = await busy.org.addPost();
        await setPost(world.service, backlog[n], due(busy, now - age + n));
      },
    );
    await setPost(world.service, waiting, due(other, now));
    const gate = new Latch();
    sending = gate.opened;
    try {
      await world.engine.publish();
    } finally {
      gate.open();
      await world.engine.idle();
    }
    assert.deepEqual(await world.outcomesOf(other, waiting), ['posted', 'accepted']);
    const begun = await Promise.all(backlog.map((id) => world.attempts(id)));
    const { perTarget } = POOL_LIMITS.publish;
    assert.deepEqual(
      begun.map(({ length }) => length),
      backlog.map((_, n) => (n < perTarget ? 1 : 0)),
    );
  });
});
