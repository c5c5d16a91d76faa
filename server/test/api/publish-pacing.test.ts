import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  assertProblem,
  at,
  changePost,
  dispatchesOf,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'Pacing by the minute', (engine) => {
  const world = useTidyWorld(engine, { env: { SOCIAL_INITS_PER_MINUTE: '2' } });

  it('limits how many posts an account starts in a minute: the next is 503 with Retry-After, without an attempt or a change', async () => {
    const { org, accountId } = await world.creator();
    for (let i = 0; i < 2; i++) await published(org, await readyPost(org), accountId);
    const id = await readyPost(org);
    const before = await readPost(org, id);
    const answer = await publish(org, id, accountId);
    assertProblem(answer, 503, 'account_paced');
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, String(wait));
    assert.deepEqual([await readPost(org, id), await dispatchesOf(org, id)], [before, []]);
    world.advance(wait * 1_000);
    await published(org, id, accountId);
  });

  it('does not count attempts of the time before the clock was set back', async () => {
    const { org, accountId } = await world.creator();
    for (let i = 0; i < 2; i++) await published(org, await readyPost(org), accountId);
    const { clock } = world.service;
    clock.advance(-2 * HOUR_MS);
    try {
      await published(org, await readyPost(org), accountId);
    } finally {
      clock.advance(2 * HOUR_MS);
    }
  });

  it('counts failed attempts, because the platform counts them too', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await world.platform.control('faults', { on: 'init', kind: 'http_500', times: 2 });
    for (let i = 0; i < 2; i++) assertProblem(await publish(org, id, accountId), 503, 'platform_unavailable');
    assert.equal((await dispatchesOf(org, id)).length, 2);
    assertProblem(await publish(org, id, accountId), 503, 'account_paced');
    assert.equal((await dispatchesOf(org, id)).length, 2);
  });

  it('is not kept by an Idempotency-Key: the same request succeeds when the minute is over', async () => {
    const { org, accountId } = await world.creator();
    for (let i = 0; i < 2; i++) await published(org, await readyPost(org), accountId);
    const id = await readyPost(org);
    const again = () => publish(org, id, accountId, {}, { 'idempotency-key': id });
    assertProblem(await again(), 503, 'account_paced');
    assertProblem(await again(), 503, 'account_paced');
    world.advance(MINUTE_MS);
    const answer = await again();
    assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [200, null]);
    assert.equal((await again()).headers.get('idempotency-replayed'), 'true');
    assert.equal((await world.publishesOf(accountId)).length, 3);
  });

  it('lets scheduled posts wait in scheduled, without counting that as a retry, and sends them one after the other', async () => {
    const { org, accountId } = await world.creator();
    const slot = { scheduled_at: at(world.service.clock.now() + HOUR_MS) };
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await world.scheduledPost(org, accountId, 'slides', slot));
    const count = async (status: string) => {
      const posts = await Promise.all(ids.map((id) => readPost(org, id)));
      for (const post of posts) assert.deepEqual([post.publish_retries, post.last_publish_error], [0, null]);
      return posts.filter((post) => post.status === status).length;
    };
    world.advance(HOUR_MS);
    for (const [posted, scheduled] of [
      [2, 3],
      [4, 1],
      [5, 0],
    ]) {
      await world.runOnce();
      await world.runOnce();
      assert.deepEqual([await count('posted'), await count('scheduled')], [posted, scheduled]);
      world.advance(MINUTE_MS);
    }
    for (const id of ids) assert.equal((await onlyDispatch(org, id)).trigger, 'schedule');
  });

  it('of a busy account never delays another', async () => {
    const { org, accountId } = await world.creator();
    const other = await org.connectAccount();
    const slot = { scheduled_at: at(world.service.clock.now() + HOUR_MS) };
    for (let i = 0; i < 6; i++) await world.scheduledPost(org, accountId, 'slides', slot);
    const id = await world.scheduledPost(org, other);
    await changePost(org, id, { scheduled_at: at(world.service.clock.now() + HOUR_MS + 1_000) });
    world.advance(HOUR_MS + 2_000);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'posted');
    assert.equal((await world.publishesOf(accountId)).length, 2);
    assert.equal((await publish(org, await readyPost(org), accountId)).status, 503);
    await published(org, await readyPost(org), other);
  });
});

onEngines('sqlite', 'Pacing by the day', (engine) => {
  const world = useTidyWorld(engine, { env: { SOCIAL_POSTS_PER_DAY: '1' } });

  it('limits the posts of an account in 24 hours; failed ones do not count', async () => {
    const { org, accountId } = await world.creator();
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    const first = await readyPost(org);
    assert.equal((await publish(org, first, accountId)).status, 503);
    await published(org, first, accountId);
    const id = await readyPost(org);
    const answer = await publish(org, id, accountId);
    assertProblem(answer, 503, 'account_paced');
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait > 23 * 3_600 && wait <= 86_400, String(wait));
    world.advance(wait * 1_000);
    await published(org, id, accountId);
  });

  it('lets a scheduled post wait for the next day, or miss its slot if that is too late', async () => {
    const { org, accountId } = await world.creator();
    await published(org, await readyPost(org), accountId);
    const soon = await world.scheduledPost(org, accountId);
    const late = await world.scheduledPost(org, accountId, 'slides', {
      scheduled_at: at(world.service.clock.now() + 20 * HOUR_MS),
    });
    for (let hour = 0; hour < 23; hour++) {
      world.advance(HOUR_MS);
      await world.runOnce();
    }
    for (const id of [soon, late]) assert.deepEqual(await dispatchesOf(org, id), []);
    assert.equal((await readPost(org, late)).status, 'scheduled');
    world.advance(HOUR_MS);
    await world.runOnce();
    const missed = await readPost(org, soon);
    assert.equal(missed.status, 'draft');
    assert.match(missed.last_publish_error ?? '', /\(slot_missed\)$/);
    assert.equal((await readPost(org, late)).status, 'posted');
  });
});
