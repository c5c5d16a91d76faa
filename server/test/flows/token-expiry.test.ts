// The access of an account ends in the middle: at each call, because its token expired or the creator removed the grant.
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import type { Connector } from '../../src/connectors/connector.js';
import { SlideProxy } from '../support/platform/slide-proxy.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { assertProblem } from '../support/service/posts.js';
import { onEachCall } from '../support/world/killable-worker.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

/** The calls at which access can end, and the type of post that makes them. */
const CALLS = [
  ['creator', 'slides'],
  ['submit', 'slides'],
  ['prepare', 'video'],
  ['sendChunk', 'video'],
  ['observe', 'slides'],
  ['observe', 'video'],
] as const satisfies [keyof Connector, string][];

onEngines('sqlite', 'Access that ends', (engine) => {
  /** Happens once, right before this call. */
  let before: { call: keyof Connector; act: () => Promise<unknown> } | null = null;
  const calls: (keyof Connector)[] = [];
  const world = useWorld(engine, {
    connector: (real) =>
      onEachCall(real, (call, given, name) => {
        calls.push(name);
        if (before?.call !== name) return call(...given);
        const { act } = before;
        before = null;
        return act().then(() => call(...given));
      }),
  });
  const gate = new SlideProxy(world);
  afterEach(() => {
    before = null;
  });

  const expire = ({ username }: Creator) => world.platform.control('expire_tokens', { username });
  const remove = ({ username }: Creator) => world.platform.control('remove_authorization', { username });
  const accountOf = async ({ org, accountId }: Creator) => {
    const { json } = await org.call('GET', '/api/v1/social-accounts');
    return json.data.find(({ id }: { id: string }) => id === accountId);
  };

  for (const [call, type] of CALLS)
    for (const trigger of everyday(1, ['schedule', 'now'] as const, `${call} of ${type}`))
      it(`by expiry before ${call} of ${type}, ${trigger}: renewed once, published once`, async () => {
        const creator = await world.creator();
        const id = await world.post(creator, type);
        calls.length = 0;
        before = { call, act: () => expire(creator) };
        if (trigger === 'schedule') await world.schedule(creator, id);
        else assert.equal((await world.publishNow(creator, id)).status, 200);
        await world.finish(creator);
        assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
        assert.equal((await world.acceptedInits(creator.username)).length, 1);
        assert.equal(calls.filter((name) => name === 'renew').length, 1);
        assert.equal((await accountOf(creator)).status, 'connected');
      });

  it('by expiry at every poll while the platform processes the post: the same publish_id is polled, and nothing is sent', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    const open = gate.closeFor(world.app);
    await world.runOnce();
    const [accepted] = await world.attempts(id);
    calls.length = 0;
    for (let poll = 0; poll < 5; poll++) {
      await expire(creator);
      world.advance(STEP_MS);
      await world.runOnce();
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    }
    assert.deepEqual(new Set(calls), new Set(['observe', 'renew']));
    open();
    gate.isOpen = true;
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    assert.deepEqual(
      (await world.acceptedInits(creator.username)).map(({ publish_id }) => publish_id),
      [accepted?.publish_id],
    );
  });

  it('by expiry at publish-status: renewed, and the response is true', async () => {
    const creator = await world.creator();
    const id = await world.post(creator);
    const { json } = await world.publishNow(creator, id);
    await world.waitForPlatform(creator.username);
    await expire(creator);
    world.advance(6_000);
    const { json: status } = await creator.org.call('GET', `/api/v1/posts/${id}/publish-status`);
    assert.deepEqual([status.data.status, status.data.publish_id], ['published', json.data.publish_id]);
    assert.equal((await world.acceptedInits(creator.username)).length, 1);
  });

  /** A second post of the same account whose slot comes while access is gone: it waits and says so, and is published later. */
  async function assertHeldUntilReconnected(creator: Creator, other: string) {
    world.advance(11 * 60_000);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, other), ['scheduled']);
    assert.match(String(await world.errorOf(creator, other)), /waits for its account.*\(\w+\)$/);
    const { status, status_reason } = await accountOf(creator);
    assert.equal(status, 'reconnect_required');
    assert.ok(status_reason);
    await creator.org.connectAccount(creator.username);
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, other), ['posted', 'published']);
    assert.equal((await accountOf(creator)).status, 'connected', 'and stays so');
  }

  for (const [call, type] of CALLS.slice(0, 3))
    it(`by the creator before ${call} of ${type}: scheduled posts wait, and are published after reconnecting`, async () => {
      const creator = await world.creator();
      const other = await world.post(creator, type);
      await world.schedule(creator, other, 10 * 60_000);
      const id = await world.scheduled(creator, type);
      before = { call, act: () => remove(creator) };
      await world.runOnce();
      assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
      assert.match(String(await world.errorOf(creator, id)), /Reconnect it \(invalid_grant\)$/);
      await assertHeldUntilReconnected(creator, other);
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'failed', 'published']);
      assert.equal((await world.acceptedInits(creator.username)).length, 2, 'each was sent once');
    });

  for (const [call, type] of CALLS.slice(0, 3))
    it(`by the creator before ${call} of ${type}, now: 409, and the post is as before`, async () => {
      const creator = await world.creator();
      const id = await world.post(creator, type);
      before = { call, act: () => remove(creator) };
      assertProblem(await world.publishNow(creator, id), 409, 'reconnect_required');
      assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
      assertProblem(await world.publishNow(creator, id), 409, 'reconnect_required');
      await creator.org.connectAccount(creator.username);
      assert.equal((await world.publishNow(creator, id)).status, 200);
      await world.finish(creator);
      assert.equal((await world.live(creator.username)).length, 1);
    });

  it('by the creator between init and the first byte: the attempt keeps its id, and is not started again', async () => {
    const creator = await world.creator();
    const other = await world.post(creator);
    await world.schedule(creator, other, 10 * 60_000);
    const id = await world.scheduled(creator, 'video');
    before = { call: 'sendChunk', act: () => remove(creator) };
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    const [first] = await world.acceptedInits(creator.username);
    await assertHeldUntilReconnected(creator, other);
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    assert.match(String(await world.errorOf(creator, id)), /\(auth_removed\)$/);
    const [attempt] = await world.attempts(id);
    assert.equal(attempt?.publish_id, first?.publish_id);
    assert.equal((await world.acceptedInits(creator.username)).length, 2, 'its init and that of the other');
  });

  it('by the creator while the platform fetches: the attempt keeps its id, and is not started again', async () => {
    const creator = await world.creator();
    const other = await world.post(creator);
    await world.schedule(creator, other, 10 * 60_000);
    const id = await world.scheduled(creator);
    const open = gate.closeFor(world.app);
    await world.runOnce();
    open();
    before = { call: 'observe', act: () => remove(creator) };
    world.advance(STEP_MS);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    await assertHeldUntilReconnected(creator, other);
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    assert.deepEqual(
      (await world.acceptedInits(creator.username)).map(({ status }) => status),
      ['FAILED', 'PUBLISH_COMPLETE'],
    );
  });

  for (const asked of ['the worker', 'publish-status'] as const)
    it(`by the creator after the post went online, polled by ${asked}: known once the account is reconnected`, async () => {
      const creator = await world.creator();
      const other = await world.post(creator);
      await world.schedule(creator, other, 10 * 60_000);
      const id = await world.scheduled(creator);
      await world.engine.publish();
      await world.engine.idle();
      await world.waitForPlatform(creator.username);
      before = { call: 'observe', act: () => remove(creator) };
      world.advance(STEP_MS);
      if (asked === 'the worker') await world.runOnce();
      else {
        const { status, json } = await creator.org.call('GET', `/api/v1/posts/${id}/publish-status`);
        assert.deepEqual([status, json.data.status], [200, 'processing'], 'what was known last');
      }
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
      await assertHeldUntilReconnected(creator, other);
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
      assert.equal((await world.acceptedInits(creator.username)).length, 2);
    });

  it('for longer than a late slot is still published: the waiting post is missed, and says why', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    await remove(creator);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
    world.advance(6 * 3_600_000 + STEP_MS);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    assert.match(String(await world.errorOf(creator, id)), /missed.*\(slot_missed\)$/);
    assert.deepEqual(await world.acceptedInits(creator.username), []);
  });

  it('and never comes back: after a day the outcome of an accepted post is unknown, and a member can resolve it', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    await world.engine.publish();
    await world.engine.idle();
    await world.waitForPlatform(creator.username);
    await remove(creator);
    for (const hours of [0, 1, 24]) {
      world.advance(hours * 3_600_000 + STEP_MS);
      await world.runOnce();
    }
    assert.deepEqual(await world.outcomesOf(creator, id), ['publishing', 'unknown']);
    assert.match(String(await world.errorOf(creator, id)), /^The outcome is unknown: /);
    const answer = await creator.org.call('POST', `/api/v1/posts/${id}/resolve`, { outcome: 'posted' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
  });
});
