import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import type { Organization } from '../support/service/harness.js';
import {
  assertProblem,
  at,
  dispatchesOf,
  onlyDispatch,
  publish,
  published,
  publishStatusOf,
  readPost,
  readyPost,
  TIMESTAMP,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { useTidyWorld } from '../support/world/world.js';

const statusPath = (id: string) => `/api/v1/posts/${id}/publish-status`;
const LONG_AGO_MS = 5_001;

onEngines('sqlite', 'GET /api/v1/posts/:id/publish-status', (engine) => {
  const world = useTidyWorld(engine);

  /** Asks again and again, each time a little later. */
  async function poll(org: Organization, id: string) {
    let found = await publishStatusOf(org, id);
    await until(`the status of ${id} is final`, async () => {
      world.advance(LONG_AGO_MS);
      found = await publishStatusOf(org, id);
      return found.status !== 'processing';
    });
    return found;
  }

  it('404: a post that was never accepted, an unknown, malformed or foreign one', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    assertProblem(await org.call('GET', statusPath(id)), 404, 'not_found');
    await world.platform.control('faults', { on: 'init', kind: 'http_500' });
    assert.equal((await publish(org, id, accountId)).status, 503);
    assertProblem(await org.call('GET', statusPath(id)), 404, 'not_found');
    const other = await world.creator();
    const foreign = await readyPost(other.org);
    await published(other.org, foreign, other.accountId);
    for (const unknown of [UNKNOWN_ID, 'nonsense', foreign])
      assertProblem(await org.call('GET', statusPath(unknown)), 404, 'not_found');
  });

  it('403: the key needs posts:read', async () => {
    const { org } = await world.creator();
    const key = await org.keyWith(['posts:publish']);
    const answer = await world.service.request('GET', statusPath(await readyPost(org)), { key });
    assertProblem(answer, 403, 'insufficient_scope');
  });

  it('is processing with the platform’s status, then published with the URL of the post', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video');
    const publishId = await published(org, id, accountId);
    const { json } = await org.call('GET', statusPath(id));
    assert.match(json.data.updated_at, TIMESTAMP);
    assert.deepEqual(json.data, {
      publish_id: publishId,
      status: 'processing',
      social_status: 'PROCESSING_UPLOAD',
      fail_reason: null,
      post_url: null,
      updated_at: json.data.updated_at,
    });
    await world.engine.transfer();
    await world.engine.idle();
    const found = await poll(org, id);
    assert.deepEqual([found.status, found.social_status], ['published', 'PUBLISH_COMPLETE']);
    assert.match(found.post_url ?? '', /^http/);
    const { outcome, finished_at } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, finished_at], ['published', found.updated_at]);
  });

  it('is in_inbox for a draft that was delivered', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await published(org, id, accountId, { mode: 'inbox' });
    const found = await poll(org, id);
    assert.deepEqual([found.status, found.social_status], ['in_inbox', 'SEND_TO_USER_INBOX']);
  });

  it('is failed with the reason of the platform, and the post goes back to draft', async () => {
    const { org, accountId } = await world.creator(`failing.${engine}`);
    const outcome = {
      username: `failing.${engine}`,
      status: 'FAILED',
      fail_reason: 'frame_rate_check_failed',
    };
    await world.platform.control('outcomes', outcome);
    const id = await readyPost(org);
    await published(org, id, accountId);
    const found = await poll(org, id);
    assert.deepEqual(
      [found.status, found.social_status, found.fail_reason],
      ['failed', 'FAILED', 'frame_rate_check_failed'],
    );
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  it('reports the latest attempt that has a publish_id', async () => {
    const { org, accountId } = await world.creator(`again.${engine}`);
    const outcome = { username: `again.${engine}`, status: 'FAILED', fail_reason: 'spam_risk' };
    await world.platform.control('outcomes', outcome);
    const id = await readyPost(org);
    const first = await published(org, id, accountId);
    assert.equal((await poll(org, id)).status, 'failed');
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    assert.equal((await publish(org, id, accountId)).status, 503);
    const found = await publishStatusOf(org, id);
    assert.deepEqual([found.publish_id, found.status], [first, 'failed']);
    const second = await published(org, id, accountId);
    assert.equal((await publishStatusOf(org, id)).publish_id, second);
    assert.equal((await dispatchesOf(org, id)).length, 3);
  });

  it('polls the platform only if its last answer is older than 5 seconds, and never again once it is final', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const { clock } = world.service;
    await world.frozen(async () => {
      const publishId = await published(org, id, accountId);
      await until('the platform has finished', async () => {
        const [sent] = await world.publishesOf(accountId);
        return sent?.status === 'PUBLISH_COMPLETE';
      });
      clock.advance(5_000);
      assert.equal((await publishStatusOf(org, id)).status, 'processing');
      clock.advance(1);
      const found = await publishStatusOf(org, id);
      assert.deepEqual([found.publish_id, found.status], [publishId, 'published']);
      assert.equal(found.updated_at, at(clock.now()));
      await world.platform.control('faults', { on: 'status', kind: 'http_500' });
      clock.advance(60_000);
      assert.deepEqual(await publishStatusOf(org, id), found);
      const { data: faults } = (await world.platform.request('GET', '/__control/faults')).json;
      assert.equal(faults.length, 1);
    });
  });

  for (const kind of ['http_500', 'http_429', 'reset_after'] as const)
    it(`answers with the last known value if the platform cannot be polled (${kind})`, async () => {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org);
      const publishId = await published(org, id, accountId);
      const before = await publishStatusOf(org, id);
      await world.platform.control('faults', { on: 'status', kind, times: 1 });
      world.advance(LONG_AGO_MS);
      assert.deepEqual(await publishStatusOf(org, id), before);
      assert.deepEqual([before.publish_id, before.status], [publishId, 'processing']);
      assert.equal((await poll(org, id)).status, 'published');
    });

  it('answers with the last known value if the grant is gone', async () => {
    const { org, accountId } = await world.creator(`revoked.${engine}`);
    const id = await readyPost(org);
    const publishId = await published(org, id, accountId);
    await world.platform.control('expire_tokens', { username: `revoked.${engine}` });
    await world.platform.control('faults', { on: 'token', kind: 'http_500', times: 10 });
    world.advance(LONG_AGO_MS);
    const found = await publishStatusOf(org, id);
    assert.deepEqual([found.publish_id, found.status], [publishId, 'processing']);
  });

  it('polls the platform once for many requests at once', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await published(org, id, accountId);
    world.advance(LONG_AGO_MS);
    await world.frozen(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => org.call('GET', statusPath(id))));
      for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    });
    // The fence rises at the claim, at the acceptance, at the one lease for the poll, and at its end.
    const { fence } = await world.dispatchRow(id);
    assert.equal(fence, 4);
  });
});
