// The contract's table of outcomes for scheduled posts, row by row.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import {
  analyticsOf,
  assertTold,
  at,
  changePost,
  dispatchesOf,
  onlyDispatch,
  published,
  publishStatusOf,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const BACKOFF_MS = 30_000;

onEngines('sqlite', 'The outcome of a scheduled post', (engine) => {
  const world = useTidyWorld(engine);
  let names = 0;

  /** A post whose slot has come, with an account of its own. */
  async function duePost(type: 'slides' | 'video' = 'slides', fields: Parameters<typeof changePost>[2] = {}) {
    const username = `due.${engine}.${++names}`;
    const { org, accountId } = await world.creator(username);
    const id = await world.scheduledPost(org, accountId, type, fields);
    world.advance(HOUR_MS);
    return { org, accountId, username, id };
  }

  it('refused at once: a draft that says why, and no retry', async () => {
    const { org, id } = await duePost();
    await world.platform.control('faults', { on: 'init', kind: 'http_400' });
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at, post.publish_retries], ['draft', null, 0]);
    assertTold(post.last_publish_error, 'invalid_params');
    assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
  });

  it('no_media at its time: the attempt fails and the post returns to draft', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    await changePost(org, id, {
      status: 'scheduled',
      scheduled_at: at(world.service.clock.now() + HOUR_MS),
      social_account_id: accountId,
      privacy_level: 'SELF_ONLY',
    });
    world.advance(HOUR_MS);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at], ['draft', null]);
    assertTold(post.last_publish_error, 'no_media');
    const { outcome, error_code, publish_id } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, error_code, publish_id], ['failed', 'no_media', null]);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('a problem that preflight would have found: failed, draft, and nothing is sent', async () => {
    const { org, accountId, id } = await duePost('video', { caption: 'a'.repeat(2_200) });
    await world.runOnce();
    const post = await readPost(org, id);
    assert.equal(post.status, 'draft');
    assertTold(post.last_publish_error, 'caption_too_long');
    assert.equal((await onlyDispatch(org, id)).error_code, 'caption_too_long');
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('a permanent failure that the platform reports later: draft, posted_at cleared', async () => {
    const { org, accountId, username, id } = await duePost();
    await world.platform.control('outcomes', { username, status: 'FAILED', fail_reason: 'spam_risk_text' });
    await world.runOnce();
    const accepted = await onlyDispatch(org, id);
    assert.deepEqual([accepted.outcome, (await readPost(org, id)).status], ['accepted', 'posted']);
    await world.settle(accepted.publish_id ?? '');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at, post.scheduled_at], ['draft', null, null]);
    assertTold(post.last_publish_error, 'spam_risk_text');
    const { outcome, social_status, error_code } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, social_status, error_code], ['failed', 'FAILED', 'spam_risk_text']);
    const { published: posts, successful_dispatches } = await analyticsOf(org);
    assert.deepEqual([posts, successful_dispatches], [0, 0]);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('a transient failure that the platform reports later: retried, and published', async () => {
    const { org, accountId, username, id } = await duePost();
    await world.platform.control('outcomes', { username, status: 'FAILED', fail_reason: 'internal' });
    await world.runOnce();
    await world.settle((await onlyDispatch(org, id)).publish_id ?? '');
    const waiting = await readPost(org, id);
    assert.deepEqual([waiting.status, waiting.posted_at, waiting.publish_retries], ['scheduled', null, 1]);
    assertTold(waiting.last_publish_error, 'internal');
    await world.runOnce();
    assert.equal((await dispatchesOf(org, id)).length, 1);
    world.advance(2 * BACKOFF_MS);
    await world.runOnce();
    const [retry] = await dispatchesOf(org, id);
    assert.deepEqual([retry?.trigger, retry?.attempt, retry?.outcome], ['retry', 2, 'accepted']);
    await world.settle(retry?.publish_id ?? '');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.last_publish_error], ['posted', null]);
    const statuses = (await world.publishesOf(accountId)).map(({ status }) => status);
    assert.deepEqual(statuses, ['FAILED', 'PUBLISH_COMPLETE']);
    const { total_dispatches, successful_dispatches, success_rate } = await analyticsOf(org);
    assert.deepEqual([total_dispatches, successful_dispatches, success_rate], [2, 1, 50]);
  });

  it('the same for a publish-now goes back to draft: only scheduled posts are retried', async () => {
    const username = `now.${engine}`;
    const { org, accountId } = await world.creator(username);
    const id = await readyPost(org);
    await world.platform.control('outcomes', { username, status: 'FAILED', fail_reason: 'internal' });
    await world.settle(await published(org, id, accountId));
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at, post.publish_retries], ['draft', null, 0]);
    assertTold(post.last_publish_error, 'internal');
  });

  for (const fault of [
    { on: 'creator_info', kind: 'http_500' },
    { on: 'init', kind: 'http_429' },
    { on: 'init', kind: 'reset_before' },
  ])
    it(`surely nothing taken (${fault.on} ${fault.kind}): at most five retries by backoff, then draft`, async () => {
      const { org, accountId, id } = await duePost();
      const { scheduled_at } = await readPost(org, id);
      await world.platform.control('faults', { ...fault, times: 6 });
      for (let retry = 1; retry <= 5; retry++) {
        await world.runOnce();
        const post = await world.postRow(id);
        assert.deepEqual([post.status, post.publish_retries], ['scheduled', retry]);
        assert.notEqual(post.last_publish_error, null);
        const { started_at } = await world.dispatchRow(id);
        const wait = (post.wait_until ?? 0) - started_at;
        assert.ok(wait >= BACKOFF_MS * 2 ** (retry - 1), `${retry}: ${wait}`);
        // Not before the backoff ends.
        await world.runOnce();
        assert.equal((await dispatchesOf(org, id)).length, retry);
        world.advance((post.wait_until ?? 0) - world.service.clock.now());
      }
      assert.equal((await readPost(org, id)).scheduled_at, scheduled_at);
      await world.runOnce();
      const post = await readPost(org, id);
      assert.deepEqual([post.status, post.scheduled_at, post.publish_retries], ['draft', null, 5]);
      const dispatches = await dispatchesOf(org, id);
      assert.deepEqual(
        dispatches.map(({ trigger, outcome }) => `${trigger} ${outcome}`),
        [...Array(5).fill('retry failed'), 'schedule failed'],
      );
      assert.deepEqual(await world.publishesOf(accountId), []);
      world.advance(24 * HOUR_MS);
      await world.runOnce();
      assert.equal((await dispatchesOf(org, id)).length, 6);
    });

  it('a new slot starts counting retries anew', async () => {
    const { org, id } = await duePost();
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    await world.runOnce();
    assert.equal((await readPost(org, id)).publish_retries, 1);
    await changePost(org, id, { scheduled_at: at(world.service.clock.now() + HOUR_MS) });
    const post = await readPost(org, id);
    assert.deepEqual([post.publish_retries, post.last_publish_error], [0, null]);
    world.advance(HOUR_MS);
    await world.runOnce();
    const [dispatch] = await dispatchesOf(org, id);
    assert.deepEqual([dispatch?.trigger, dispatch?.outcome], ['schedule', 'accepted']);
  });

  it('the answer to the init of a video lost: retried, and one video is published', async () => {
    const { org, accountId, id } = await duePost('video');
    await world.platform.control('faults', { on: 'init', kind: 'reset_after' });
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.publish_retries], ['scheduled', 1]);
    assertTold(post.last_publish_error, 'no_answer');
    assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
    world.advance(MINUTE_MS);
    await world.runOnce();
    await world.settle((await dispatchesOf(org, id))[0]?.publish_id ?? '');
    const taken = await world.publishesOf(accountId);
    assert.deepEqual(
      taken.map(({ status }) => status),
      ['PROCESSING_UPLOAD', 'PUBLISH_COMPLETE'],
    );
  });

  it('the answer for slides lost before any was fetched: revoked, retried, and published once', async () => {
    const { org, accountId, id } = await duePost();
    await world.withGate(async (openGate) => {
      await world.platform.control('faults', { on: 'init', kind: 'reset_after' });
      await world.runOnce();
      assert.deepEqual(
        [(await readPost(org, id)).status, (await onlyDispatch(org, id)).outcome],
        ['scheduled', 'failed'],
      );
      openGate();
      await until('the platform has given up', async () => {
        const [taken] = await world.publishesOf(accountId);
        return taken?.status === 'FAILED';
      });
    });
    world.advance(MINUTE_MS);
    await world.runOnce();
    await world.settle((await dispatchesOf(org, id))[0]?.publish_id ?? '');
    const statuses = (await world.publishesOf(accountId)).map(({ status }) => status);
    assert.deepEqual(statuses, ['FAILED', 'PUBLISH_COMPLETE']);
  });

  it('the answer for slides lost after one was fetched: unknown, publishing, and never sent again', async () => {
    const { org, accountId, id } = await duePost();
    await world.loseAnswerAfterFetch();
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at, post.publish_retries], ['publishing', null, 0]);
    assert.match(post.last_publish_error ?? '', /outcome is unknown/);
    for (const ms of [MINUTE_MS, HOUR_MS, 48 * HOUR_MS]) {
      world.advance(ms);
      await world.runOnce();
    }
    assert.deepEqual(
      [(await onlyDispatch(org, id)).outcome, (await readPost(org, id)).status],
      ['unknown', 'publishing'],
    );
    assert.equal((await world.publishesOf(accountId)).length, 1);
    assert.equal((await publishStatusOf(org, id)).status, 'unknown');
  });
});

onEngines('sqlite', 'An accepted post that the platform never reports on again', (engine) => {
  const world = useTidyWorld(engine, { platform: { processingMs: 3_600_000 } });

  it('is unknown after 24 hours, and a later report of the platform still counts', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    await world.runOnce();
    world.advance(23.9 * HOUR_MS);
    await world.runOnce();
    assert.equal((await onlyDispatch(org, id)).outcome, 'accepted');
    world.advance(0.2 * HOUR_MS);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at], ['publishing', null]);
    assertTold(post.last_publish_error, 'no_final_status');
    const { publish_id, outcome } = await onlyDispatch(org, id);
    assert.equal(outcome, 'unknown');
    const status = await publishStatusOf(org, id);
    assert.deepEqual([status.status, status.publish_id], ['unknown', publish_id]);
    await world.platform.restart({ processingMs: 0 });
    world.advance(HOUR_MS);
    await world.settle(publish_id ?? '');
    assert.equal((await onlyDispatch(org, id)).outcome, 'published');
    const current = await readPost(org, id);
    assert.deepEqual([current.status, current.last_publish_error], ['posted', null]);
    assert.notEqual(current.posted_at, null);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });
});
