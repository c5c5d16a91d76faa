// What tools answer over MCP: what it takes to choose a post, and what can be done next.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { at } from '../support/service/posts.js';
import { draftBy, useAgents } from '../support/world/agents.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'An agent', (engine) => {
  const world = useTidyWorld(engine);
  const agents = useAgents(world);

  it('reads in a list what it takes to choose a post, and the rest with the post', async () => {
    const { agent, id, accountId } = await agents.withDraft();
    const empty = await agent.call('post_create', { title: 'No file yet', social_account_id: accountId });
    const bare = await agent.call('post_create', { title: 'No account yet' });
    const slot = { post_id: id, scheduled_at: at(world.now() + HOUR_MS) };
    const { confirm } = await agent.call('post_schedule', slot);
    await agent.call('post_schedule', { ...slot, confirm });
    const post = (title: string, readiness: string, fields: object) => ({
      title,
      status: 'draft',
      scheduled_at: null,
      social_account_id: accountId,
      readiness,
      labels: [],
      ...fields,
    });
    const listed = await agent.call('posts_list', { sort: 'title' });
    assert.deepEqual(listed, [
      post('Five ways to fold a map', 'ready', { id, status: 'scheduled', scheduled_at: slot.scheduled_at }),
      post('No account yet', 'account_missing', { id: bare.id, social_account_id: null }),
      post('No file yet', 'no_media', { id: empty.id }),
    ]);
    const whole = await agent.call('post_get', { post_id: bare.id });
    assert.ok(whole.post.readiness.problems.length > 1, 'all of its problems');
    // post_publish takes the privacy level from the post, so a draft without one is not ready.
    await agent.addFile(empty.id, 'slide.png');
    const { post: hidden } = await agent.call('post_get', { post_id: empty.id });
    assert.deepEqual(
      [hidden.readiness.ready, hidden.readiness.problems.map(({ code }: { code: string }) => code)],
      [false, ['privacy_level_missing']],
    );
    const byTitle = await agent.call('posts_list', { q: 'No file yet' });
    assert.equal(byTitle[0].readiness, 'privacy_level_missing');
    assert.equal((await agent.call('post_get', { post_id: id })).post.caption, 'Number four is a surprise.');
  });

  it('finds labels by name, puts them on a post, and lists the posts that have one', async () => {
    const { agent, id, org } = await agents.withDraft();
    for (const [name, colour] of [
      ['Weekly', 'teal'],
      ['Autumn', 'red'],
    ])
      await org.call('POST', '/api/v1/labels', { name, colour });
    const { data: labels, pagination } = await agent.answer('labels_list');
    const [autumn, weekly] = labels;
    assert.deepEqual(labels, [
      { id: autumn.id, name: 'Autumn', colour: 'red' },
      { id: weekly.id, name: 'Weekly', colour: 'teal' },
    ]);
    assert.equal(pagination.total, 2);
    await agent.call('post_update', { post_id: id, labels: [weekly.id] });
    const [found] = await agent.call('posts_list', { label: weekly.id });
    assert.deepEqual([found.id, found.labels], [id, [weekly.id]]);
    assert.deepEqual(await agent.call('posts_list', { label: autumn.id }), []);
  });

  it('has Airdate fetch a file from an address', async () => {
    const { agent, id } = await agents.withDraft();
    await agent.refused('validation_failed', 'post_media_from_url', {
      post_id: id,
      url: 'http://127.0.0.1/',
    });
    const url = 'https://cdn.example.com/maps/slide-2.png';
    const pending = await agent.answer('post_media_from_url', { post_id: id, url });
    assert.deepEqual([pending.data.filename, pending.data.origin], ['slide-2.png', 'address']);
    assert.match(pending.next, /post_get/);
    const { pending: listed } = await agent.call('post_get', { post_id: id });
    assert.equal(listed.length, 1);
    assert.match((await agent.answer('post_get', { post_id: id })).next, /still being fetched/);
  });

  it('is told by a check what its tools and what only a person can do about it', async () => {
    const { agent, id, org, accountId } = await agents.withDraft();
    const created = await agent.answer('post_create', { title: 'No account yet' });
    assert.match(created.next, /^Add each slide .*Set social_account_id and privacy_level .*post_check\.$/);
    const film = await agent.answer('post_create', {
      title: 'A film',
      post_type: 'video',
      social_account_id: accountId,
      privacy_level: 'SELF_ONLY',
    });
    assert.match(film.next, /^Add the video with post_media_from_file or post_media_from_url\. Then/);

    const nextOf = async (post_id: string) => (await agent.answer('post_check', { post_id })).next;
    assert.match(await nextOf(id), /call post_schedule or post_publish/);
    assert.match(await nextOf(created.data.id), /^Repair what post_update/);
    const url = 'https://cdn.example.com/maps/slide-2.png';
    await agent.call('post_media_from_url', { post_id: id, url });
    assert.match(await nextOf(id), /still to come.*No tool removes a file/);

    const slot = { post_id: await draftBy(agent, { accountId } as Creator) };
    const at6 = { ...slot, scheduled_at: at(world.now() + HOUR_MS) };
    const { confirm } = await agent.call('post_schedule', at6);
    await agent.call('post_schedule', { ...at6, confirm });
    assert.match(await nextOf(slot.post_id), /goes out at its slot/);

    const narrow = await agents.connect({ ...org, key: await org.keyWith(['posts:read', 'posts:write']) });
    const draft = await draftBy(narrow, { accountId } as Creator);
    assert.match((await narrow.answer('post_check', { post_id: draft })).next, /This key may not publish/);
  });

  it('is told after the platform refused a file that no tool removes it', async () => {
    const { agent, id, username } = await agents.withDraft();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await world.platform.control('outcomes', {
      username,
      status: 'FAILED',
      fail_reason: 'picture_size_check_failed',
    });
    const { publish_id } = await agent.call('post_publish', { post_id: id, confirm });
    await world.settle(publish_id);
    const { data, next } = await agent.answer('post_status', { post_id: id, wait_seconds: 25 });
    assert.equal(data.publish.status, 'failed');
    assert.match(next, /The cause is in the files\. No tool removes a file/);
  });

  it('finds the time in one place, and when a post was posted in a list', async () => {
    const { agent, id, accountId } = await agents.withDraft();
    await world.frozen(async () => {
      const { now, data } = await agent.answer('account_options', { social_account_id: accountId });
      assert.deepEqual([now, data.now], [at(world.now()), undefined]);
    });
    const { confirm } = await agent.call('post_publish', { post_id: id });
    const { publish_id } = await agent.call('post_publish', { post_id: id, confirm });
    await world.settle(publish_id);
    await agent.call('post_status', { post_id: id, wait_seconds: 25 });
    const [posted] = await agent.call('posts_list', { status: 'posted' });
    assert.deepEqual([posted.id, posted.readiness], [id, null]);
    assert.match(posted.posted_at, /^\d{4}-/);
    assert.match(await agent.answer('post_check', { post_id: id }).then(({ next }) => next), /post_status/);
  });

  it('is told which tool takes what it sent to the wrong one', async () => {
    const { agent, id } = await agents.withDraft();
    const nextOf = async (tool: string, input: Record<string, unknown>): Promise<string> =>
      (await agent.refused('validation_failed', tool, input)).next ?? 'nothing';
    const slot = { status: 'scheduled', scheduled_at: '2030-12-01T18:00' };
    assert.match(await nextOf('post_create', { title: 'At once', ...slot }), /^This tool .*post_schedule/);
    assert.match(await nextOf('post_update', { post_id: id, status: 'scheduled' }), /post_schedule/);
    assert.match(await nextOf('post_get', { post_id: 'Five ways to fold a map' }), /^posts_list tells/);
    assert.match(await nextOf('post_get', { id }), /^posts_list tells/);
    assert.match(await nextOf('posts_list', { status: 'failed' }), /send outcome/);
    assert.match(await nextOf('posts_list', { status: ['draft', 'scheduled'] }), /commas/);
    assert.match(await nextOf('posts_list', { scheduled_from: '2030-12-01' }), /^It is now \d{4}-/);
    assert.match(await nextOf('dispatches_list', { from: 'yesterday' }), /^It is now \d{4}-/);
    assert.match(
      await nextOf('post_media_from_file', { post_id: id, path: '/tmp/1.png' }),
      /cannot read your/,
    );
  });

  it('lists the attempts of one post', async () => {
    const { agent, id, accountId } = await agents.withDraft();
    const other = await draftBy(agent, { accountId } as Creator);
    for (const post_id of [other, id]) {
      const { confirm } = await agent.call('post_publish', { post_id });
      const { publish_id } = await agent.call('post_publish', { post_id, confirm });
      await world.settle(publish_id);
    }
    const { data, pagination } = await agent.answer('dispatches_list', { post_id: id, per_page: 5 });
    assert.deepEqual([data.map((one: { post_id: string }) => one.post_id), pagination.total], [[id], 1]);
    const both = { post_id: id, outcome: 'failed' };
    const { detail } = await agent.refused('validation_failed', 'dispatches_list', both);
    assert.match(detail, /outcome cannot be combined with post_id/);
  });

  it('is told after a problem what its tools can do about it, and what only a person can', async () => {
    const { agent, id, accountId, creator } = await agents.withDraft();
    const bare = await agent.call('post_create', { title: 'No account yet' });
    const soon = { post_id: bare.id, scheduled_at: at(world.now() + MINUTE_MS) };
    await world.frozen(async () => {
      const early = await agent.refused('validation_failed', 'post_schedule', { ...soon, post_id: id });
      assert.match(early.next, new RegExp(`It is now ${at(world.now()).slice(0, 16)}`));
    });
    const incomplete = { ...soon, scheduled_at: at(world.now() + HOUR_MS) };
    assert.match(
      (await agent.refused('validation_failed', 'post_schedule', incomplete)).next,
      /^Set social_account_id and privacy_level with post_update first/,
    );
    const unknown = { title: 'A title', social_account_id: bare.id };
    assert.match((await agent.refused('validation_failed', 'post_create', unknown)).next, /accounts_list/);
    for (const [tool, labelled] of [
      ['post_update', { post_id: id, labels: [bare.id] }],
      ['posts_list', { label: bare.id }],
    ] as const)
      assert.match((await agent.refused('validation_failed', tool, labelled)).next, /labels_list/);
    assert.match((await agent.refused('not_found', 'post_get', { post_id: accountId })).next, /posts_list/);
    assert.match((await agent.refused('not_found', 'post_delete', { post_id: id })).detail, /a person does/);

    const slot = { post_id: id, scheduled_at: at(world.now() + HOUR_MS) };
    const { confirm } = await agent.call('post_schedule', slot);
    await agent.call('post_schedule', { ...slot, confirm });
    for (const [tool, more] of [
      ['post_publish', {}],
      ['post_schedule', { scheduled_at: at(world.now() + 2 * HOUR_MS) }],
    ] as const) {
      const { goes_out } = await agent.call(tool, { post_id: id, ...more });
      assert.equal(goes_out.replaces_slot, slot.scheduled_at, tool);
    }
    const freed = await agent.answer('post_unschedule', { post_id: id });
    assert.ok(freed.next.includes(slot.scheduled_at), freed.next);
    assert.equal((await agent.answer('post_unschedule', { post_id: id })).next, undefined);

    await world.platform.control('faults', { on: 'init', kind: 'http_400', times: 1 });
    const asked = await agent.call('post_publish', { post_id: id });
    assert.equal(asked.goes_out.replaces_slot, null);
    const refusal = await agent.refused('platform_refused', 'post_publish', {
      post_id: id,
      confirm: asked.confirm,
    });
    assert.match(refusal.next, /^Nothing was published/);
    assert.match((await agent.answer('post_status', { post_id: id })).next, /last_publish_error/);
    const day = {
      outcome: 'failed,unknown',
      from: at(world.now() - HOUR_MS),
      to: at(world.now() + MINUTE_MS),
    };
    await world.frozen(async () => {
      const { data, now } = await agent.answer('dispatches_list', day);
      assert.deepEqual([data.length, data[0].post_id, now], [1, id, at(world.now())]);
      assert.ok(data[0].error_message);
    });
    const [failed] = await agent.call('posts_list', { needs_attention: true });
    assert.deepEqual([failed.id, failed.readiness], [id, 'ready'], 'it may be tried again');
    assert.ok(failed.failed_at);

    await world.platform.control('remove_authorization', { username: creator.username });
    const gone = await agent.refused('reconnect_required', 'account_options', {
      social_account_id: accountId,
    });
    const blocked = await agent.answer('post_publish', { post_id: id });
    assert.equal(blocked.data.obstacle.code, 'reconnect_required');
    const doomed = await agent.answer('post_schedule', slot);
    assert.match(doomed.next, /would not go out/);
    for (const { next } of [gone, blocked, doomed]) assert.match(next, /No tool can reconnect/);
  });
});
