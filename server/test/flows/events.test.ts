// The events of publishing: one for each outcome that a member has to know of, and no others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { repairSchedule } from '../../src/publishing/attempt/repair.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import type { Organization } from '../support/service/harness.js';
import {
  archive,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
  resolve,
  setPost,
} from '../support/service/posts.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const PREPARED = ['post.created', 'account.connected', 'post.scheduled'];

onEngines('sqlite', 'The events of publishing', (engine) => {
  const world = useTidyWorld(engine);
  let names = 0;

  /** A post whose slot has come, with an account of its own. */
  async function duePost() {
    const username = `told.${engine}.${++names}`;
    const { org, accountId } = await world.creator(username);
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    return { org, accountId, username, id };
  }

  /** Without what a test prepares. */
  const attemptEvents = async (org: Organization) =>
    (await eventsOf(org)).filter(({ type }) => !PREPARED.includes(type));

  async function onlyOne(org: Organization) {
    const [event, ...more] = await attemptEvents(org);
    assert.ok(event, 'no event was recorded');
    assert.deepEqual(more, []);
    return event;
  }

  it('published: when the platform reports it, and not when it accepts the post', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const publish_id = await published(org, id, accountId);
    assert.deepEqual(await attemptEvents(org), []);
    await world.settle(publish_id);
    const { type, data } = await onlyOne(org);
    const { id: dispatch_id } = await onlyDispatch(org, id);
    assert.equal(type, 'post.published');
    assert.deepEqual(
      { ...data, post_url: null },
      {
        post_id: id,
        dispatch_id,
        social_account_id: accountId,
        platform: 'tiktok',
        outcome: 'published',
        publish_id,
        post_url: null,
      },
    );
  });

  it('published: delivered to the inbox', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await world.settle(await published(org, id, accountId, { mode: 'inbox' }));
    const { type, data } = await onlyOne(org);
    assert.deepEqual([type, data.outcome, data.post_id], ['post.published', 'in_inbox', id]);
  });

  it('publish_failed: refused, and the post waits for a member', async () => {
    const { org, accountId, id } = await duePost();
    await world.platform.control('faults', { on: 'init', kind: 'http_400' });
    await world.runOnce();
    const { type, data } = await onlyOne(org);
    const { id: dispatch_id, error_code, error_message } = await onlyDispatch(org, id);
    assert.equal(type, 'post.publish_failed');
    assert.deepEqual(data, {
      post_id: id,
      dispatch_id,
      social_account_id: accountId,
      platform: 'tiktok',
      error_code,
      error_message,
      post_status: 'draft',
      will_retry: false,
      retry_at: null,
    });
  });

  it('publish_failed: a retry follows, and says when', async () => {
    const { org, id } = await duePost();
    await world.platform.control('faults', { on: 'init', kind: 'reset_before' });
    await world.runOnce();
    const { type, data } = await onlyOne(org);
    assert.equal(type, 'post.publish_failed');
    assert.deepEqual([data.post_status, data.will_retry], ['scheduled', true]);
    assert.ok(Date.parse(data.retry_at ?? '') > world.service.clock.now());
    world.advance(10 * MINUTE_MS);
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'posted');
    assert.equal((await attemptEvents(org)).length, 1, 'a retry that is accepted tells nothing yet');
  });

  it('publish_failed: the platform fails after it had accepted', async () => {
    const { org, accountId } = await world.creator();
    const { username } = await world.service.app.db.read
      .selectFrom('social_accounts')
      .select('username')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    await world.platform.control('outcomes', {
      username,
      status: 'FAILED',
      fail_reason: 'file_format_check_failed',
    });
    const id = await readyPost(org);
    await world.settle(await published(org, id, accountId));
    const { type, data } = await onlyOne(org);
    assert.deepEqual(
      [type, data.error_code, data.post_status, data.will_retry],
      ['post.publish_failed', 'file_format_check_failed', 'draft', false],
    );
  });

  it('publish_failed: the slot was missed, without an attempt', async () => {
    const { org, accountId, id } = await duePost();
    world.advance(7 * HOUR_MS);
    await world.runOnce();
    const { type, data } = await onlyOne(org);
    assert.deepEqual(
      [type, data.post_id, data.dispatch_id, data.social_account_id, data.error_code, data.will_retry],
      ['post.publish_failed', id, null, accountId, 'slot_missed', false],
    );
  });

  it('publish_failed: each post that waits for its account, once', async () => {
    const { org, accountId, id } = await duePost();
    await world.service.app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({ status: 'reconnect_required' })
        .where('id', '=', accountId)
        .execute(),
    );
    await world.runOnce();
    await world.runOnce();
    const { type, data } = await onlyOne(org);
    assert.deepEqual(
      [type, data.post_id, data.error_code, data.post_status, data.will_retry],
      ['post.publish_failed', id, 'reconnect_required', 'scheduled', false],
    );
  });

  it('publish_failed: an attempt that was lost', async () => {
    const org = await world.service.newOrganization();
    const id = await org.addPost();
    await setPost(world.service, id, { status: 'publishing' });
    await repairSchedule(world.service.app);
    const { type, data } = await onlyOne(org);
    assert.deepEqual([type, data.post_id, data.error_code], ['post.publish_failed', id, 'attempt_lost']);
  });

  it('no event: the response to publish-now already said that nothing was taken', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await world.platform.control('faults', { on: 'init', kind: 'reset_before' });
    assert.equal((await publish(org, id, accountId)).status, 503);
    assert.deepEqual(await attemptEvents(org), []);
  });

  it('outcome_unknown, and then the outcome that a member enters', async () => {
    for (const [resolution, type] of [
      ['posted', 'post.published'],
      ['not_posted', 'post.publish_failed'],
    ] as const) {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org);
      await world.loseAnswerAfterFetch();
      assert.equal((await publish(org, id, accountId)).status, 504);
      const { type: first, data } = await onlyOne(org);
      const { id: dispatch_id, error_code } = await onlyDispatch(org, id);
      assert.equal(first, 'post.outcome_unknown');
      assert.deepEqual([data.post_id, data.dispatch_id, data.error_code], [id, dispatch_id, error_code]);
      assert.equal((await resolve(org, id, resolution)).status, 200);
      const [, second, ...more] = await attemptEvents(org);
      assert.deepEqual(more, []);
      assert.deepEqual([second?.type, second?.data.dispatch_id], [type, dispatch_id]);
    }
  });

  it('archived meanwhile: the event still comes, and nothing is retried', async () => {
    const { org, id } = await duePost();
    await world.platform.control('faults', { on: 'init', kind: 'reset_before' });
    const { reached, release } = world.scripted.stopBeforeInit();
    const round = world.engine.publish();
    await reached;
    await archive(org, id);
    release();
    await round;
    await world.engine.idle();
    const { type, data } = await onlyOne(org);
    assert.deepEqual([type, data.post_status, data.will_retry], ['post.publish_failed', 'archived', false]);
  });

  it('account.disconnected: the platform no longer accepts the grant', async () => {
    const { org, accountId, username } = await duePost();
    await world.platform.control('remove_authorization', { username });
    await world.runOnce();
    const [lost, failed, ...more] = await attemptEvents(org);
    assert.deepEqual(more, []);
    assert.deepEqual([lost?.type, failed?.type], ['account.disconnected', 'post.publish_failed']);
    const { data } = lost as { data: { account_status?: string; social_account_id?: string } };
    assert.deepEqual([data.social_account_id, data.account_status], [accountId, 'reconnect_required']);
  });
});
