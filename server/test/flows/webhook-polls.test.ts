// Webhooks of the platform: each only triggers a poll, and the poll decides.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import type { Organization } from '../support/service/harness.js';
import { onlyDispatch, published, readPost, readyPost } from '../support/service/posts.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'A webhook of the platform', (engine) => {
  let target: string | null = null;
  const world = useTidyWorld(engine, {
    platform: { webhookUrl: () => target },
    // Without a webhook no worker polls within the test.
    env: { RECONCILE_INTERVAL_MS: '3600000' },
  });

  /** Runs the engine until the attempt has this outcome. */
  async function untilOutcome(org: Organization, id: string, outcome: string) {
    await until(`the attempt is ${outcome}`, async () => {
      await world.runOnce();
      return (await onlyDispatch(org, id)).outcome === outcome;
    });
  }

  /** A post that was accepted, and whose outcome a worker has learned because of a webhook. */
  async function afterWebhook(
    org: Organization,
    accountId: string,
    mode: 'direct' | 'inbox',
    outcome: string,
  ) {
    target = `${world.service.url}/webhooks/social`;
    const id = await readyPost(org);
    await world.withGate(async (openGate) => {
      await published(org, id, accountId, { mode });
      await world.runOnce();
      assert.equal((await onlyDispatch(org, id)).outcome, 'accepted');
      // Only now, so that the acceptance is stored before a webhook about it can arrive.
      openGate();
      await untilOutcome(org, id, outcome);
    });
    return id;
  }

  it('makes the engine poll at once', async () => {
    const username = `hinted.${engine}`;
    const { org, accountId } = await world.creator(username);
    await afterWebhook(org, accountId, 'direct', 'published');
    await world.platform.control('outcomes', { username, status: 'FAILED', fail_reason: 'spam_risk' });
    const id = await afterWebhook(org, accountId, 'direct', 'failed');
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  it('reports that a draft has reached the inbox, and that it was posted from there', async () => {
    const { org, accountId } = await world.creator();
    const id = await afterWebhook(org, accountId, 'inbox', 'in_inbox');
    const { posted_at } = await readPost(org, id);
    world.advance(HOUR_MS);
    const { publish_id } = await onlyDispatch(org, id);
    await world.platform.control('post_draft', { publish_id });
    await untilOutcome(org, id, 'published');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at], ['posted', posted_at]);
  });

  it('does no harm when it comes more than once', async () => {
    await world.platform.control('settings', { webhook_copies: 3 });
    const { org, accountId } = await world.creator();
    const id = await afterWebhook(org, accountId, 'direct', 'published');
    await until('every webhook was taken', async () => {
      const { data } = (await world.platform.request('GET', '/__control/webhooks')).json;
      return data.every(({ state }: { state: string }) => state === 'delivered');
    });
    await world.runOnce();
    assert.equal((await onlyDispatch(org, id)).outcome, 'published');
  });

  it('is refused without the signature of the platform', async () => {
    const body = { event: 'post.publish.complete', content: '{}' };
    const answer = await world.service.request('POST', '/webhooks/social', { body });
    assert.equal(answer.status, 401);
  });
});
