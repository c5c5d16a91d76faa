// What callers see of an account that the platform has blocked, and who can say that it may be over.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkUpcomingPosts } from '../../src/publishing/schedule/at-risk.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import type { Organization } from '../support/service/harness.js';
import {
  assertProblem,
  at,
  blockAccount,
  listPosts,
  onlyDispatch,
  publish,
  readPost,
} from '../support/service/posts.js';
import { BANNED, BLOCK_ENV, blocksIn } from '../support/world/blocked-account.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;

onEngines('sqlite', 'A blocked account, as callers see it', (engine) => {
  const world = useTidyWorld(engine, { env: BLOCK_ENV });
  const { accountOf, banned, run, setBan, unblock } = blocksIn(world);

  it('tells of each post that waits, once, with the time of the next try', async () => {
    const { org, creator, ids } = await banned();
    await run(3);
    const until = (await accountOf(creator)).blocked_until;
    const failed = (await eventsOf(org)).filter(({ type }) => type === 'post.publish_failed');
    assert.deepEqual(failed.map(({ data }) => data.post_id).sort(), [...ids].sort());
    for (const { data } of failed)
      assert.deepEqual([data.post_status, data.will_retry, data.retry_at], ['scheduled', true, until]);
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

  it('makes posts at risk whose slot lies within the block, told right away; readiness and preflight say it', async () => {
    const creator = await world.creator();
    const [soon, later] = [await world.post(creator), await world.post(creator)];
    await world.schedule(creator, soon, 5 * HOUR_MS);
    await world.schedule(creator, later, 30 * HOUR_MS);
    await checkUpcomingPosts(world.app);
    await setBan(creator, true);
    await publish(creator.org, await world.post(creator), creator.accountId);
    await checkUpcomingPosts(world.app);
    const risks = (await eventsOf(creator.org)).filter(({ type }) => type === 'post.at_risk');
    assert.deepEqual(
      risks.map(({ data }) => [data.post_id, ...(data.problems ?? []).map(({ code }) => code)]),
      [[soon, 'account_blocked']],
    );
    const problemsOf = async (org: Organization, id: string) =>
      (await org.sdk.posts.preflight(id)).problems.map(({ code, pointer }) => [code, pointer]);
    assert.deepEqual(await problemsOf(creator.org, soon), [['account_blocked', '/social_account_id']]);
    const { data } = await listPosts(creator.org, { include: 'readiness', status: 'scheduled' });
    const readiness = new Map(
      data.map(({ id, readiness }) => [id, readiness?.problems.map(({ code }) => code)]),
    );
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
});
