// An account that the platform has blocked: what waits, what goes first, and who can say that it may be over.
import assert from 'node:assert/strict';
import { openApp } from '../../src/app.js';
import { repairSchedule } from '../../src/publishing/attempt/repair.js';
import { lookAtSlots } from '../../src/publishing/schedule/at-risk.js';
import { silentLog } from '../databases.js';
import { type Organization, onEnginesInTurn } from '../harness.js';
import { assertProblem, assertTold, at, blockAccount, listPosts, onlyDispatch, publish, readPost } from '../posts.js';
import { eventsOf } from '../streams.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../world.js';

const DAY_MS = 24 * HOUR_MS;
const BANNED = 'spam_risk_user_banned_from_posting';

onEnginesInTurn('An account that the platform has blocked', (engine, it) => {
  const world = useTidyWorld(engine, {
    env: {
      PUBLISH_MAX_LATENESS_HOURS: '72',
      SCHEDULE_MIN_LEAD_SECONDS: '0',
      PUBLISH_BACKOFF_MS: '1000',
      RECONCILE_INTERVAL_MS: '1000',
    },
  });

  const setBan = ({ username }: Creator, is_banned: boolean) =>
    world.platform.control('accounts', { username, is_banned });
  const accountOf = async ({ org, accountId }: Creator) =>
    (await org.call('GET', `/api/v1/social-accounts/${accountId}`)).json.data;
  const unblock = ({ org, accountId }: Creator) =>
    org.call('POST', `/api/v1/social-accounts/${accountId}/unblock`);
  const statuses = async (ids: string[]) =>
    Promise.all(ids.map(async (id) => (await world.postRow(id)).status));
  const attemptsOf = async (ids: string[]) =>
    (await Promise.all(ids.map((id) => world.attempts(id)))).flat();
  /** As a worker does, which is called again when work has ended. */
  async function run(times = 8, work = world.engine): Promise<void> {
    for (let n = 0; n < times; n++) {
      await work.publishDue();
      await work.idle();
    }
  }

  /** Posts a minute apart, the first of which met the ban. */
  async function banned(count = 4) {
    const creator = await world.creator();
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const id = await world.post(creator, 'slides', `Post ${n}`);
      await world.schedule(creator, id, (n + 1) * MINUTE_MS);
      ids.push(id);
    }
    await setBan(creator, true);
    world.advance(count * MINUTE_MS + 1_000);
    await run();
    return { ...creator, creator, ids };
  }

  it('is held after one attempt; its posts wait and say why, and nothing more is sent', async () => {
    const { creator, ids, org } = await banned();
    const account = await accountOf(creator);
    assertTold(account.block_reason, BANNED);
    assert.ok(Date.parse(account.blocked_until) > world.now() + DAY_MS - MINUTE_MS);
    assert.equal(account.status, 'connected');
    assert.deepEqual(await statuses(ids), ids.map(() => 'scheduled'));
    const attempts = await attemptsOf(ids);
    assert.deepEqual(
      attempts.map(({ outcome, error_code }) => [outcome, error_code]),
      attempts.map(() => ['failed', BANNED]),
    );
    const tried = attempts.length;
    for (const id of ids) {
      const post = await readPost(org, id);
      assert.match(post.last_publish_error ?? '', /^The post waits until the platform accepts more\. .*posting/);
      assert.equal(post.publish_retries, 0);
    }
    for (let n = 0; n < 5; n++) {
      world.advance(4 * HOUR_MS);
      await run(2);
      await repairSchedule(world.app);
    }
    assert.equal((await attemptsOf(ids)).length, tried);
    assert.deepEqual(await statuses(ids), ids.map(() => 'scheduled'));
  });

  it('tells of each post that waits, once, with the time of the next try', async () => {
    const { org, creator, ids } = await banned();
    await run(3);
    const until = (await accountOf(creator)).blocked_until;
    const failed = (await eventsOf(org)).filter(({ type }) => type === 'post.publish_failed');
    assert.deepEqual(failed.map(({ data }) => data.post_id).sort(), [...ids].sort());
    for (const { data } of failed)
      assert.deepEqual([data.post_status, data.will_retry, data.retry_at], ['scheduled', true, until]);
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
    assert.deepEqual(await world.ledger(creator.username), []);
    assert.deepEqual(await statuses(ids), ids.map(() => 'draft'), 'three days are too late');
  });

  it('publishes all that waited in order, once the first was accepted', async () => {
    const { creator, ids, username } = await banned(6);
    await setBan(creator, false);
    world.advance(DAY_MS + MINUTE_MS);
    await run(20);
    assert.deepEqual(await statuses(ids), ids.map(() => 'posted'));
    assert.deepEqual(
      (await world.ledger(username)).map(({ request }) => request.post_info.title),
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
    const other = await world.elsewhere();
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
    const { claimDue } = await import('../../src/publishing/attempt/claim.js');
    const claimed = await app.db.transact((tx) => claimDue(app, tx, { org_id: creator.org.id, id: first }));
    assert.equal(claimed.kind, 'claimed');
    await app.close();
    await run(2);
    assert.deepEqual(await world.ledger(creator.username), []);
    world.advance(10 * MINUTE_MS);
    await world.runOnce();
    await run(10);
    assert.deepEqual(await statuses(ids), ids.map(() => 'posted'));
    assert.equal((await accountOf(creator)).blocked_until, null);
  });

  it('refuses publish now with 503 and without a call, until its time; then that post may go first', async () => {
    const { creator, org, accountId } = await banned(1);
    const id = await world.post(creator);
    const answer = await publish(org, id, accountId);
    assertProblem(answer, 503, 'account_blocked');
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait > DAY_MS / 1000 - 600 && wait <= DAY_MS / 1000, `${wait}`);
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.last_publish_error], ['draft', null]);
    assert.deepEqual(await world.attempts(id), []);
    world.advance(DAY_MS + MINUTE_MS);
    assertProblem(await publish(org, id, accountId), 503, 'account_blocked');
    assert.equal((await onlyDispatch(org, id)).error_code, BANNED);
    await setBan(creator, false);
    world.advance(DAY_MS + MINUTE_MS);
    assert.equal((await publish(org, id, accountId)).status, 200);
    assert.equal((await accountOf(creator)).blocked_until, null);
  });

  it('is held by a publish now that the platform refuses for it: 503, the post as before, its attempt failed', async () => {
    const creator = await world.creator();
    await setBan(creator, true);
    for (const mode of ['direct', 'inbox'] as const) {
      const id = await world.post(creator);
      assertProblem(await publish(creator.org, id, creator.accountId, { mode }), 503, 'account_blocked');
      const post = await readPost(creator.org, id);
      assert.deepEqual([post.status, post.last_publish_error], ['draft', null]);
      assert.deepEqual((await onlyDispatch(creator.org, id)).error_code, BANNED);
      assert.equal((await unblock(creator)).status, 200);
    }
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
    assert.deepEqual(await statuses(ids), ids.map(() => 'posted'));
  });

  it('is unblocked only with accounts:manage, in one row of the audit log, and without effect if it is not blocked', async () => {
    const creator = await world.creator();
    const path = `/api/v1/social-accounts/${creator.accountId}/unblock`;
    const key = await creator.org.keyWith(['posts:publish', 'posts:write']);
    assertProblem(await world.service.request('POST', path, { key }), 403, 'insufficient_scope');
    const rows = () =>
      world.app.db.read
        .selectFrom('audit')
        .select('action')
        .where('org_id', '=', creator.org.id)
        .where('action', '=', 'account.unblocked')
        .execute();
    assert.equal((await unblock(creator)).json.data.blocked_until, null);
    assert.equal((await rows()).length, 0);
    await blockAccount(world.service, creator.accountId);
    await unblock(creator);
    await unblock(creator);
    assert.equal((await rows()).length, 1);
    const other = await world.creator();
    const foreign = await other.org.call('POST', path);
    assertProblem(foreign, 404, 'not_found');
  });

  it('stays blocked when it is reconnected', async () => {
    const { creator, org, username, ids } = await banned();
    const tried = (await attemptsOf(ids)).length;
    await world.platform.control('remove_authorization', { username });
    await org.connectAccount(username);
    await run();
    assert.ok(Date.parse((await accountOf(creator)).blocked_until) > world.now());
    assert.equal((await attemptsOf(ids)).length, tried);
    assert.deepEqual(await statuses(ids), ids.map(() => 'scheduled'));
  });

  it('does not delay the posts of another account', async () => {
    const { org } = await banned();
    const other = await world.creatorIn(org, `other.${org.id.slice(-8)}`);
    const id = await world.scheduled(other);
    await run();
    assert.equal((await world.postRow(id)).status, 'posted');
  });

  it('makes posts at risk whose slot lies within the block, told right away; readiness and preflight say it', async () => {
    const creator = await world.creator();
    const [soon, later] = [await world.post(creator), await world.post(creator)];
    await world.schedule(creator, soon, 5 * HOUR_MS);
    await world.schedule(creator, later, 30 * HOUR_MS);
    await lookAtSlots(world.app);
    await setBan(creator, true);
    await publish(creator.org, await world.post(creator), creator.accountId);
    await lookAtSlots(world.app);
    const told = (await eventsOf(creator.org)).filter(({ type }) => type === 'post.at_risk');
    assert.deepEqual(
      told.map(({ data }) => [data.post_id, ...(data.reasons ?? []).map(({ code }) => code)]),
      [[soon, 'account_blocked']],
    );
    const problemsOf = async (org: Organization, id: string) =>
      (await org.call('GET', `/api/v1/posts/${id}/preflight`)).json.data.problems.map(
        ({ code, field }: { code: string; field?: string }) => [code, field],
      );
    assert.deepEqual(await problemsOf(creator.org, soon), [['account_blocked', 'social_account_id']]);
    const { data } = await listPosts(creator.org, { include: 'readiness', status: 'scheduled' });
    const readiness = new Map(data.map(({ id, readiness }) => [id, readiness?.problems.map(({ code }) => code)]));
    assert.deepEqual([readiness.get(soon), readiness.get(later)], [['account_blocked'], []]);
  });

  it('has one row in what needs attention, with the cause and the time', async () => {
    const { org, ids, creator, accountId, username } = await banned(3);
    const rows = (await org.call('GET', '/api/v1/attention')).json.data;
    assert.equal(rows.length, 1);
    const { next_at, ...row } = rows[0];
    assert.deepEqual(row, {
      cause: 'account_blocked',
      account: { id: accountId, username },
      blocked_until: (await accountOf(creator)).blocked_until,
      count: 3,
      post_ids: ids,
      message: `${username}: the account is banned from posting. 3 posts wait.`,
    });
    assert.equal(next_at, (await readPost(org, ids[0] ?? '')).scheduled_at);
    const needing = await org.call('GET', '/api/v1/posts?needs_attention=true');
    assert.deepEqual(needing.json.data.map(({ id }: { id: string }) => id).sort(), [...ids].sort());
  });

  it('is held if the platform gives up on an accepted post for that reason; the post waits and goes out again', async () => {
    const creator = await world.creator();
    const fail_reason = 'spam_risk_too_many_posts';
    await world.platform.control('outcomes', { username: creator.username, status: 'FAILED', fail_reason });
    const id = await world.scheduled(creator);
    await run(1);
    await world.settle((await world.dispatchRow(id)).publish_id ?? '');
    assert.deepEqual(await world.standing(creator, id), ['scheduled', 'failed']);
    assertTold((await accountOf(creator)).block_reason, fail_reason);
    assert.equal((await readPost(creator.org, id)).posted_at, null);
    world.advance(DAY_MS + MINUTE_MS);
    await run();
    assert.equal((await world.postRow(id)).status, 'posted');
    assert.equal((await accountOf(creator)).blocked_until, null);
  });

  it('is told of by creator-info, which the platform refuses', async () => {
    const creator = await world.creator();
    await setBan(creator, true);
    const path = `/api/v1/social-accounts/${creator.accountId}/creator-info`;
    const answer = await creator.org.call('GET', path);
    assertProblem(answer, 503, 'account_blocked');
    assert.ok(answer.headers.has('retry-after'));
    await setBan(creator, false);
    await blockAccount(world.service, creator.accountId, HOUR_MS);
    const { data } = (await creator.org.call('GET', path)).json;
    const { blocked_until } = await world.accountRow(creator.accountId);
    assert.equal(data.blocked_until, at(blocked_until ?? 0));
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
    assert.deepEqual(await statuses(ids), ids.map(() => 'scheduled'));
    await repairSchedule(world.app);
    await run();
    assert.deepEqual(await statuses(ids), ids.map(() => 'posted'));
  });
});
