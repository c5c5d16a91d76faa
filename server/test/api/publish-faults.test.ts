import assert from 'node:assert/strict';
import { it } from 'node:test';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import {
  analyticsOf,
  assertProblem,
  assertTold,
  dispatchesOf,
  onlyDispatch,
  publish,
  published,
  publishStatusOf,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

/** 503 with a time to wait. */
function assertUnavailable(answer: Answer): void {
  assertProblem(answer, 503, 'platform_unavailable');
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

onEngines('sqlite', 'POST /api/v1/posts/:id/publish when the platform fails', (engine) => {
  const world = useTidyWorld(engine);

  for (const [title, faults, code] of [
    ['the question about the creator fails', { on: 'creator_info', kind: 'http_500' }, 'internal_error'],
    ['the question about the creator is lost', { on: 'creator_info', kind: 'reset_after' }, 'no_answer'],
    ['it asks for a pause before the init', { on: 'creator_info', kind: 'http_429' }, 'rate_limit_exceeded'],
    ['it asks for a pause at the init', { on: 'init', kind: 'http_429' }, 'rate_limit_exceeded'],
    ['the init fails before a slide was fetched', { on: 'init', kind: 'http_500' }, 'internal_error'],
    ['the init is lost before a slide was fetched', { on: 'init', kind: 'reset_before' }, 'no_answer'],
  ] as const)
    for (const from of everyday(1, ['draft', 'scheduled'] as const, title))
      it(`503 when ${title}: a ${from} post is as before, and the attempt has failed`, async () => {
        const { org, accountId } = await world.creator();
        const id = from === 'draft' ? await readyPost(org) : await world.scheduledPost(org, accountId);
        const { updated_at: _, ...before } = await readPost(org, id);
        await world.platform.control('faults', faults);
        const answer = await publish(org, id, accountId, { disable_comment: true });
        assertUnavailable(answer);
        if (code === 'rate_limit_exceeded') assert.equal(answer.headers.get('retry-after'), '60');
        const { updated_at: __, ...after } = await readPost(org, id);
        assert.deepEqual(after, before);
        const dispatch = await onlyDispatch(org, id);
        assert.deepEqual([dispatch.outcome, dispatch.error_code], ['failed', code]);
        assertTold(dispatch.error_message, code);
        assert.deepEqual([dispatch.publish_id, dispatch.accepted_at], [null, null]);
        assert.notEqual(dispatch.finished_at, null);
        assert.deepEqual(await world.publishesOf(accountId), []);
        const { total_dispatches, successful_dispatches, success_rate } = await analyticsOf(org);
        assert.deepEqual([total_dispatches, successful_dispatches, success_rate], [1, 0, 0]);
        await published(org, id, accountId);
        assert.deepEqual(
          (await dispatchesOf(org, id)).map(({ attempt, outcome }) => [attempt, outcome]),
          [
            [2, 'accepted'],
            [1, 'failed'],
          ],
        );
      });

  for (const kind of ['reset_after', 'http_500', 'reset_before'] as const)
    it(`503 when the answer to the init of a video is lost (${kind}): without bytes nothing is published`, async () => {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org, 'video');
      await world.platform.control('faults', { on: 'init', kind });
      assertUnavailable(await publish(org, id, accountId));
      assert.equal((await readPost(org, id)).status, 'draft');
      assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
      const publishId = await published(org, id, accountId);
      await world.settle(publishId);
      const done = (await world.publishesOf(accountId)).filter(({ status }) => status === 'PUBLISH_COMPLETE');
      assert.deepEqual(
        done.map(({ publish_id }) => publish_id),
        [publishId],
      );
    });

  it('503 when the answer for slides is lost and none was fetched yet: their URLs are revoked, and nothing is published', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await world.withGate(async (openGate) => {
      await world.platform.control('faults', { on: 'init', kind: 'reset_after' });
      assertUnavailable(await publish(org, id, accountId));
      assert.equal((await readPost(org, id)).status, 'draft');
      const dispatch = await world.dispatchRow(id);
      assert.deepEqual([dispatch.outcome, dispatch.fetched_at], ['failed', null]);
      openGate();
      await until('the platform has given up', async () => {
        const [taken] = await world.publishesOf(accountId);
        return taken?.status === 'FAILED';
      });
      const late = await world.service.request('GET', `/media/${dispatch.nonce}/1.jpg`);
      assertProblem(late, 410, 'gone');
      assert.equal((await world.dispatchRow(id)).fetched_at, null);
    });
    const publishId = await published(org, id, accountId);
    await world.settle(publishId);
    const statuses = (await world.publishesOf(accountId)).map(({ status }) => status);
    assert.deepEqual(statuses, ['FAILED', 'PUBLISH_COMPLETE']);
  });

  it('504 when the answer for slides is lost and one was fetched: the outcome is unknown, and nothing is sent again', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await world.loseAnswerAfterFetch();
    const answer = await publish(org, id, accountId, { disable_comment: true });
    assertProblem(answer, 504, 'platform_timeout');
    const post = await readPost(org, id);
    assert.deepEqual([post.status, post.posted_at], ['publishing', null]);
    assert.match(post.last_publish_error ?? '', /unknown/);
    assertTold(post.last_publish_error, 'no_answer');
    assert.deepEqual([post.social_account_id, post.disable_comment], [accountId, true]);
    const dispatch = await onlyDispatch(org, id);
    assert.deepEqual([dispatch.outcome, dispatch.publish_id], ['unknown', null]);
    const status = await publishStatusOf(org, id);
    assert.deepEqual([status.status, status.publish_id], ['unknown', null]);
    assertProblem(await publish(org, id, accountId), 409, 'wrong_state');
    for (const ms of [HOUR_MS, 30 * HOUR_MS]) {
      world.advance(ms);
      await world.runOnce();
    }
    assert.equal((await world.publishesOf(accountId)).length, 1);
    assert.equal((await onlyDispatch(org, id)).outcome, 'unknown');
    assert.equal((await readPost(org, id)).status, 'publishing');
    assert.equal((await analyticsOf(org)).successful_dispatches, 0);
  });
});

onEngines('sqlite', 'POST /api/v1/posts/:id/publish when the platform does not answer', (engine) => {
  const world = useTidyWorld(engine);

  it('503 when the connection is never made', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    const before = await readPost(org, id);
    await world.platform.halt();
    try {
      assertUnavailable(await publish(org, id, accountId));
    } finally {
      await world.platform.start();
    }
    assert.deepEqual({ ...(await readPost(org, id)), updated_at: before.updated_at }, before);
    const dispatch = await onlyDispatch(org, id);
    assert.deepEqual([dispatch.outcome, dispatch.error_code], ['failed', 'not_reached']);
  });

  it('503 when the init of a video hangs until its deadline', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video');
    await world.platform.control('faults', { on: 'init', kind: 'hang' });
    const { publishing } = world.service.app.config;
    const { platformTimeoutMs } = publishing;
    // Only now: earlier calls may take their time.
    publishing.platformTimeoutMs = 1_000;
    try {
      assertUnavailable(await publish(org, id, accountId));
    } finally {
      publishing.platformTimeoutMs = platformTimeoutMs;
    }
    assert.equal((await readPost(org, id)).status, 'draft');
    assert.equal((await onlyDispatch(org, id)).outcome, 'failed');
  });
});
