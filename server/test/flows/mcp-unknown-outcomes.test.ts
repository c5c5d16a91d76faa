// No agent publishes twice what may have been published.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { at, onlyDispatch, readPost } from '../support/service/posts.js';
import { draftBy, useAgents } from '../support/world/agents.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'An agent whose post has an unknown outcome', (engine) => {
  const world = useTidyWorld(engine);
  const agents = useAgents(world);

  it('is told not to repeat what has an unknown outcome, and repeating it sends nothing', async () => {
    const { agent, id, org, accountId } = await agents.withDraft();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await world.loseAnswerAfterFetch();
    for (const _ of [1, 2]) {
      const problem = await agent.refused('platform_timeout', 'post_publish', { post_id: id, confirm });
      assert.match(problem.next, /Do not publish it again/);
    }
    const standing = await agent.answer('post_status', { post_id: id });
    assert.equal(standing.data.publish.status, 'unknown');
    assert.match(standing.next, /Do not publish it again/);
    const [listed] = await agent.call('posts_list', { needs_attention: true });
    assert.deepEqual([listed.id, listed.status, listed.readiness], [id, 'publishing', 'outcome_unknown']);
    assert.match((await agent.answer('post_check', { post_id: id })).next, /Do not publish the post again/);
    const preview = await agent.answer('post_publish', { post_id: id });
    assert.equal(preview.data.confirm, null);
    assert.equal(preview.data.obstacle.code, 'outcome_unknown');
    for (const text of [preview.data.obstacle.detail, preview.data.duplicate_risk])
      assert.match(text, /publish(es|ing)? it (again|twice)/);
    assert.match(preview.next, /Do not publish the post again\. .*post_resolve/);
    await onlyDispatch(org, id);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('resolves an unknown outcome in two calls, the second bound to what a person was shown', async () => {
    const { agent, id, org, accountId, creator } = await agents.withDraft();
    const { confirm: toPublish } = await agent.call('post_publish', { post_id: id });
    await agent.refused('wrong_state', 'post_resolve', { post_id: id, outcome: 'posted' });
    await world.loseAnswerAfterFetch();
    await agent.refused('platform_timeout', 'post_publish', { post_id: id, confirm: toPublish });

    const first = await agent.answer('post_resolve', { post_id: id, outcome: 'not_posted' });
    assert.equal((await readPost(org, id)).status, 'publishing', 'the first call changes nothing');
    const { reports, confirm } = first.data;
    assert.deepEqual(
      [reports.outcome, reports.title, reports.account.username],
      ['not_posted', 'Five ways to fold a map', creator.username],
    );
    assert.match(reports.effect, /twice/);
    assert.match(first.next, /look for the post on the account/);
    for (const wrong of [
      { outcome: 'posted', confirm },
      { outcome: 'not_posted', confirm: toPublish },
      { outcome: 'not_posted', confirm: 'yes' },
    ])
      await agent.refused('precondition_failed', 'post_resolve', { post_id: id, ...wrong });
    const second = { post_id: id, outcome: 'not_posted', confirm };
    const { post, replayed } = await agent.call('post_resolve', second);
    assert.deepEqual([post.status, replayed], ['draft', false]);
    assert.equal((await agent.call('post_resolve', second)).replayed, true);

    const again = await agent.call('post_publish', { post_id: id });
    assert.match(again.duplicate_risk, /reported as not on the platform/);
    assert.ok(again.confirm);
    await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm: toPublish });
    assert.equal((await world.publishesOf(accountId)).length, 1, 'not before the second confirmation');
    await agent.call('post_publish', { post_id: id, confirm: again.confirm });
    assert.equal((await world.publishesOf(accountId)).length, 2);
    const posted = await agent.call('post_publish', { post_id: id });
    assert.deepEqual([posted.confirm, posted.obstacle.code], [null, 'wrong_state']);
  });

  it('is warned of a post that it writes again because the outcome of the first is unknown', async () => {
    const { agent, id, org, accountId, creator } = await agents.withDraft();
    const slot = { scheduled_at: at(world.now() + HOUR_MS) };
    const previews = async (post_id: string) => [
      await agent.answer('post_publish', { post_id }),
      await agent.answer('post_schedule', { post_id, ...slot }),
    ];
    const twin = await draftBy(agent, creator);
    const early = await previews(twin);
    for (const { data } of early) assert.equal(data.duplicate_risk, null);
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await world.loseAnswerAfterFetch();
    await agent.refused('platform_timeout', 'post_publish', { post_id: id, confirm });

    // What was agreed to before is agreed to no more.
    const [publish, schedule] = early.map(({ data }) => data.confirm);
    await agent.refused('precondition_failed', 'post_publish', { post_id: twin, confirm: publish });
    await agent.refused('precondition_failed', 'post_schedule', {
      post_id: twin,
      ...slot,
      confirm: schedule,
    });
    for (const { data, next } of await previews(twin)) {
      assert.match(data.duplicate_risk, new RegExp(`${id} .* same text and files, .* unknown`));
      assert.match(next, /look on the account .*post_resolve/);
      assert.ok(data.confirm, 'a person may know better');
    }

    const change = (fields: object) => agent.call('post_update', { post_id: twin, ...fields });
    await change({ title: 'FIVE ways to  fold a map ' });
    for (const { data } of await previews(twin)) assert.match(data.duplicate_risk, /same text and files,/);
    await change({ title: 'Six ways to fold a map' });
    for (const { data } of await previews(twin)) assert.match(data.duplicate_risk, /same files,/);
    await agent.addFile(twin, 'slide.jpg');
    for (const { data } of await previews(twin)) assert.equal(data.duplicate_risk, null);
    await change({ title: 'Five ways to fold a map' });
    for (const { data } of await previews(twin)) assert.match(data.duplicate_risk, /same text,/);
    const other = await world.creatorIn(org, `${creator.username}b`);
    await change({ social_account_id: other.accountId });
    for (const { data } of await previews(twin)) assert.equal(data.duplicate_risk, null);
    await change({ social_account_id: accountId });
    const warned = await agent.call('post_publish', { post_id: twin });

    // The archive does not take a post off the platform.
    const archived = await org.call('PATCH', '/api/v1/posts/batch', { ids: [id], action: 'archive' });
    assert.equal(archived.status, 200, archived.text);
    assert.match((await agent.call('post_publish', { post_id: twin })).duplicate_risk, /same text,/);
    const resolved = { post_id: id, outcome: 'posted' };
    const seen = await agent.call('post_resolve', resolved);
    await agent.call('post_resolve', { ...resolved, confirm: seen.confirm });
    await agent.refused('precondition_failed', 'post_publish', { post_id: twin, confirm: warned.confirm });
    assert.equal((await agent.call('post_publish', { post_id: twin })).duplicate_risk, null);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });
});
