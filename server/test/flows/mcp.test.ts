import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { TOOLS } from '../../src/http/mcp/tools.js';
import { MAX_WAITS } from '../../src/http/mcp/waits.js';
import { onEngines } from '../runner/test-tiers.js';
import { until } from '../runner/until.js';
import { Agent, ERAS, type Era } from '../service/agents.js';
import type { Organization } from '../service/harness.js';
import { at, changePost, dispatchesOf, onlyDispatch, readPost } from '../service/posts.js';
import { media, put, upload } from '../service/uploads.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../world/world.js';

const JSON_BOTH_WAYS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

onEngines('sqlite', 'An agent', (engine) => {
  const world = useTidyWorld(engine);
  const agents: Agent[] = [];
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.close();
  });

  async function agentOf(org: Organization, era: Era = 'modern'): Promise<Agent> {
    const agent = await Agent.connect(world.service.url, org.key, era);
    agents.push(agent);
    return agent;
  }

  /** A draft that can go out. */
  async function draft(agent: Agent, { accountId }: Creator): Promise<string> {
    const post = await agent.call('post_create', {
      title: 'Five ways to fold a map',
      caption: 'Number four is a surprise.',
      social_account_id: accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
    });
    await agent.addFile(post.id, 'slide.png');
    return post.id;
  }

  async function setting(era?: Era) {
    const creator = await world.creator();
    const agent = await agentOf(creator.org, era);
    return { ...creator, creator, agent, id: await draft(agent, creator) };
  }

  for (const era of ERAS)
    it(`of the ${era} era carries a carousel from nothing to live`, async () => {
      const creator = await world.creator();
      const agent = await agentOf(creator.org, era);
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
    const agent = await agentOf(creator.org);
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

  it('schedules a post in two calls, and cannot change it until it is unscheduled', async () => {
    const { agent, id, org } = await setting();
    const slot = { post_id: id, scheduled_at: at(world.now() + HOUR_MS) };
    const first = await agent.call('post_schedule', slot);
    assert.equal(first.goes_out.at, slot.scheduled_at);
    assert.equal((await readPost(org, id)).status, 'draft');
    const confirmed = { ...slot, confirm: first.confirm };
    const { post } = await agent.call('post_schedule', confirmed);
    assert.deepEqual([post.status, post.scheduled_at], ['scheduled', slot.scheduled_at]);
    assert.equal((await agent.call('post_schedule', confirmed)).replayed, true);

    await agent.refused('wrong_state', 'post_update', { post_id: id, caption: 'Something else' });
    const file = { filename: 'slide.png', content_type: 'image/png' };
    await agent.refused('wrong_state', 'post_media_from_file', { post_id: id, ...file });
    assert.equal((await readPost(org, id)).caption, 'Number four is a surprise.');
    assert.equal((await agent.call('post_unschedule', { post_id: id })).status, 'draft');
    await agent.call('post_update', { post_id: id, caption: 'Something else' });
  });

  it('is told in the first call why a post cannot be scheduled', async () => {
    const { agent, id } = await setting();
    const soon = { post_id: id, scheduled_at: at(world.now() + MINUTE_MS) };
    await agent.refused('validation_failed', 'post_schedule', soon);
    const post = await agent.call('post_create', { title: 'No account yet' });
    const problem = await agent.refused('validation_failed', 'post_schedule', {
      post_id: post.id,
      scheduled_at: at(world.now() + HOUR_MS),
    });
    assert.deepEqual(
      problem.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/social_account_id', '/privacy_level'],
    );
  });

  it('cannot use a confirmation after the post, its files or its account have changed', async () => {
    const { agent, id, org, accountId, creator } = await setting();
    const other = await world.creatorIn(org, `${creator.username}b`);
    const edits: Record<string, () => Promise<unknown>> = {
      'its text': () => changePost(org, id, { caption: 'Buy now' }),
      'its account': () => changePost(org, id, { social_account_id: other.accountId }),
      'its privacy level': () => changePost(org, id, { privacy_level: 'SELF_ONLY' }),
      'a toggle': () => changePost(org, id, { disable_comment: true }),
      'its files': () => upload(org, id, 'slide.jpg'),
    };
    for (const [what, edit] of Object.entries(edits)) {
      const slot = { post_id: id, scheduled_at: at(world.now() + HOUR_MS) };
      const toPublish = (await agent.call('post_publish', { post_id: id })).confirm;
      const toSchedule = (await agent.call('post_schedule', slot)).confirm;
      await edit();
      await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm: toPublish });
      await agent.refused('precondition_failed', 'post_schedule', { ...slot, confirm: toSchedule });
      assert.equal((await readPost(org, id)).status, 'draft', what);
    }
    assert.deepEqual(await dispatchesOf(org, id), []);
    for (const account of [accountId, other.accountId])
      assert.deepEqual(await world.publishesOf(account), []);
  });

  it('cannot use a confirmation for anything but what it was made for', async () => {
    const { agent, id, org, creator } = await setting();
    const another = await draft(agent, creator);
    const slot = { post_id: id, scheduled_at: at(world.now() + HOUR_MS) };
    const { confirm } = await agent.call('post_schedule', slot);
    const later = at(world.now() + 2 * HOUR_MS);
    await agent.refused('precondition_failed', 'post_schedule', { ...slot, scheduled_at: later, confirm });
    await agent.refused('precondition_failed', 'post_schedule', { ...slot, post_id: another, confirm });
    await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm });
    for (const forged of ['yes', 'true', confirm.slice(0, -1), `${confirm}A`])
      await agent.refused('precondition_failed', 'post_schedule', { ...slot, confirm: forged });
    world.advance(HOUR_MS / 2);
    const next = { post_id: id, scheduled_at: at(world.now() + 3 * HOUR_MS) };
    const old = (await agent.call('post_schedule', next)).confirm;
    world.advance(HOUR_MS + 1_000);
    await agent.refused('precondition_failed', 'post_schedule', { ...next, confirm: old });
    for (const post of [id, another]) assert.equal((await readPost(org, post)).status, 'draft');
  });

  it('cannot publish a file that arrives between the two calls', async () => {
    const { agent, id, org } = await setting();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await agent.addFile(id, 'slide.jpg');
    await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm });
    assert.deepEqual(await dispatchesOf(org, id), []);
  });

  it('is shown which files may still arrive for a scheduled post, and confirms those and no others', async () => {
    const { agent, id } = await setting();
    const slot = { post_id: id, scheduled_at: at(world.now() + HOUR_MS) };
    const request = (filename: string) =>
      agent.call('post_media_from_file', { post_id: id, filename, content_type: 'image/jpeg' });
    const before = await agent.answer('post_schedule', slot);
    assert.deepEqual(before.data.goes_out.files_to_come, []);
    const grant = await request('late.jpg');
    await agent.refused('precondition_failed', 'post_schedule', { ...slot, confirm: before.data.confirm });

    const { data, next } = await agent.answer('post_schedule', slot);
    assert.deepEqual(data.goes_out.files_to_come, ['late.jpg']);
    assert.match(next, /files_to_come have not arrived/);
    await agent.call('post_schedule', { ...slot, confirm: data.confirm });
    await put(grant.upload_url, media('slide.jpg'), 'image/jpeg');
    const { files } = await agent.call('post_get', { post_id: id });
    assert.deepEqual(
      files.map(({ filename }: { filename: string }) => filename),
      ['slide.png', 'late.jpg'],
    );
  });

  it('publishes nothing if the post changes while the second call is being prepared', async () => {
    const { agent, id, org, accountId } = await setting();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    world.steered.beforeCreator = async () => {
      world.steered.beforeCreator = null;
      await changePost(org, id, { caption: 'Buy now' });
    };
    await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm });
    assert.deepEqual(await dispatchesOf(org, id), []);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  /** A post that is being sent until it is released, and calls of post_status for it. */
  async function underWay() {
    const { agent, id, org } = await setting();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    const { reached, release } = world.steered.stopBeforeInit();
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

  it('is told not to repeat what has an unknown outcome, and repeating it sends nothing', async () => {
    const { agent, id, org, accountId } = await setting();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await world.loseAnswerAfterFetch();
    for (const _ of [1, 2]) {
      const problem = await agent.refused('platform_timeout', 'post_publish', { post_id: id, confirm });
      assert.match(problem.next, /Do not publish it again/);
    }
    const standing = await agent.answer('post_status', { post_id: id });
    assert.equal(standing.data.publish.status, 'unknown');
    assert.match(standing.next, /Do not publish it again/);
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
    const { agent, id, org, accountId, creator } = await setting();
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
    const { agent, id, org, accountId, creator } = await setting();
    const slot = { scheduled_at: at(world.now() + HOUR_MS) };
    const previews = async (post_id: string) => [
      await agent.answer('post_publish', { post_id }),
      await agent.answer('post_schedule', { post_id, ...slot }),
    ];
    const twin = await draft(agent, creator);
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

  it('makes every wrong move, and reaches no second post without two confirmations of the same facts', async () => {
    const { agent, id, org, accountId, creator } = await setting();
    const other = await world.creatorIn(org, `${creator.username}b`);
    const visible = async () =>
      [...(await world.publishesOf(accountId)), ...(await world.publishesOf(other.accountId))].length;
    const confirms: string[] = [];
    const preview = async (tool: string, more: object = {}) => {
      const { data } = await agent.answer(tool, { post_id: id, ...more });
      if (data.confirm) confirms.push(data.confirm);
      return data;
    };
    /** Sends all that it was ever given, to all that could publish. */
    const confirmAll = async (codes: string[], slot: object) => {
      for (const confirm of confirms)
        for (const [tool, more] of [
          ['post_publish', {}],
          ['post_schedule', slot],
          ['post_resolve', { outcome: 'not_posted' }],
        ] as const) {
          const { code } = await agent.refused(null, tool, { post_id: id, ...more, confirm });
          assert.ok(codes.includes(code), `${tool}: ${code}`);
        }
    };

    // The wrong zone: 18:00 in UTC, where Tokyo was meant.
    const day = new Date(world.now() + 72 * HOUR_MS).toISOString().slice(0, 10);
    const inUtc = { scheduled_at: `${day}T18:00:00Z`, time_zone: 'Asia/Tokyo' };
    const inTokyo = { ...inUtc, scheduled_at: `${day}T18:00:00+09:00` };
    assert.match((await preview('post_schedule', inUtc)).goes_out.times.in_time_zone, / 03:00 /);
    await confirmAll(['precondition_failed'], inTokyo);
    // The wrong account, and with its repair a stale preview.
    await agent.call('post_update', { post_id: id, social_account_id: other.accountId });
    assert.equal((await preview('post_publish')).goes_out.account.id, other.accountId);
    await agent.call('post_update', { post_id: id, social_account_id: accountId });
    await confirmAll(['precondition_failed'], inTokyo);
    assert.equal(await visible(), 0);

    // What a person agreed to, once: its outcome stays unknown.
    await preview('post_publish');
    await world.loseAnswerAfterFetch();
    await agent.refused('platform_timeout', 'post_publish', { post_id: id, confirm: confirms.at(-1) });
    // Publishing again, with all it has, and resolving what no person has looked for.
    const blocked = await preview('post_publish');
    assert.deepEqual([blocked.confirm, blocked.obstacle.code], [null, 'outcome_unknown']);
    await confirmAll(['precondition_failed', 'platform_timeout'], inTokyo);
    const { reports } = await preview('post_resolve', { outcome: 'not_posted' });
    assert.equal((await readPost(org, id)).status, 'publishing');
    assert.equal(await visible(), 1);

    // The first confirmation: a person has looked, and is wrong. It publishes nothing.
    const resolved = { post_id: id, outcome: 'not_posted', confirm: confirms.pop() };
    await agent.call('post_resolve', resolved);
    await confirmAll(['precondition_failed'], inTokyo);
    await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm: resolved.confirm });
    assert.equal(await visible(), 1);
    // The second is about the same post, account and attempt.
    const { goes_out, duplicate_risk } = await preview('post_publish');
    assert.deepEqual([goes_out.title, goes_out.account], [reports.title, reports.account]);
    assert.ok(duplicate_risk.includes(reports.attempted_at), duplicate_risk);
    assert.match(duplicate_risk, /publishes it twice/);
    assert.equal(await visible(), 1);
    await agent.call('post_publish', { post_id: id, confirm: confirms.at(-1) });
    assert.equal(await visible(), 2);

    // With these, each tool has had a result that was compared with its schema.
    const draftId = await draft(agent, creator);
    for (const [tool, input] of [
      ['accounts_list', {}],
      ['account_options', { social_account_id: accountId }],
      ['labels_list', {}],
      ['posts_list', {}],
      ['post_get', { post_id: id }],
      ['post_check', { post_id: draftId }],
      ['post_media_from_url', { post_id: draftId, url: 'https://cdn.example.com/maps/slide-2.png' }],
      ['post_status', { post_id: id }],
      ['events_list', {}],
      ['dispatches_list', {}],
      ['analytics_summary', {}],
    ] as const)
      await agent.call(tool, input);
    const slot = { post_id: draftId, ...inTokyo };
    const { confirm } = await agent.call('post_schedule', slot);
    await agent.call('post_schedule', { ...slot, confirm });
    await agent.call('post_unschedule', { post_id: draftId });
    assert.deepEqual([...agent.compared.keys()].sort(), TOOLS.map(({ name }) => name).sort());
  });

  it('is told a time as it asked for it, in the zone of the audience, and from now', async () => {
    const { agent, id } = await setting();
    const day = new Date(world.now() + 72 * HOUR_MS).toISOString().slice(0, 10);
    const slot = { post_id: id, scheduled_at: `${day}T18:00:00+01:00` };
    const { data, next } = await agent.answer('post_schedule', { ...slot, time_zone: 'Asia/Tokyo' });
    const { at, times } = data.goes_out;
    assert.equal(at, `${day}T17:00:00Z`);
    assert.match(times.as_asked, new RegExp(`^[A-Z][a-z]+day, ${day} 18:00 \\(UTC\\+01:00\\)$`));
    assert.match(times.in_time_zone, / 02:00 \(Asia\/Tokyo, UTC\+09:00\)$/);
    assert.match(times.from_now, /^in \d (days|day)$|^in \d+ hours$/);
    assert.match(next, new RegExp(`show 02:00 then. .* 18:00 there, .* ${day}T18:00, without an offset`));
    const inUtc = await agent.answer('post_schedule', { ...slot, time_zone: 'Africa/Lagos' });
    assert.doesNotMatch(inUtc.next, /clocks/, 'the offset is that of the zone');
    const there = { ...slot, time_zone: 'Europe/Atlantis' };
    await agent.refused('validation_failed', 'post_schedule', there);
  });

  it('may send the local time of a zone, and is asked to ask about those that clocks skip or show twice', async () => {
    const { agent, id } = await setting();
    const year = new Date(world.now()).getUTCFullYear() + 1;
    const slot = { post_id: id, time_zone: 'America/Sao_Paulo' };
    for (const scheduled_at of [`${year}-06-01T18:00`, `${year}-06-01 18:00:00`]) {
      const { data, next } = await agent.answer('post_schedule', { ...slot, scheduled_at });
      assert.equal(data.goes_out.at, `${year}-06-01T21:00:00Z`);
      assert.match(data.goes_out.times.as_asked, / 18:00 \(UTC-03:00\)$/);
      assert.doesNotMatch(next, /clocks/);
    }
    const { confirm } = await agent.call('post_schedule', { ...slot, scheduled_at: `${year}-06-01T18:00` });
    const again = { post_id: id, scheduled_at: `${year}-06-01T21:00:00Z`, confirm };
    assert.equal((await agent.call('post_schedule', again)).post.scheduled_at, again.scheduled_at);

    const refusal = async (scheduled_at: string, time_zone?: string) =>
      (await agent.refused('validation_failed', 'post_schedule', { post_id: id, scheduled_at, time_zone }))
        .detail;
    assert.match(
      await refusal('2027-03-28T02:30', 'Europe/Berlin'),
      /does not exist .* 2027-03-28T03:30\+02:00/,
    );
    const doubled = await refusal('2027-10-31T02:30', 'Europe/Berlin');
    assert.match(doubled, /occurs twice .* 2027-10-31T02:30\+02:00 is the first, 2027-10-31T02:30\+01:00 /);
    assert.match(await refusal('2027-06-01T18:00'), /no UTC offset\. Send time_zone/);
    assert.match(await refusal('2027-06-31T18:00', 'Europe/Berlin'), /must be a date and time/);
    assert.match(await refusal('9999-12-31T23:30Z', 'Asia/Tokyo'), /too far ahead/);
    assert.match(await refusal('six in the evening', 'Europe/Berlin'), /must be a date and time/);
  });

  it('reads in a list what it takes to choose a post, and the rest with the post', async () => {
    const { agent, id, accountId } = await setting();
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
    assert.equal((await agent.call('post_get', { post_id: id })).post.caption, 'Number four is a surprise.');
  });

  it('finds labels by name, puts them on a post, and lists the posts that have one', async () => {
    const { agent, id, org } = await setting();
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
    const { agent, id } = await setting();
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

  it('is told after a problem what its tools can do about it, and what only a person can', async () => {
    const { agent, id, accountId, creator } = await setting();
    const bare = await agent.call('post_create', { title: 'No account yet' });
    const soon = { post_id: bare.id, scheduled_at: at(world.now() + MINUTE_MS) };
    const early = await agent.refused('validation_failed', 'post_schedule', { ...soon, post_id: id });
    assert.match(early.next, new RegExp(`It is now ${at(world.now()).slice(0, 16)}`));
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
    const { data, now } = await agent.answer('dispatches_list', day);
    assert.deepEqual([data.length, data[0].post_id, now], [1, id, at(world.now())]);
    assert.ok(data[0].error_message);
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

  it('may try again after the platform has taken nothing', async () => {
    const { agent, id, accountId } = await setting();
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
    const { agent, id, org } = await setting();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await agent.call('post_publish', { post_id: id, confirm });
    const { json } = await org.call('GET', '/api/v1/audit');
    const [row] = json.data;
    assert.deepEqual([row.action, row.target.id, row.actor.kind], ['post.publish_started', id, 'key']);
    assert.equal(row.address, '127.0.0.1');
  });
});
