import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  archive,
  assertProblem,
  dispatchesOf,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
  resolve,
  setPost,
  unarchive,
} from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';
import { upload } from '../support/service/uploads.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

const withKey = (key: string) => ({ 'idempotency-key': key });
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';
const sameProblem = (one: Answer, other: Answer) =>
  assert.deepEqual({ ...one.json, request_id: '' }, { ...other.json, request_id: '' });

onEngines('sqlite', 'POST /api/v1/posts/:id/publish with an Idempotency-Key', (engine) => {
  const world = useTidyWorld(engine);

  async function readyToPublish(key: string) {
    const { org, accountId, username } = await world.creator();
    const id = await readyPost(org);
    const send = (more: Record<string, unknown> = {}) => publish(org, id, accountId, more, withKey(key));
    return { org, accountId, username, id, send };
  }

  it('makes one attempt, and replays its response byte for byte', async () => {
    const { org, accountId, id, send } = await readyToPublish('once');
    const first = await send();
    assert.equal(first.status, 200, first.text);
    assert.ok(!isReplay(first));
    const again = await send();
    assert.deepEqual([again.status, isReplay(again), again.text], [200, true, first.text]);
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
    await onlyDispatch(org, id);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('replays the acceptance for 24 hours, whatever happens to the post later', async () => {
    const { org, accountId, username, id, send } = await readyToPublish('later');
    await world.platform.control('outcomes', { username, status: 'FAILED', fail_reason: 'spam_risk' });
    const first = await send();
    await world.settle(first.json.data.publish_id);
    assert.equal((await readPost(org, id)).status, 'draft');
    world.advance(23 * HOUR_MS);
    const again = await send();
    assert.deepEqual([again.status, isReplay(again), again.text], [200, true, first.text]);
    world.advance(HOUR_MS);
    const anew = await send();
    assert.deepEqual([anew.status, isReplay(anew)], [200, false]);
    assert.equal((await world.publishesOf(accountId)).length, 2);
  });

  it('is forgotten after a day, and then belongs to the next request that uses it', async () => {
    const { org, accountId, send } = await readyToPublish('old');
    assert.equal((await send()).status, 200);
    world.advance(25 * HOUR_MS);
    const draft = () => org.call('POST', '/api/v1/posts', { title: 'A new day' }, withKey('old'));
    const first = await draft();
    assert.equal(first.status, 201, first.text);
    const again = await draft();
    assert.deepEqual([again.status, again.text], [201, first.text]);
    const empty = await org.addPost();
    world.advance(25 * HOUR_MS);
    for (const _ of [1, 2])
      assertProblem(await publish(org, empty, accountId, {}, withKey('old')), 409, 'no_media');
  });

  it('used with another body, or for another post, is 422', async () => {
    const { org, accountId, id, send } = await readyToPublish('reused');
    const first = await send();
    assertProblem(await send({ mode: 'inbox' }), 422, 'idempotency_key_reused');
    const other = await readyPost(org);
    const elsewhere = await publish(org, other, accountId, {}, withKey('reused'));
    assertProblem(elsewhere, 422, 'idempotency_key_reused');
    assert.equal((await send()).text, first.text);
    assert.deepEqual(await dispatchesOf(org, other), []);
    await onlyDispatch(org, id);
  });

  it('is another key for another organization', async () => {
    const one = await readyToPublish('shared');
    const two = await readyToPublish('shared');
    assert.equal((await one.send()).status, 200);
    const answer = await two.send();
    assert.deepEqual([answer.status, isReplay(answer)], [200, false]);
  });

  it('is 409 with Retry-After while its attempt is open', async () => {
    const { org, id, send } = await readyToPublish('open');
    const init = world.scripted.stopBeforeInit();
    const first = send();
    await init.reached;
    const meanwhile = await send();
    assertProblem(meanwhile, 409, 'idempotency_key_in_use');
    assert.match(meanwhile.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.ok(!isReplay(meanwhile));
    assertProblem(await send({ mode: 'inbox' }), 422, 'idempotency_key_reused');
    init.release();
    assert.equal((await first).status, 200);
    assert.deepEqual([(await send()).text, isReplay(await send())], [(await first).text, true]);
    await onlyDispatch(org, id);
  });

  it('does not keep 503: the same request may be repeated, and its success is kept', async () => {
    const { org, accountId, id, send } = await readyToPublish('unavailable');
    await world.platform.control('faults', { on: 'init', kind: 'http_429', times: 2 });
    for (let i = 0; i < 2; i++) {
      const answer = await send();
      assertProblem(answer, 503, 'platform_unavailable');
      assert.ok(!isReplay(answer));
    }
    const first = await send();
    assert.deepEqual([first.status, isReplay(first)], [200, false]);
    const again = await send();
    assert.deepEqual([again.text, isReplay(again)], [first.text, true]);
    assert.deepEqual(
      (await dispatchesOf(org, id)).map(({ outcome }) => outcome),
      ['accepted', 'failed', 'failed'],
    );
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('starts one attempt when many requests repeat a 503 together', async () => {
    const { org, accountId, id, send } = await readyToPublish('together');
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    assert.equal((await send()).status, 503);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()));
    const first = answers.find((answer) => answer.status === 200);
    for (const answer of answers)
      if (answer.status === 200) assert.equal(answer.text, first?.text);
      else assert.equal(answer.status, 409, answer.text);
    assert.ok(first);
    assert.equal((await dispatchesOf(org, id)).length, 2);
    assert.equal((await world.publishesOf(accountId)).length, 1);
    assert.equal((await send()).text, first.text);
  });

  it('never sends a post again after 504, and answers 504 until the outcome is known', async () => {
    const { org, accountId, id, send } = await readyToPublish('timeout');
    await world.loseAnswerAfterFetch();
    const first = await send();
    assertProblem(first, 504, 'platform_timeout');
    const again = await send();
    assertProblem(again, 504, 'platform_timeout');
    assert.ok(isReplay(again));
    sameProblem(first, again);
    assert.equal((await world.publishesOf(accountId)).length, 1);
    await onlyDispatch(org, id);
    // Once a member has looked and found nothing, the same request may start again.
    assert.equal((await resolve(org, id, 'not_posted')).status, 200);
    const anew = await send();
    assert.deepEqual([anew.status, isReplay(anew)], [200, false], anew.text);
  });

  it('says that nothing is sent once a member has found the post on the platform', async () => {
    const { org, accountId, id, send } = await readyToPublish('found');
    await world.loseAnswerAfterFetch();
    assertProblem(await send(), 504, 'platform_timeout');
    assert.equal((await resolve(org, id, 'posted')).status, 200);
    assertProblem(await send(), 409, 'wrong_state');
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('keeps the refusal of an attempt: 422 is replayed and nothing is sent again', async () => {
    const { org, accountId } = await world.creator(`kept.${engine}`);
    const id = await readyPost(org);
    await world.platform.control('faults', { on: 'init', kind: 'http_400' });
    const send = () => publish(org, id, accountId, { mode: 'inbox' }, withKey('refused'));
    const first = await send();
    assertProblem(first, 422, 'platform_refused');
    const again = await send();
    assert.deepEqual([again.status, isReplay(again)], [422, true]);
    sameProblem(first, again);
    await onlyDispatch(org, id);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('keeps refusals before any attempt: 409 and 422, but not 400 and 404', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    const send = () => publish(org, id, accountId, {}, withKey('no-media'));
    const first = await send();
    assertProblem(first, 409, 'no_media');
    await upload(org, id, 'slide.png');
    const again = await send();
    assert.deepEqual([again.status, again.json.code, isReplay(again)], [409, 'no_media', true]);
    sameProblem(first, again);

    const branded = { privacy_level: 'SELF_ONLY', brand_content_toggle: true };
    for (const replayed of [false, true]) {
      const answer = await publish(org, id, accountId, branded, withKey('branded'));
      assertProblem(answer, 422, 'branded_content_private');
      assert.equal(isReplay(answer), replayed);
    }
    const bad = await publish(org, id, accountId, { mode: 'later' }, withKey('bad'));
    assert.equal(bad.status, 400);
    const good = await publish(org, id, accountId, {}, withKey('bad'));
    assert.deepEqual([good.status, isReplay(good)], [200, false]);
  });

  it('keeps a 409 of a post that was posted', async () => {
    const { org, id, send } = await readyToPublish('posted');
    await setPost(world.service, id, { status: 'posted' });
    assertProblem(await send(), 409, 'wrong_state');
    await setPost(world.service, id, { status: 'draft' });
    const again = await send();
    assert.deepEqual([again.status, isReplay(again)], [409, true]);
    assert.deepEqual(await dispatchesOf(org, id), []);
  });

  it('keeps a 409 that arises at the very moment of the claim', async () => {
    const { org, id, send } = await readyToPublish('overtaken');
    world.scripted.beforeCreator = async () => {
      world.scripted.beforeCreator = null;
      await archive(org, id);
    };
    const first = await send();
    assertProblem(first, 409, 'wrong_state');
    await unarchive(org, id);
    const again = await send();
    assert.deepEqual([again.status, isReplay(again)], [409, true]);
    sameProblem(first, again);
    assert.deepEqual(await dispatchesOf(org, id), []);
  });

  it('is forgotten with the post: the repeated request gets 404', async () => {
    const { org, id, send } = await readyToPublish('deleted');
    await send();
    await archive(org, id);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    const repeated = await send();
    assertProblem(repeated, 404, 'not_found');
    assert.equal(repeated.headers.get('idempotency-replayed'), 'true');
  });

  it('of 50 calls at once makes one attempt, and every call gets its acceptance or 409 with Retry-After', async () => {
    const { org, accountId, id, send } = await readyToPublish('fifty');
    const answers = await Promise.all(Array.from({ length: 50 }, () => send()));
    const accepted = answers.filter(({ status }) => status === 200);
    assert.equal(accepted.filter((answer) => !isReplay(answer)).length, 1);
    assert.equal(new Set(accepted.map(({ text }) => text)).size, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assertProblem(answer, 409, 'idempotency_key_in_use');
      assert.notEqual(answer.headers.get('retry-after'), null);
    }
    const { publish_id } = await onlyDispatch(org, id);
    assert.deepEqual(accepted[0]?.json, { data: { publish_id } });
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('is not required: of 100 calls at once without a key one is accepted, and 99 are 409', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const answers = await Promise.all(Array.from({ length: 100 }, () => publish(org, id, accountId)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(99).fill(409)]);
    for (const answer of answers) if (answer.status === 409) assertProblem(answer, 409, 'wrong_state');
    await onlyDispatch(org, id);
    assert.equal((await world.publishesOf(accountId)).length, 1);
    assertProblem(await publish(org, id, accountId), 409, 'wrong_state');
    await published(org, await readyPost(org), accountId);
  });
});
