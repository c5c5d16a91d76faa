// What an agent that publishes reaches over MCP: the whole way of a post, waiting for its outcome, and what it leaves behind.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TOOLS } from '../../src/http/mcp/tools.js';
import { MAX_WAITS } from '../../src/http/mcp/waits.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ERAS } from '../support/service/agents.js';
import { useAgents } from '../support/world/agents.js';
import { useTidyWorld } from '../support/world/world.js';

const JSON_BOTH_WAYS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

onEngines('sqlite', 'An agent that publishes', (engine) => {
  const world = useTidyWorld(engine);
  const agents = useAgents(world);

  for (const era of ERAS)
    it(`of the ${era} era carries a carousel from nothing to live`, async () => {
      const creator = await world.creator();
      const agent = await agents.connect(creator.org, era);
      assert.deepEqual(
        await agent.tools(),
        TOOLS.map(({ name }) => name),
      );
      const accounts = await agent.call('accounts_list');
      const [account] = accounts;
      assert.equal(account.username, creator.username);
      const options = await agent.call('account_options', { social_account_id: account.id });
      const post = await agent.call('post_create', { title: 'Five ways to fold a map' });
      for (const name of ['slide.png', 'slide.jpg']) await agent.addFile(post.id, name);
      assert.equal((await agent.call('post_check', { post_id: post.id })).ready, false);
      const incomplete = await agent.call('post_publish', { post_id: post.id });
      assert.equal(incomplete.confirm, null);
      await agent.call('post_update', {
        post_id: post.id,
        social_account_id: account.id,
        privacy_level: options.privacy_level_options[0],
      });
      const first = await agent.call('post_publish', { post_id: post.id });
      assert.equal(first.goes_out.account.username, creator.username);
      assert.equal(first.goes_out.files.length, 2);
      assert.equal(first.preflight.ready, true);
      assert.deepEqual(await world.publishesOf(account.id), [], 'the first call sends nothing');

      const confirmed = { post_id: post.id, confirm: first.confirm };
      const { publish_id, replayed } = await agent.call('post_publish', confirmed);
      assert.equal(replayed, false);
      const again = await agent.call('post_publish', confirmed);
      assert.deepEqual([again.publish_id, again.replayed], [publish_id, true]);
      assert.equal((await agent.call('post_status', { post_id: post.id })).publish.status, 'processing');
      await world.settle(publish_id);
      const { publish } = await agent.call('post_status', { post_id: post.id, wait_seconds: 25 });
      assert.equal(publish.status, 'published');
      assert.equal((await world.live(creator.username)).length, 1);
      const events = await agent.call('events_list');
      assert.equal(events.at(-1).type, 'post.published');
      assert.equal((await agent.call('analytics_summary')).published, 1);
      const posts = await agent.call('posts_list', { status: 'posted' });
      assert.deepEqual([posts.length, posts[0].id], [1, post.id]);
    });

  it('carries a video from nothing to live', async () => {
    const creator = await world.creator();
    const agent = await agents.connect(creator.org);
    const post = await agent.call('post_create', {
      title: 'How to fold a map',
      post_type: 'video',
      social_account_id: creator.accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
    });
    await agent.addFile(post.id, 'tiny.mp4');
    const { confirm } = await agent.call('post_publish', { post_id: post.id });
    const { publish_id } = await agent.call('post_publish', { post_id: post.id, confirm });
    await world.settle(publish_id);
    assert.equal((await agent.call('post_status', { post_id: post.id })).publish.status, 'published');
    assert.equal((await world.live(creator.username)).length, 1);
  });

  /** A post that is being sent until it is released, and calls of post_status for it. */
  async function underWay() {
    const { agent, id, org } = await agents.withDraft();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    const { reached, release } = world.scripted.stopBeforeInit();
    const published = agent.call('post_publish', { post_id: id, confirm });
    await reached;
    const wait = async (signal?: AbortSignal) => {
      const params = { name: 'post_status', arguments: { post_id: id, wait_seconds: 25 } };
      const answer = await fetch(new URL('/mcp', world.service.url), {
        method: 'POST',
        headers: { ...JSON_BOTH_WAYS, authorization: `Bearer ${org.key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        ...(signal ? { signal } : {}),
      });
      const { data, next } = (await answer.json()).result.structuredContent;
      return { ...data, next };
    };
    const end = async () => {
      release();
      await world.settle((await published).publish_id);
    };
    return { agent, id, wait, end };
  }

  it('waits for a post while its client is there, and not beside too many others', async () => {
    const patient = await underWay();
    let isAnswered = false;
    const later = patient.wait().finally(() => {
      isAnswered = true;
    });
    const { agent, id, wait, end } = await underWay();
    const leaving = new AbortController();
    const answers: { next?: string }[] = [];
    const calls = Array.from({ length: MAX_WAITS + 2 }, () =>
      wait(leaving.signal).then((answer) => answers.push(answer)),
    );
    await until('as many calls wait as may', async () => answers.length === 2);
    for (const { next } of answers) assert.match(next ?? '', /did not wait/);
    leaving.abort();
    await Promise.allSettled(calls);
    const mayWait = async () =>
      !/did not wait/.test((await agent.answer('post_status', { post_id: id, wait_seconds: 1 })).next);
    await until('the calls of clients that are gone no longer wait', mayWait);
    assert.equal(isAnswered, false, 'a call of a client that stays goes on waiting');
    await patient.end();
    assert.notEqual((await later).post.status, 'publishing');
    await end();
  });

  it('may try again after the platform has taken nothing', async () => {
    const { agent, id, accountId } = await agents.withDraft();
    await world.platform.control('faults', { on: 'init', kind: 'http_429', times: 1 });
    const { confirm } = await agent.call('post_publish', { post_id: id });
    const problem = await agent.refused('platform_unavailable', 'post_publish', { post_id: id, confirm });
    assert.ok(problem.retry_after_seconds >= 1);
    assert.match(problem.next, /Nothing was published\. Wait for retry_after_seconds/);
    const anew = (await agent.call('post_publish', { post_id: id })).confirm;
    await agent.call('post_publish', { post_id: id, confirm: anew });
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('leaves the same rows in the audit log as the API', async () => {
    const { agent, id, org } = await agents.withDraft();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await agent.call('post_publish', { post_id: id, confirm });
    const { json } = await org.call('GET', '/api/v1/audit');
    const [row] = json.data;
    assert.deepEqual([row.action, row.target.id, row.actor.kind], ['post.publish_started', id, 'key']);
    assert.equal(row.address, '127.0.0.1');
  });
});
