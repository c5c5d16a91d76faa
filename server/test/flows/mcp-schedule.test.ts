// Scheduling over MCP takes two calls, and a time is understood as it was meant.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { at, readPost } from '../support/service/posts.js';
import { useAgents } from '../support/world/agents.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'An agent that schedules', (engine) => {
  const world = useTidyWorld(engine);
  const agents = useAgents(world);

  it('schedules a post in two calls, and cannot change it until it is unscheduled', async () => {
    const { agent, id, org } = await agents.withDraft();
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
    const { agent, id } = await agents.withDraft();
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

  it('is told a time as it asked for it, in the zone of the audience, and from now', async () => {
    const { agent, id } = await agents.withDraft();
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
    const { agent, id } = await agents.withDraft();
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
});
