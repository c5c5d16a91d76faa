// A platform that accepts no more posts through the app: every organization waits, and one post of one of them goes first.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { repairSchedule } from '../../src/publishing/attempt/repair.js';
import { checkUpcomingPosts } from '../../src/publishing/schedule/at-risk.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import { archive, assertProblem, assertTold, publish } from '../support/service/posts.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;
const CAP = 'reached_active_user_cap';

onEngines('sqlite', 'A platform that has blocked the app', (engine) => {
  const world = useTidyWorld(engine, {
    env: { PUBLISH_MAX_LATENESS_HOURS: '72', SCHEDULE_MIN_LEAD_SECONDS: '0' },
  });

  const setCap = (active_user_cap: number | null) =>
    world.platform.control('settings', { caps: true, posts_per_day: 100, active_user_cap });
  const accountOf = async ({ org, accountId }: Creator) =>
    (await org.call('GET', `/api/v1/social-accounts/${accountId}`)).json.data;
  const statuses = async (ids: string[]) =>
    Promise.all(ids.map(async (id) => (await world.postRow(id)).status));
  const attemptsOf = async (ids: string[]) => (await Promise.all(ids.map((id) => world.attempts(id)))).flat();
  const rows = () => world.app.db.read.selectFrom('platform_blocks').selectAll().execute();
  async function run(times = 8, work = world.engine): Promise<void> {
    for (let n = 0; n < times; n++) {
      await work.publish();
      await work.idle();
    }
  }

  /** Three organizations with two posts each; the first post met the cap. */
  async function capped() {
    const creators = [await world.creator(), await world.creator(), await world.creator()];
    await setCap(0);
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      const creator = creators[n % 3] as Creator;
      ids.push(await world.post(creator, 'slides', `Post ${n}`));
      await world.schedule(creator, ids[n] ?? '', (n + 1) * MINUTE_MS);
    }
    world.advance(MINUTE_MS + 1_000);
    await run(2);
    world.advance(5 * MINUTE_MS);
    await run(4);
    return { creators: creators as [Creator, Creator, Creator], ids };
  }

  /** So that the next test begins without a block, and without posts that wait for it. */
  async function endBlock(creators: Creator[], ids: string[]) {
    await setCap(null);
    await world.app.db.transact((tx) => tx.deleteFrom('platform_blocks').execute());
    for (const { org } of creators) await archive(org, ...ids);
  }

  it('is held for all organizations after one attempt; each account shows it', async () => {
    const { creators, ids } = await capped();
    assert.deepEqual(
      (await attemptsOf(ids)).map(({ outcome, error_code }) => [outcome, error_code]),
      [['failed', CAP]],
    );
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'scheduled'),
    );
    for (const creator of creators) {
      const { blocked_until, block_reason, status } = await accountOf(creator);
      assertTold(block_reason, CAP);
      assert.ok(Date.parse(blocked_until) > world.now() + DAY_MS - HOUR_MS);
      assert.equal(status, 'connected');
      const id = await world.post(creator);
      assertProblem(await publish(creator.org, id, creator.accountId), 503, 'account_blocked');
      const [row, ...more] = (await creator.org.call('GET', '/api/v1/attention')).json.data;
      assert.deepEqual(
        [row.cause, row.count, row.blocked_until, more],
        ['account_blocked', 2, blocked_until, []],
      );
      assert.equal(
        row.message,
        'The platform accepts no more posts through this app for 24 hours. 2 posts wait.',
      );
    }
    for (let n = 0; n < 4; n++) {
      world.advance(4 * HOUR_MS);
      await run(2);
      await repairSchedule(world.app);
    }
    assert.equal((await attemptsOf(ids)).length, 1);
    await endBlock(creators, ids);
  });

  it('sends one first post for all organizations and workers', async () => {
    const { creators, ids } = await capped();
    world.advance(DAY_MS + MINUTE_MS);
    const other = await world.otherEngine();
    await Promise.all([run(4), run(4, other)]);
    assert.equal((await attemptsOf(ids)).length, 2);
    assert.equal((await rows()).length, 1);
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'scheduled'),
    );
    await endBlock(creators, ids);
  });

  it('lets all organizations follow once the first post was accepted', async () => {
    const { ids, creators } = await capped();
    await setCap(null);
    world.advance(DAY_MS + MINUTE_MS);
    await run(4);
    for (let n = 0; n < 4; n++) {
      world.advance(MINUTE_MS);
      await run(4);
    }
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'posted'),
    );
    assert.deepEqual(await rows(), []);
    for (const creator of creators) assert.equal((await accountOf(creator)).blocked_until, null);
  });

  it('is tried at once when a person of one organization says so; if accepted, the others follow as well', async () => {
    const { ids, creators } = await capped();
    const [one] = creators;
    const path = `/api/v1/social-accounts/${one.accountId}/unblock`;
    assert.equal((await one.org.call('POST', path)).status, 200);
    await run(4);
    assert.equal((await attemptsOf(ids)).length, 2, 'refused again');
    assert.ok(Date.parse((await accountOf(one)).blocked_until) > world.now());
    await setCap(null);
    await one.org.call('POST', path);
    await run(6);
    for (let n = 0; n < 3; n++) {
      world.advance(MINUTE_MS);
      await run(4);
    }
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'posted'),
    );
  });

  it('is not held for ever if the attempt of the first post ends without an answer', async () => {
    const { ids, creators } = await capped();
    await setCap(null);
    world.advance(DAY_MS + MINUTE_MS);
    await world.platform.control('faults', { on: 'creator_info', kind: 'http_503' });
    await run(1);
    const codes = (await attemptsOf(ids)).map(({ error_code }) => error_code);
    assert.ok(codes.includes('internal_error'), codes.join());
    for (let n = 0; n < 5; n++) {
      world.advance(MINUTE_MS);
      await run(4);
    }
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'posted'),
    );
    assert.equal((await accountOf(creators[2])).blocked_until, null);
  });

  it('makes the posts of other organizations at risk, told right away', async () => {
    const [one, other] = [await world.creator(), await world.creator()];
    await setCap(0);
    const id = await world.post(other);
    await world.schedule(other, id, 5 * HOUR_MS);
    await checkUpcomingPosts(world.app);
    assertProblem(await publish(one.org, await world.post(one), one.accountId), 503, 'account_blocked');
    await checkUpcomingPosts(world.app);
    const risks = (await eventsOf(other.org)).filter(({ type }) => type === 'post.at_risk');
    assert.deepEqual(
      risks.map(({ data }) => [data.post_id, ...(data.problems ?? []).map(({ code }) => code)]),
      [[id, 'account_blocked']],
    );
    await endBlock([other], [id]);
  });
});
