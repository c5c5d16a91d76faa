// An account that the platform has blocked: what waits, what goes first, and what follows.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openApp } from '../../src/open-app.js';
import { claimDue } from '../../src/publishing/attempt/claim.js';
import { repairSchedule } from '../../src/publishing/attempt/repair.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { assertTold, readPost } from '../support/service/posts.js';
import { BANNED, BLOCK_ENV, blocksIn } from '../support/world/blocked-account.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;

onEngines('sqlite', 'An account that the platform has blocked', (engine) => {
  const world = useTidyWorld(engine, { env: BLOCK_ENV });
  const { accountOf, attemptsOf, banned, run, setBan, statuses, unblock } = blocksIn(world);

  it('is held after one attempt; its posts wait and say why, and nothing more is sent', async () => {
    const { creator, ids, org } = await banned();
    const account = await accountOf(creator);
    assertTold(account.block_reason, BANNED);
    assert.ok(Date.parse(account.blocked_until) > world.now() + DAY_MS - MINUTE_MS);
    assert.equal(account.status, 'connected');
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'scheduled'),
    );
    const attempts = await attemptsOf(ids);
    assert.deepEqual(
      attempts.map(({ outcome, error_code }) => [outcome, error_code]),
      attempts.map(() => ['failed', BANNED]),
    );
    const tried = attempts.length;
    for (const id of ids) {
      const post = await readPost(org, id);
      assert.match(
        post.last_publish_error ?? '',
        /^The post waits until the platform accepts more\. .*posting/,
      );
      assert.equal(post.publish_retries, 0);
    }
    for (let n = 0; n < 5; n++) {
      world.advance(4 * HOUR_MS);
      await run(2);
      await repairSchedule(world.app);
    }
    assert.equal((await attemptsOf(ids)).length, tried);
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'scheduled'),
    );
  });

  it('lets one post go first each day while it is refused, until the slots are missed', async () => {
    const { creator, ids } = await banned();
    const tried = (await attemptsOf(ids)).length;
    for (let day = 1; day <= 2; day++) {
      world.advance(DAY_MS + MINUTE_MS);
      await run();
      assert.equal((await attemptsOf(ids)).length, tried + day);
      assert.equal((await world.attempts(ids[0] ?? '')).length, 1 + day, 'the earliest goes first');
    }
    await setBan(creator, false);
    world.advance(DAY_MS);
    await run();
    assert.deepEqual(await world.acceptedInits(creator.username), []);
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'draft'),
      'three days are too late',
    );
  });

  it('publishes all that waited in order, once the first was accepted', async () => {
    const { creator, ids, username } = await banned(6);
    await setBan(creator, false);
    world.advance(DAY_MS + MINUTE_MS);
    await run(20);
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'posted'),
    );
    assert.deepEqual(
      (await world.acceptedInits(username)).map(({ request }) => request.post_info.title),
      ids.map((_, n) => `Post ${n}`),
    );
    const { blocked_until, block_reason } = await accountOf(creator);
    assert.deepEqual([blocked_until, block_reason], [null, null]);
    for (const id of ids) assert.equal((await world.postRow(id)).last_publish_error, null);
  });

  it('two workers send one first post between them', async () => {
    const { creator, ids } = await banned(6);
    const tried = (await attemptsOf(ids)).length;
    world.advance(DAY_MS + MINUTE_MS);
    const other = await world.otherEngine();
    await Promise.all([run(4), run(4, other)]);
    assert.equal((await attemptsOf(ids)).length, tried + 1);
    assert.ok(Date.parse((await accountOf(creator)).blocked_until) > world.now());
  });

  it('lets the next post go first if the first was refused for a reason of its own', async () => {
    const { creator, ids } = await banned(3);
    await setBan(creator, false);
    world.advance(DAY_MS + MINUTE_MS);
    const [first, second] = ids as [string, string];
    await world.app.db.transact((tx) =>
      tx.updateTable('posts').set({ cover_index: 30 }).where('id', '=', first).execute(),
    );
    for (let n = 0; n < 6; n++) {
      await run(2);
      world.advance(MINUTE_MS);
    }
    const [status, ...others] = await statuses(ids);
    assert.deepEqual([status, ...others], ['draft', 'posted', 'posted']);
    assert.equal((await accountOf(creator)).blocked_until, null);
    assert.ok((await world.attempts(second)).length >= 1);
  });

  it('is not held for ever if the process that sent the first post died', async () => {
    const { creator, ids } = await banned(3);
    await setBan(creator, false);
    world.advance(DAY_MS + MINUTE_MS);
    const [first] = ids as [string];
    // As a process leaves it that has died after the claim.
    const app = await openApp(world.app.config, { clock: world.service.clock, log: silentLog });
    const claimed = await app.db.transact((tx) => claimDue(app, tx, { org_id: creator.org.id, id: first }));
    assert.equal(claimed.kind, 'claimed');
    await app.close();
    await run(2);
    assert.deepEqual(await world.acceptedInits(creator.username), []);
    world.advance(10 * MINUTE_MS);
    await world.runOnce();
    await run(10);
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'posted'),
    );
    assert.equal((await accountOf(creator)).blocked_until, null);
  });

  it('tries at once when a person says so, with one post; a refusal holds it again', async () => {
    const { creator, ids } = await banned();
    const tried = (await attemptsOf(ids)).length;
    const answer = await unblock(creator);
    assert.equal(answer.status, 200);
    assert.ok(Date.parse(answer.json.data.blocked_until) <= world.now());
    await run();
    assert.equal((await attemptsOf(ids)).length, tried + 1);
    assert.ok(Date.parse((await accountOf(creator)).blocked_until) > world.now());
    await setBan(creator, false);
    await unblock(creator);
    await run(20);
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'posted'),
    );
  });

  it('stays blocked when it is reconnected', async () => {
    const { creator, org, username, ids } = await banned();
    const tried = (await attemptsOf(ids)).length;
    await world.platform.control('remove_authorization', { username });
    await org.connectAccount(username);
    await run();
    assert.ok(Date.parse((await accountOf(creator)).blocked_until) > world.now());
    assert.equal((await attemptsOf(ids)).length, tried);
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'scheduled'),
    );
  });

  it('does not delay the posts of another account', async () => {
    const { org } = await banned();
    const other = await world.creatorIn(org, `other.${org.id.slice(-8)}`);
    const id = await world.scheduled(other);
    await run();
    assert.equal((await world.postRow(id)).status, 'posted');
  });

  it('is held if the platform gives up on an accepted post for that reason; the post waits and goes out again', async () => {
    const creator = await world.creator();
    const fail_reason = 'spam_risk_too_many_posts';
    await world.platform.control('outcomes', { username: creator.username, status: 'FAILED', fail_reason });
    const id = await world.scheduled(creator);
    await run(1);
    await world.settle((await world.dispatchRow(id)).publish_id ?? '');
    assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
    assertTold((await accountOf(creator)).block_reason, fail_reason);
    assert.equal((await readPost(creator.org, id)).posted_at, null);
    world.advance(DAY_MS + MINUTE_MS);
    await run();
    assert.equal((await world.postRow(id)).status, 'posted');
    assert.equal((await accountOf(creator)).blocked_until, null);
  });

  it('is freed by the safety net if a post still waits for a block that is gone', async () => {
    const { creator, ids, accountId } = await banned(2);
    await setBan(creator, false);
    await world.app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({ blocked_until: null, block_reason: null })
        .where('id', '=', accountId)
        .execute(),
    );
    await run();
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'scheduled'),
    );
    await repairSchedule(world.app);
    await run();
    assert.deepEqual(
      await statuses(ids),
      ids.map(() => 'posted'),
    );
  });
});
