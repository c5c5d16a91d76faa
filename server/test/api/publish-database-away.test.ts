import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unavailable } from '../../src/core/problems.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { assertProblem, dispatchesOf, onlyDispatch, publish, readyPost } from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';
import { useTidyWorld } from '../support/world/world.js';

const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

/** The errors of an unavailable database: each would be 503 or 500 anywhere else. */
const FAULTS = {
  'is busy': () => unavailable('The database is busy with another process. Try again in a moment.'),
  'cannot be reached': () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  fails: () => new Error('the disk is broken'),
};

onEngines('postgres', 'POST /api/v1/posts/:id/publish when the database goes away', (engine) => {
  const world = useTidyWorld(engine);

  async function readyToPublish(type: 'slides' | 'video' = 'video') {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, type);
    const send = () => publish(org, id, accountId, {}, { 'idempotency-key': 'once' });
    return { org, accountId, id, send };
  }

  /** Nothing can be written until the database is back, and no request waits for long. */
  function loseDatabase(fault: () => Error): () => void {
    const { db, config } = world.service.app;
    const { transact } = db;
    const { leaseMs } = config.publishing;
    db.transact = () => Promise.reject(fault());
    config.publishing.leaseMs = 1;
    return () => {
      db.transact = transact;
      config.publishing.leaseMs = leaseMs;
    };
  }

  /** Publishes, and acts right after the platform has accepted, before the service stores the answer. */
  async function whenAccepted(send: () => Promise<Answer>, act: () => Promise<void>): Promise<Answer> {
    world.scripted.afterInit = async () => {
      world.scripted.afterInit = null;
      await act();
    };
    return send();
  }

  async function sentWithoutDatabase(send: () => Promise<Answer>, fault: () => Error): Promise<Answer> {
    let bringBack = () => {};
    try {
      return await whenAccepted(send, async () => {
        bringBack = loseDatabase(fault);
      });
    } finally {
      bringBack();
    }
  }

  /** At the end of the lease the worker takes the attempt over. */
  async function takeOver(): Promise<void> {
    world.advance(world.service.app.config.publishing.leaseMs + 1);
    await world.engine.poll();
    await world.engine.idle();
  }

  for (const [title, fault] of Object.entries(FAULTS))
    it(`504 when it ${title} after the post was sent: the repeated request sends nothing, and gets the outcome`, async () => {
      const { org, accountId, id, send } = await readyToPublish();
      const answer = await sentWithoutDatabase(send, fault);
      assertProblem(answer, 504, 'platform_timeout');
      assert.equal(answer.headers.get('retry-after'), null);
      assert.equal((await world.publishesOf(accountId)).length, 1);
      await until('the answer is saved', async () => (await onlyDispatch(org, id)).outcome === 'accepted');
      const { publish_id } = await onlyDispatch(org, id);
      const again = await send();
      assert.deepEqual([again.status, isReplay(again), again.json], [200, true, { data: { publish_id } }]);
      await world.settle(publish_id ?? '');
      const live = (await world.publishesOf(accountId)).filter(({ status }) => status === 'PUBLISH_COMPLETE');
      assert.deepEqual(
        live.map((one) => one.publish_id),
        [publish_id],
      );
    });

  it('504 when slides were sent and fetched by then: never sent again, and known when the database is back', async () => {
    const { org, accountId, id, send } = await readyToPublish('slides');
    let bringBack = () => {};
    try {
      const answer = await whenAccepted(send, async () => {
        await until('a slide is fetched', async () => (await world.dispatchRow(id)).fetched_at !== null);
        bringBack = loseDatabase(FAULTS['cannot be reached']);
      });
      assertProblem(answer, 504, 'platform_timeout');
    } finally {
      bringBack();
    }
    await until('the answer is saved', async () => (await onlyDispatch(org, id)).outcome === 'accepted');
    const again = await send();
    assert.deepEqual([again.status, isReplay(again)], [200, true], again.text);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('504 when the stored answer cannot be read: the repeated request learns that it was accepted', async () => {
    const { org, accountId, id, send } = await readyToPublish();
    const { db } = world.service.app;
    const { transact, read } = db;
    const answer = await whenAccepted(send, async () => {
      db.transact = async (work) => {
        const result = await transact(work);
        Object.assign(db, {
          transact,
          read: {
            selectFrom() {
              Object.assign(db, { read });
              throw FAULTS['cannot be reached']();
            },
          },
        });
        return result;
      };
    }).finally(() => Object.assign(db, { transact, read }));
    assertProblem(answer, 504, 'platform_timeout');
    const { outcome, publish_id } = await onlyDispatch(org, id);
    assert.equal(outcome, 'accepted');
    const again = await send();
    assert.deepEqual([again.status, isReplay(again), again.json], [200, true, { data: { publish_id } }]);
    assert.equal((await world.publishesOf(accountId)).length, 1);
  });

  it('504 when an internal error occurs while the post is sent', async () => {
    const { org, accountId, id, send } = await readyToPublish();
    const answer = await whenAccepted(send, () => Promise.reject(new Error('a mistake in the program')));
    assertProblem(answer, 504, 'platform_timeout');
    assert.equal((await world.publishesOf(accountId)).length, 1);
    assert.equal((await onlyDispatch(org, id)).outcome, 'started');
    await takeOver();
    assert.equal((await send()).status, 200);
  });

  for (const title of ['is busy', 'cannot be reached'] as const)
    it(`503 when it ${title} before anything was sent: the repeated request sends the post`, async () => {
      const { org, accountId, id, send } = await readyToPublish();
      let bringBack = () => {};
      world.scripted.beforeCreator = async () => {
        world.scripted.beforeCreator = null;
        bringBack = loseDatabase(FAULTS[title]);
      };
      assertProblem(await send().finally(() => bringBack()), 503, 'unavailable');
      assert.deepEqual([await dispatchesOf(org, id), await world.publishesOf(accountId)], [[], []]);
      const again = await send();
      assert.deepEqual([again.status, isReplay(again)], [200, false], again.text);
      await onlyDispatch(org, id);
    });
});
