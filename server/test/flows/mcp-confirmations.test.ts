// A confirmation over MCP is good for what a person was shown, and for nothing else.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TOOLS } from '../../src/http/mcp/tools.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { at, changePost, dispatchesOf, readPost } from '../support/service/posts.js';
import { media, put, upload } from '../support/service/uploads.js';
import { draftBy, useAgents } from '../support/world/agents.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'The confirmation of an agent', (engine) => {
  const world = useTidyWorld(engine);
  const agents = useAgents(world);

  it('cannot use a confirmation after the post, its files or its account have changed', async () => {
    const { agent, id, org, accountId, creator } = await agents.withDraft();
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
    const { agent, id, org, creator } = await agents.withDraft();
    const another = await draftBy(agent, creator);
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
    const { agent, id, org } = await agents.withDraft();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    await agent.addFile(id, 'slide.jpg');
    await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm });
    assert.deepEqual(await dispatchesOf(org, id), []);
  });

  it('is shown which files may still arrive for a scheduled post, and confirms those and no others', async () => {
    const { agent, id } = await agents.withDraft();
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
    const { agent, id, org, accountId } = await agents.withDraft();
    const { confirm } = await agent.call('post_publish', { post_id: id });
    world.scripted.beforeCreator = async () => {
      world.scripted.beforeCreator = null;
      await changePost(org, id, { caption: 'Buy now' });
    };
    await agent.refused('precondition_failed', 'post_publish', { post_id: id, confirm });
    assert.deepEqual(await dispatchesOf(org, id), []);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('makes every wrong move, and reaches no second post without two confirmations of the same facts', async () => {
    const { agent, id, org, accountId, creator } = await agents.withDraft();
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
    const draftId = await draftBy(agent, creator);
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
});
