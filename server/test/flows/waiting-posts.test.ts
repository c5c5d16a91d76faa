// Scheduled posts whose account has lost its grant: they wait, and are published once the account is reconnected.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { repairSchedule } from '../../src/publishing/attempt/repair.js';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  assertProblem,
  assertTold,
  changePost,
  dispatchesOf,
  onlyDispatch,
  publish,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'A scheduled post whose account must be reconnected', (engine) => {
  const world = useTidyWorld(engine);
  let names = 0;

  /** The grant is removed before the slot, and the engine has noticed. */
  async function heldPost(fields: Parameters<typeof changePost>[2] = {}) {
    const username = `held.${engine}.${++names}`;
    const { org, accountId } = await world.creator(username);
    const id = await world.scheduledPost(org, accountId, 'slides', fields);
    await world.platform.control('remove_authorization', { username });
    world.advance(HOUR_MS);
    await world.runOnce();
    return { org, accountId, username, id };
  }

  for (const publish_mode of ['direct', 'inbox'] as const)
    it(`stays scheduled and waits, and its attempt has failed (${publish_mode})`, async () => {
      const { org, accountId, id } = await heldPost({ publish_mode });
      const post = await readPost(org, id);
      assert.deepEqual([post.status, post.publish_retries, post.posted_at], ['scheduled', 0, null]);
      const dispatch = await onlyDispatch(org, id);
      assert.equal(dispatch.outcome, 'failed');
      assertTold(post.last_publish_error, dispatch.error_code ?? '');
      const { data } = (await org.call('GET', '/api/v1/social-accounts')).json;
      assert.equal(data[0].status, 'reconnect_required');
      world.advance(2 * HOUR_MS);
      await world.runOnce();
      await onlyDispatch(org, id);
      assert.deepEqual(await world.publishesOf(accountId), []);
    });

  it('is published at once when the account is reconnected, without a trace of the error', async () => {
    const { org, accountId, username, id } = await heldPost();
    world.advance(HOUR_MS);
    assert.equal(await org.connectAccount(username), accountId);
    const back = await readPost(org, id);
    assert.deepEqual([back.status, back.last_publish_error], ['scheduled', null]);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.publish_retries], ['posted', 0]);
    const [dispatch, ...earlier] = await dispatchesOf(org, id);
    assert.deepEqual([dispatch?.outcome, dispatch?.trigger, earlier.length], ['accepted', 'schedule', 1]);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('is missed if no member reconnects the account in time', async () => {
    const { org, accountId, username, id } = await heldPost();
    world.advance(5.9 * HOUR_MS);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'scheduled');
    world.advance(0.2 * HOUR_MS);
    for (let i = 0; i < 2; i++) await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at], ['draft', null]);
    assertTold(post.last_publish_error, 'slot_missed');
    await org.connectAccount(username);
    world.advance(HOUR_MS);
    await world.runOnce();
    await onlyDispatch(org, id);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('waits without another attempt if the account is already known to need reconnecting', async () => {
    const { org, accountId, username } = await heldPost();
    const id = await readyPost(org);
    // It was scheduled while the account was connected; its slot comes now.
    await org.connectAccount(username);
    await world.runOnce();
    const slot = new Date(world.service.clock.now() + HOUR_MS).toISOString();
    await changePost(org, id, {
      status: 'scheduled',
      scheduled_at: slot,
      social_account_id: accountId,
      privacy_level: 'SELF_ONLY',
    });
    await world.platform.control('remove_authorization', { username });
    const now = await readyPost(org);
    assertProblem(await publish(org, now, accountId), 409, 'reconnect_required');
    world.advance(HOUR_MS);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.equal(post.status, 'scheduled');
    assert.match(post.last_publish_error ?? '', /^The post waits for its account\. .*\([\w.]+\)$/);
    assert.deepEqual(await dispatchesOf(org, id), []);
    await org.connectAccount(username);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'posted');
  });

  it('is published through another account, if a member chooses a connected one', async () => {
    const { org, id } = await heldPost();
    const other = await org.connectAccount();
    await changePost(org, id, { social_account_id: other });
    assert.equal((await readPost(org, id)).last_publish_error, null);
    world.advance(MINUTE_MS);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'posted');
    assert.equal((await world.publishesOf(other)).length, 1);
  });

  it('does not wait longer because its text is edited', async () => {
    const { org, accountId, id } = await heldPost();
    await changePost(org, id, { caption: 'Other maps', social_account_id: accountId });
    world.advance(MINUTE_MS);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.equal(post.status, 'scheduled');
    assert.notEqual(post.last_publish_error, null);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('of an account that was disconnected waits too, and is missed in the end', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    assert.equal((await org.call('DELETE', `/api/v1/social-accounts/${accountId}`)).status, 204);
    world.advance(HOUR_MS);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.equal(post.status, 'scheduled');
    assert.match(post.last_publish_error ?? '', /\(reconnect_required\)$/);
    assert.deepEqual(await dispatchesOf(org, id), []);
    world.advance(7 * HOUR_MS);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  it('keeps waiting when the repair job runs, which finds nothing to repair', async () => {
    const { org, id } = await heldPost();
    await repairSchedule(world.service.app);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'scheduled');
    await onlyDispatch(org, id);
  });
});
