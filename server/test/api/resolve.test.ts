import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  addPostIn,
  analyticsOf,
  archive,
  assertProblem,
  assertRefused,
  dispatchesOf,
  onlyDispatch,
  publish,
  published,
  publishStatusOf,
  readPost,
  readyPost,
  resolve,
  STATUSES,
  UNKNOWN_ID,
  unarchive,
} from '../support/service/posts.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'POST /api/v1/posts/:id/resolve', (engine) => {
  const world = useTidyWorld(engine);

  async function unknownPost() {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await world.loseAnswerAfterFetch();
    assertProblem(await publish(org, id, accountId), 504, 'platform_timeout');
    return { org, accountId, id };
  }

  it('posted: the post is posted since the attempt began, and the attempt published', async () => {
    const { org, id } = await unknownPost();
    const answer = await resolve(org, id, 'posted');
    assert.equal(answer.status, 200, answer.text);
    const post = await readPost(org, id);
    assert.deepEqual(answer.json.data, post);
    const { outcome, started_at, error_code, error_message, finished_at } = await onlyDispatch(org, id);
    assert.deepEqual([post.status, post.posted_at, post.last_publish_error], ['posted', started_at, null]);
    assert.deepEqual([outcome, error_code, error_message], ['published', null, null]);
    assert.notEqual(finished_at, null);
    const { published: posts, successful_dispatches } = await analyticsOf(org);
    assert.deepEqual([posts, successful_dispatches], [1, 1]);
  });

  it('not_posted: the post is a draft again, the attempt failed, and it may be published', async () => {
    const { org, accountId, id } = await unknownPost();
    const answer = await resolve(org, id, 'not_posted');
    assert.deepEqual([answer.status, answer.json.data.status], [200, 'draft']);
    const post = await readPost(org, id);
    assert.deepEqual([post.posted_at, post.scheduled_at, post.last_publish_error], [null, null, null]);
    const { outcome, error_code } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, error_code], ['failed', 'resolved_not_posted']);
    const { nonce } = await world.dispatchRow(id);
    assertProblem(await world.service.request('GET', `/media/${nonce}/1.jpg`), 410, 'gone');
    await published(org, id, accountId);
    assert.deepEqual(
      (await dispatchesOf(org, id)).map(({ outcome }) => outcome),
      ['accepted', 'failed'],
    );
  });

  it('resolves a scheduled post too, and the scheduler does not publish it again', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    await world.loseAnswerAfterFetch();
    await world.runOnce();
    assert.equal((await readPost(org, id)).status, 'publishing');
    assert.equal((await resolve(org, id, 'not_posted')).json.data.status, 'draft');
    world.advance(HOUR_MS);
    await world.runOnce();
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('resolves an archived post, which stays archived and is restored to the resolved state', async () => {
    for (const [outcome, status] of [
      ['posted', 'posted'],
      ['not_posted', 'draft'],
    ] as const) {
      const { org, id } = await unknownPost();
      await archive(org, id);
      const answer = await resolve(org, id, outcome);
      assert.deepEqual([answer.status, answer.json.data.status], [200, 'archived']);
      assert.equal(answer.json.data.posted_at !== null, outcome === 'posted');
      await unarchive(org, id);
      assert.equal((await readPost(org, id)).status, status);
    }
  });

  it('409: the outcome of the post is known', async () => {
    const { org, accountId } = await world.creator();
    for (const status of STATUSES) {
      const id = await addPostIn(world.service, org, status);
      for (const outcome of ['posted', 'not_posted'])
        assertProblem(await resolve(org, id, outcome), 409, 'wrong_state');
    }
    const id = await readyPost(org);
    await published(org, id, accountId);
    assertProblem(await resolve(org, id, 'not_posted'), 409, 'wrong_state');
    assert.equal((await readPost(org, id)).status, 'posted');
  });

  it('409: it was resolved already', async () => {
    const { org, id } = await unknownPost();
    await resolve(org, id, 'posted');
    assertProblem(await resolve(org, id, 'not_posted'), 409, 'wrong_state');
    const { status, publish_id } = await publishStatusOf(org, id);
    assert.deepEqual([status, publish_id], ['published', null]);
  });

  it('409: an open attempt will still get an outcome', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const init = world.scripted.stopBeforeInit();
    const answer = publish(org, id, accountId);
    await init.reached;
    assertProblem(await resolve(org, id, 'not_posted'), 409, 'wrong_state');
    init.release();
    assert.equal((await answer).status, 200);
  });

  it('takes effect once when two members answer differently', async () => {
    const { org, id } = await unknownPost();
    const answers = await Promise.all([resolve(org, id, 'posted'), resolve(org, id, 'not_posted')]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const isPosted = answers[0]?.status === 200;
    assert.equal((await readPost(org, id)).status, isPosted ? 'posted' : 'draft');
    assert.equal((await onlyDispatch(org, id)).outcome, isPosted ? 'published' : 'failed');
  });

  it('400, 403, 404: an invalid body, a key without posts:publish, a post of another organization', async () => {
    const { org, id } = await unknownPost();
    assertRefused(await resolve(org, id, 'maybe'), 'outcome');
    const path = `/api/v1/posts/${id}/resolve`;
    assertRefused(await org.call('POST', path, {}), 'outcome');
    assertRefused(await org.call('POST', path, { outcome: 'posted', at: 'noon' }), 'at');
    const key = await org.keyWith(['posts:read', 'posts:write']);
    const body = { outcome: 'posted' };
    assertProblem(await world.service.request('POST', path, { key, body }), 403, 'insufficient_scope');
    const other = await world.creator();
    for (const foreign of [id, UNKNOWN_ID, 'nonsense'])
      assertProblem(await resolve(other.org, foreign, 'posted'), 404, 'not_found');
    assert.equal((await readPost(org, id)).status, 'publishing');
  });
});
