// A post that is archived, or deleted, while an attempt is under way.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import {
  analyticsOf,
  archive,
  assertProblem,
  assertTold,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
  unarchive,
} from '../support/service/posts.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'Archiving while an attempt is under way', (engine) => {
  const world = useTidyWorld(engine);

  /** An attempt that has started and is about to send its init. */
  async function underWay(type: 'slides' | 'video' = 'slides') {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, type);
    const init = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await init.reached;
    return { org, accountId, id, init, answer };
  }

  it('settles the attempt: accepted, with posted_at; the post stays archived and is restored as posted', async () => {
    const { org, id, init, answer } = await underWay();
    assert.deepEqual(await archive(org, id), { archived: 1 });
    init.release();
    const { status, json } = await answer;
    assert.equal(status, 200);
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at !== null], ['archived', true]);
    await world.settle(json.data.publish_id);
    assert.equal((await onlyDispatch(org, id)).outcome, 'published');
    assert.equal((await readPost(org, id)).status, 'archived');
    assert.equal((await analyticsOf(org)).published, 1);
    assert.deepEqual(await unarchive(org, id), { unarchived: 1 });
    assert.equal((await readPost(org, id)).status, 'posted');
  });

  it('sends the bytes of a video that was accepted', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video');
    const publishId = await published(org, id, accountId);
    await archive(org, id);
    await world.settle(publishId);
    assert.equal((await onlyDispatch(org, id)).outcome, 'published');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at !== null], ['archived', true]);
  });

  it('never retries: a post the platform did not take stays archived, and is restored as a draft', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    const init = world.scripted.stopBeforeInit();
    await world.engine.publish();
    await init.reached;
    await archive(org, id);
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    init.release();
    await world.engine.idle();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at, post.publish_retries], ['archived', null, 0]);
    assertTold(post.last_publish_error, 'rate_limit_exceeded');
    assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
    world.advance(HOUR_MS);
    await world.runOnce();
    await onlyDispatch(org, id);
    assert.deepEqual(await world.publishesOf(accountId), []);
    await unarchive(org, id);
    assert.equal((await readPost(org, id)).status, 'draft');
    world.advance(HOUR_MS);
    await world.runOnce();
    await onlyDispatch(org, id);
  });

  it('never retries a post that the platform fails later, and clears posted_at', async () => {
    const username = `archived.${engine}`;
    const { org, accountId } = await world.creator(username);
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    await world.platform.control('outcomes', { username, status: 'FAILED', fail_reason: 'internal' });
    await world.runOnce();
    await archive(org, id);
    await world.settle((await onlyDispatch(org, id)).publish_id ?? '');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at, post.publish_retries], ['archived', null, 0]);
    assertTold(post.last_publish_error, 'internal');
    world.advance(HOUR_MS);
    await world.runOnce();
    assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
    assert.equal((await analyticsOf(org)).published, 0);
    await unarchive(org, id);
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  it('is restored to publishing while the attempt is open, and to posted when it is accepted', async () => {
    const { org, id, init, answer } = await underWay();
    await archive(org, id);
    await unarchive(org, id);
    assert.equal((await readPost(org, id)).status, 'publishing');
    init.release();
    assert.equal((await answer).status, 200);
    assert.equal((await readPost(org, id)).status, 'posted');
  });

  it('is restored to publishing while the outcome is unknown', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await world.loseAnswerAfterFetch();
    const init = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await init.reached;
    await archive(org, id);
    init.release();
    assertProblem(await answer, 504, 'platform_timeout');
    const post = await readPost(org, id);
    assert.equal(post.status, 'archived');
    assertTold(post.last_publish_error, 'no_answer');
    await unarchive(org, id);
    assert.equal((await readPost(org, id)).status, 'publishing');
    assertProblem(await publish(org, id, accountId), 409, 'wrong_state');
  });

  it('a publish-now that the platform did not take is 503, and the archived post stays archived', async () => {
    const { org, id, init, answer } = await underWay();
    await archive(org, id);
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    init.release();
    assertProblem(await answer, 503, 'platform_unavailable');
    assert.equal((await readPost(org, id)).status, 'archived');
    await unarchive(org, id);
    assert.equal((await readPost(org, id)).status, 'draft');
  });
});

onEngines('sqlite', 'Deleting while an attempt is under way', (engine) => {
  // Long enough that no heartbeat comes in between.
  const world = useTidyWorld(engine, { env: { PUBLISH_LEASE_SECONDS: '3600' } });
  const pathOf = (id: string) => `/api/v1/posts/${id}`;

  it('is 409 publish_in_progress with Retry-After while a worker is sending the attempt', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const init = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await init.reached;
    assertProblem(await org.call('DELETE', pathOf(id)), 409, 'wrong_state');
    await archive(org, id);
    const refused = await org.call('DELETE', pathOf(id));
    assertProblem(refused, 409, 'publish_in_progress');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    init.release();
    assert.equal((await answer).status, 200);
    assert.equal((await org.call('DELETE', pathOf(id))).status, 204);
  });

  for (const type of ['slides', 'video'] as const)
    it(`of ${type} is allowed after acceptance, and ends the polling`, async () => {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org, type);
      await published(org, id, accountId);
      await archive(org, id);
      assert.equal((await org.call('DELETE', pathOf(id))).status, 204);
      assertProblem(await org.call('GET', pathOf(id)), 404, 'not_found');
      world.advance(MINUTE_MS);
      await world.runOnce();
      const rows = await world.service.app.db.read
        .selectFrom('dispatches')
        .select('id')
        .where('org_id', '=', org.id)
        .execute();
      assert.deepEqual(rows, []);
      const { total_posts, total_dispatches } = await analyticsOf(org);
      assert.deepEqual([total_posts, total_dispatches], [0, 0]);
    });

  it('of slides revokes their URLs at once', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await published(org, id, accountId);
    const { nonce } = await world.dispatchRow(id);
    await archive(org, id);
    assert.equal((await org.call('DELETE', pathOf(id))).status, 204);
    assertProblem(await world.service.request('GET', `/media/${nonce}/1.jpg`), 404, 'not_found');
  });

  it('is allowed once the lease of a dead process has expired', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const init = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await init.reached;
    await archive(org, id);
    world.advance(world.service.app.config.publishing.leaseMs + 1);
    assert.equal((await org.call('DELETE', pathOf(id))).status, 204);
    init.release();
    // The platform may have taken it, but there is nothing left to fetch, and no post left to update.
    assertProblem(await answer, 404, 'not_found');
    assertProblem(await org.call('GET', pathOf(id)), 404, 'not_found');
    await until('the platform has given up', async () => {
      const taken = await world.publishesOf(accountId);
      return taken.every(({ status }) => status === 'FAILED');
    });
  });
});
