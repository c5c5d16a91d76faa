// Days with more posts than the platform takes: what it refuses waits, one post goes first when a place is free again, and
// no post becomes a draft that a member would have to schedule again.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;
/** Three windows' worth. */
const POSTS = everyday(16, 40);
const CAP = everyday(6, 15);
const STEP_MS = 30 * MINUTE_MS;

onEngines('sqlite', 'A platform that has reached a cap', (engine) => {
  const world = useTidyWorld(engine, { env: { PUBLISH_MAX_LATENESS_HOURS: '96' } });

  const postsOf = async (creators: Creator[]) =>
    world.app.db.read
      .selectFrom('posts')
      .select(['id', 'title', 'status', 'scheduled_at', 'wait_until', 'posted_at'])
      .where(
        'org_id',
        'in',
        creators.map(({ org }) => org.id),
      )
      .orderBy('scheduled_at')
      .execute();

  /** As a worker does: again and again, until nothing is due. */
  async function runDue(creators: Creator[]): Promise<void> {
    for (let run = 0; run < 200; run++) {
      const due = (await postsOf(creators)).filter(
        ({ status, scheduled_at, wait_until }) =>
          status === 'scheduled' && (wait_until ?? scheduled_at ?? 0) <= world.now(),
      );
      if (due.length === 0) return;
      await world.engine.publish();
      await world.engine.idle();
    }
    assert.fail('there is always something due');
  }

  /** Step by step, until all posts are out or the days are over. Counts the attempts that the platform refused in each step. */
  async function live(creators: Creator[], days: number): Promise<number[]> {
    const refusals: number[] = [];
    const failed = async () =>
      (
        await world.app.db.read
          .selectFrom('dispatches')
          .select('id')
          .where(
            'org_id',
            'in',
            creators.map(({ org }) => org.id),
          )
          .where('outcome', '=', 'failed')
          .execute()
      ).length;
    for (let step = 0; step < (days * DAY_MS) / STEP_MS; step++) {
      world.advance(STEP_MS);
      const before = await failed();
      await runDue(creators);
      // Those that made room for a place that was free for a moment only.
      world.advance(MINUTE_MS);
      await runDue(creators);
      refusals.push((await failed()) - before);
      if ((await postsOf(creators)).every(({ status }) => status !== 'scheduled')) break;
    }
    return refusals;
  }

  const countBy = async (creators: Creator[], status: string) =>
    (await postsOf(creators)).filter((post) => post.status === status).length;

  it(`a day of ${POSTS} posts on an account capped at ${CAP} goes out in order: one refusal per window, none becomes a draft`, async () => {
    await world.platform.control('settings', { caps: true, posts_per_day: CAP });
    const creator = await world.creator();
    for (let n = 0; n < POSTS; n++) {
      const id = await world.post(creator, 'slides', `Post ${n}`);
      await world.schedule(creator, id, (n + 1) * STEP_MS);
    }
    const refusals = await live([creator], 4);
    assert.equal(await countBy([creator], 'draft'), 0, 'drafted');
    assert.equal(await countBy([creator], 'posted'), POSTS, 'out');
    assert.equal(Math.max(...refusals), 1, 'refused in one window');
    const sent = (await world.acceptedInits(creator.username)).map(({ request }) => request.post_info.title);
    assert.deepEqual(
      sent,
      Array.from({ length: POSTS }, (_, n) => `Post ${n}`),
    );
    await world.platform.control('settings', { caps: false });
  });

  it('an app capped at two accounts a day publishes for three organizations: one refusal per window, none becomes a draft', async () => {
    // What others have published counts for a day.
    world.advance(DAY_MS);
    await world.platform.control('settings', { caps: true, posts_per_day: 100, active_user_cap: 2 });
    const creators = [await world.creator(), await world.creator(), await world.creator()];
    for (let n = 0; n < 12; n++) {
      const creator = creators[n % 3] as Creator;
      const id = await world.post(creator, 'slides', `Post ${n}`);
      await world.schedule(creator, id, (n + 1) * STEP_MS);
    }
    const refusals = await live(creators, 4);
    assert.equal(await countBy(creators, 'draft'), 0, 'drafted');
    assert.equal(await countBy(creators, 'posted'), 12, 'out');
    assert.equal(Math.max(...refusals), 1, 'refused in one window');
    for (const [place, { username }] of creators.entries())
      assert.deepEqual(
        (await world.acceptedInits(username)).map(({ request }) => request.post_info.title),
        [0, 3, 6, 9].map((n) => `Post ${n + place}`),
      );
    await world.platform.control('settings', { caps: false, active_user_cap: null });
  });
});
