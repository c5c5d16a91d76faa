// A post that lost its slot says which one it was, until it gets another or is published.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  archive,
  assertProblem,
  assertTold,
  changePost,
  failedWith,
  publish,
  published,
  readPost,
  resolve,
  setPost,
} from '../support/service/posts.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'The last slot of a post', (engine) => {
  const world = useTidyWorld(engine);

  /** A post whose slot has come, and its slot. */
  async function duePost() {
    const creator = await world.creator();
    const id = await world.scheduledPost(creator.org, creator.accountId);
    const { scheduled_at, last_slot } = await readPost(creator.org, id);
    assert.equal(last_slot, null);
    world.advance(HOUR_MS);
    return { ...creator, id, slot: scheduled_at as string };
  }

  /** A post whose slot failed. */
  async function failedPost() {
    const due = await duePost();
    await world.platform.control('faults', { on: 'init', kind: 'http_400' });
    await world.runOnce();
    return due;
  }

  it('is the slot that failed, and a new slot clears it', async () => {
    const { org, id, slot } = await failedPost();
    const failed = await readPost(org, id);
    assert.deepEqual([failed.status, failed.scheduled_at, failed.last_slot], ['draft', null, slot]);
    const text = await changePost(org, id, { caption: 'Another caption' });
    assert.equal(text.last_slot, slot);
    const booked = await changePost(org, id, {
      status: 'scheduled',
      scheduled_at: new Date(world.now() + HOUR_MS).toISOString(),
    });
    assert.deepEqual([booked.status, booked.last_slot], ['scheduled', null]);
    const freed = await changePost(org, id, { status: 'draft' });
    assert.deepEqual([freed.status, freed.last_slot], ['draft', null]);
  });

  it('is the slot that was missed', async () => {
    const { org, id, slot } = await duePost();
    world.advance(7 * HOUR_MS);
    await world.runOnce();
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at, post.last_slot], ['draft', null, slot]);
    assertTold(post.last_publish_error, 'slot_missed');
    // Each reader sees the slot in a time zone of their own, so the sentence names no time.
    assert.doesNotMatch(post.last_publish_error ?? '', /UTC/);
  });

  it('has one code, also if an attempt had failed before', async () => {
    const { org, id } = await duePost();
    await setPost(world.service, id, failedWith('Too many requests', 'rate_limit_exceeded'));
    world.advance(7 * HOUR_MS);
    await world.runOnce();
    assert.match(
      (await readPost(org, id)).last_publish_error ?? '',
      /Schedule it again\. Last error: Too many requests \(slot_missed\)$/,
    );
  });

  it('is cleared by a publication, and stays if publishing now fails too', async () => {
    const { org, accountId, id, slot } = await failedPost();
    await world.platform.control('faults', { on: 'init', kind: 'http_400' });
    assert.equal((await publish(org, id, accountId)).status, 422);
    assert.equal((await readPost(org, id)).last_slot, slot);
    await published(org, id, accountId);
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.last_slot], ['posted', null]);
  });

  it('is the slot of a post that the platform accepted and refused later', async () => {
    const { org, username, id, slot } = await duePost();
    await world.platform.control('outcomes', { username, status: 'FAILED', fail_reason: 'spam_risk_text' });
    await world.runOnce();
    const accepted = await readPost(org, id);
    assert.deepEqual([accepted.status, accepted.last_slot], ['posted', null]);
    await world.settle((await world.dispatchRow(id)).publish_id ?? '');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.scheduled_at, post.last_slot], ['draft', null, slot]);
  });

  it('is set when an unknown outcome is resolved as not posted, and not when as posted', async () => {
    for (const outcome of ['not_posted', 'posted'] as const) {
      const { org, id, slot } = await duePost();
      await world.loseAnswerAfterFetch();
      await world.runOnce();
      const unknown = await readPost(org, id);
      assert.deepEqual([unknown.status, unknown.last_slot], ['publishing', null]);
      const answer = await resolve(org, id, outcome);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.data.last_slot, outcome === 'posted' ? null : slot);
    }
  });

  it('stays in the archive, and is not set by archiving a scheduled post', async () => {
    const { org, id, slot } = await failedPost();
    await archive(org, id);
    assert.equal((await readPost(org, id)).last_slot, slot);
    const other = await duePost();
    await archive(other.org, other.id);
    assert.equal((await readPost(other.org, other.id)).last_slot, null);
  });

  it('cannot be set by a request', async () => {
    const { org, id } = await duePost();
    const answer = await org.call('PATCH', `/api/v1/posts/${id}`, { last_slot: null });
    assertProblem(answer, 400, 'validation_failed');
  });
});
