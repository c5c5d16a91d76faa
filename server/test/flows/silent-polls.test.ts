// The platform is polled again and again about a post. Only an answer that differs from the last one notifies listeners.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Outcome } from '../../src/connectors/connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useWorld } from '../support/world/world.js';

onEngines('sqlite', 'A poll', (engine) => {
  let says: Outcome | null = null;
  const world = useWorld(engine, {
    connector: (real) => ({
      ...real,
      async observe(token, asked, signal) {
        return says ?? real.observe(token, asked, signal);
      },
    }),
  });

  it('that finds nothing new notifies no listener, and one that does notifies about its post', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    await world.engine.publish();
    await world.engine.idle();
    await world.waitForPlatform(creator.username);
    const notified: string[] = [];
    const stop = await world.app.db.listen({
      changed: ({ orgId, posts }) => {
        if (orgId === creator.org.id) notified.push(...posts);
      },
      missed: () => {},
    });
    const attempt = async () => (await world.attempts(id))[0] ?? assert.fail('there is no attempt');
    const publishId = (await attempt()).publish_id as string;
    /** The notifications of a poll with this answer. The number of polls shows that it took place. */
    const poll = async (answer: Outcome) => {
      says = answer;
      notified.length = 0;
      const { checks } = await attempt();
      world.advance(3_600_000);
      await world.engine.poll();
      await world.engine.idle();
      const now = await attempt();
      if (now.outcome === 'accepted') assert.equal(now.checks, checks + 1, 'no poll took place');
      return [...notified];
    };
    const working = (socialStatus: string): Outcome => ({ kind: 'accepted', publishId, socialStatus });
    const later: Outcome = { kind: 'later', code: 'internal_error', reason: 'Not now (internal_error)' };
    try {
      assert.deepEqual(await poll(working('FIRST_WORD')), [id]);
      const { checked_at } = await attempt();
      for (const answer of [working('FIRST_WORD'), working('FIRST_WORD'), later])
        assert.deepEqual(await poll(answer), []);
      assert.ok(Number((await attempt()).checked_at) > Number(checked_at), 'the time of the poll is stored');
      assert.deepEqual(await poll(working('SECOND_WORD')), [id]);
      assert.deepEqual(await poll(working('SECOND_WORD')), []);
      const published = await poll({ kind: 'published', socialStatus: 'PUBLISH_COMPLETE' });
      assert.deepEqual([...new Set(published)], [id]);
      assert.equal((await attempt()).outcome, 'published');
    } finally {
      stop();
      says = null;
    }
  });
});
