// A worker dies, or is paused beyond its lease, at each named point of publishing a video (P1 to P17), and another on the
// same database continues: nothing is lost, and nothing is published twice.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { Database } from '../../src/db/database.js';
import { recount } from '../../src/db/recount.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type KillableWorker, onEachCall, type Points } from '../support/world/killable-worker.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

/** Longer than the lock on tokens during renewal, which outlives a lease. */
const LONG_MS = 120_000;

onEngines('sqlite', 'A worker that publishes a video', (engine) => {
  /** Wraps each transaction of the surviving process, if a test sets it. */
  let around: (<T>(run: () => Promise<T>) => Promise<T>) | null = null;
  let calls: string[] = [];
  const world = useWorld(engine, {
    connector: (real) =>
      onEachCall(real, (call, given, name) => {
        calls.push(name);
        return call(...given);
      }),
    database: (real) =>
      new Proxy(real, {
        get(target, name) {
          const value = Reflect.get(target, name, target);
          if (name !== 'transact') return typeof value === 'function' ? value.bind(target) : value;
          const transact: Database['transact'] = (work) => {
            const run = () => target.transact(work);
            return around ? around(run) : run();
          };
          return transact;
        },
      }),
  });
  let creator: Creator;
  let id: string;
  const workers: KillableWorker[] = [];
  beforeEach(async () => {
    creator = await world.creator();
    id = await world.scheduled(creator, 'video');
    calls = [];
  });
  afterEach(async () => {
    around = null;
    for (const worker of workers.splice(0)) await worker.close();
    assert.deepEqual(
      await recount(world.app.db, ['dispatches']),
      [],
      'the counters went along with everything',
    );
  });

  async function worker(points: Points): Promise<KillableWorker> {
    const killable = await world.killableWorker(points);
    workers.push(killable);
    return killable;
  }
  const outcomes = async () => (await world.outcomesOf(creator, id)).join(' ');
  const statuses = async () => (await world.acceptedInits(creator.username)).map(({ status }) => status);

  /** The init is sent, the bytes are not. */
  async function sent(): Promise<void> {
    await world.engine.publish();
    await world.engine.idle();
  }
  /** All bytes have arrived, and the platform has processed them. */
  async function transferred(): Promise<void> {
    await sent();
    await world.engine.transfer();
    await world.engine.idle();
    await world.waitForPlatform(creator.username);
    world.advance(STEP_MS);
    calls = [];
  }

  /** No worker touches the attempt while its owner may be alive; once the lease expires another one finishes it. */
  async function assertTakenOver(during: string, end: string, pauseMs = STEP_MS): Promise<void> {
    await world.runOnce();
    assert.equal(await outcomes(), during, 'before the lease has ended');
    world.advance(pauseMs);
    await world.runOnce();
    await world.finish(creator);
    assert.equal(await outcomes(), end);
    assert.equal((await world.live(creator.username)).length, 1);
    const { json } = await creator.org.call('GET', `/api/v1/posts/${id}`);
    assert.deepEqual([json.data.publish_retries, json.data.last_publish_error], [0, null]);
  }

  it('P1 dies before the claim commits: the post is still scheduled, and is published', async () => {
    await (await worker({ transaction: 1 })).work('publish');
    assert.equal(await outcomes(), 'scheduled');
    await world.finish(creator);
    assert.equal(await outcomes(), 'posted published');
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
  });

  for (const [point, points, inits] of [
    ['P2 dies after the claim', { before: 'creator' }, 1],
    ['P4 dies before the init is sent', { before: 'prepare' }, 1],
    ['P5 dies before the answer to the init is read', { after: 'prepare' }, 2],
  ] as [string, Points, number][])
    it(`${point}: the attempt is closed, another replaces it, and this counts as no retry`, async () => {
      await (await worker(points)).work('publish');
      await assertTakenOver('publishing started', 'posted failed published');
      const ledger = await world.acceptedInits(creator.username);
      assert.equal(ledger.length, inits);
      if (inits === 2) assert.deepEqual([ledger[0]?.status, ledger[0]?.bytes], ['PROCESSING_UPLOAD', 0]);
      const [first] = await world.attempts(id);
      assert.equal(first?.error_code, 'interrupted');
    });

  it('P3 dies before the token is renewed: as if it had not started', async () => {
    world.advance(2 * 3_600_000);
    await (await worker({ before: 'renew' })).work('publish');
    await assertTakenOver('publishing started', 'posted failed published', LONG_MS);
  });

  it('T2 dies between receiving new tokens and saving them: the post waits until the account is reconnected', async () => {
    world.advance(2 * 3_600_000);
    await (await worker({ after: 'renew' })).work('publish');
    world.advance(LONG_MS);
    await world.runOnce();
    assert.equal(await outcomes(), 'scheduled failed failed');
    await creator.org.connectAccount(creator.username);
    await world.finish(creator);
    assert.equal(await outcomes(), 'posted failed failed published');
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
  });

  it('P6 is paused after reading the answer: its late write changes nothing, and it sends no byte', async () => {
    const zombie = await worker({ after: 'prepare' });
    await zombie.work('publish');
    await assertTakenOver('publishing started', 'posted failed published');
    const before = await world.attempts(id);
    await zombie.wake();
    assert.deepEqual(await world.attempts(id), before);
    const [first] = await world.acceptedInits(creator.username);
    assert.equal(first?.bytes, 0);
  });

  for (const [point, points] of [
    ['before it is written that bytes will leave', { transaction: 2 }],
    ['before the first byte', { before: 'sendChunk' }],
  ] as [string, Points][])
    it(`P7 dies ${point}: another worker continues with the same publish_id`, async () => {
      await sent();
      await (await worker(points)).work('transfer');
      await assertTakenOver('posted accepted', 'posted published');
      assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
    });

  it('P7 dies before the first byte, and an hour passes: the old upload has expired, so there is a new attempt', async () => {
    await sent();
    await (await worker({ before: 'sendChunk' })).work('transfer');
    world.advance(3_600_000 + STEP_MS);
    await world.runOnce();
    await world.finish(creator);
    assert.equal(await outcomes(), 'posted failed published');
    const [first, second] = await world.acceptedInits(creator.username);
    assert.deepEqual([first?.bytes, second?.status], [0, 'PUBLISH_COMPLETE']);
  });

  for (const [point, points] of [
    ['P9 dies before the answer to the last chunk is read', { after: 'sendChunk' }],
    ['P10 dies before it is written that all bytes are there', { after: 'sendChunk', transaction: 1 }],
  ] as [string, Points][])
    it(`${point}: the platform is only polled, and nothing is sent again`, async () => {
      await sent();
      await (await worker(points)).work('transfer');
      calls = [];
      await assertTakenOver('posted accepted', 'posted published');
      assert.ok(!calls.includes('sendChunk') && !calls.includes('prepare'), calls.join(' '));
    });

  for (const [point, points, pauseMs] of [
    ['P11 dies before it asks', { before: 'observe' }, STEP_MS],
    ['P11 dies while it renews the token to ask', { before: 'renew' }, LONG_MS],
    ['P12 dies with the final success in its hands', { after: 'observe' }, STEP_MS],
    ['P13 dies before the success is committed', { after: 'observe', transaction: 1 }, STEP_MS],
  ] as [string, Points, number][])
    it(`${point}: the same publish_id is polled again, and published once`, async () => {
      await transferred();
      if (points.before === 'renew')
        await world.platform.control('expire_tokens', { username: creator.username });
      await (await worker(points)).work('poll');
      await assertTakenOver('posted accepted', 'posted published', pauseMs);
      assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
      assert.ok(!calls.includes('prepare'));
    });

  it('P14 dies after reading a failure: it is read again, and the policy is applied once', async () => {
    await world.platform.control('outcomes', {
      username: creator.username,
      status: 'FAILED',
      fail_reason: 'internal',
    });
    await transferred();
    await (await worker({ after: 'observe' })).work('poll');
    world.advance(STEP_MS);
    await world.engine.poll();
    await world.engine.idle();
    assert.equal(await outcomes(), 'scheduled failed');
    const { json } = await creator.org.call('GET', `/api/v1/posts/${id}`);
    assert.equal(json.data.publish_retries, 1);
    await world.finish(creator);
    assert.deepEqual(await statuses(), ['FAILED', 'PUBLISH_COMPLETE']);
  });

  for (const [points, round] of [
    [{ before: 'creator' }, 'publish'],
    [{ before: 'prepare' }, 'publish'],
    [{ before: 'sendChunk' }, 'transfer'],
    [{ after: 'sendChunk' }, 'transfer'],
    [{ after: 'observe' }, 'poll'],
  ] as [Points, 'publish' | 'transfer' | 'poll'][])
    it(`P15 is paused ${Object.entries(points)[0]?.join(' ')} while another worker finishes: it changes nothing when it wakes`, async () => {
      if (round !== 'publish') await sent();
      if (round === 'poll') {
        await world.engine.transfer();
        await world.engine.idle();
        await world.waitForPlatform(creator.username);
        world.advance(STEP_MS);
      }
      const zombie = await worker(points);
      await zombie.work(round);
      world.advance(STEP_MS);
      await world.finish(creator);
      const before = await world.attempts(id);
      const end = await outcomes();
      assert.match(end, /^posted.* published$/);
      await zombie.wake();
      await world.waitForPlatform(creator.username);
      assert.deepEqual(await world.attempts(id), before);
      assert.equal(await outcomes(), end);
      assert.equal((await world.live(creator.username)).length, 1);
    });

  /** A database that fails for this many transactions after a call to the platform has returned. */
  const awayAfter = (call: string, times: number) => {
    let left = times;
    around = (run) => {
      if (!calls.includes(call) || left === 0) return run();
      left--;
      return Promise.reject(new Error('the database is away'));
    };
  };

  for (const [call, round, end] of [
    ['prepare', 'publish', 'posted accepted'],
    ['observe', 'poll', 'posted published'],
  ] as const)
    it(`P16 cannot store the answer to ${call}: it keeps the answer until it can`, async () => {
      if (round === 'poll') await transferred();
      awayAfter(call, 3);
      await world.engine[round]();
      await world.engine.idle();
      assert.equal(await outcomes(), end);
      await world.finish(creator);
      assert.equal(await outcomes(), 'posted published');
      assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
    });

  it('P16 cannot store that all bytes have arrived: the same upload is polled later', async () => {
    await sent();
    awayAfter('sendChunk', 1);
    await world.engine.transfer();
    await world.engine.idle();
    await assertTakenOver('posted accepted', 'posted published');
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
  });

  it('P17 has no space on the disk: nothing is sent, and publishing continues when there is', async () => {
    around = () =>
      Promise.reject(Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }));
    await world.engine.publish();
    await world.engine.idle();
    assert.deepEqual(calls, []);
    assert.equal((await world.publishNow(creator, id)).status >= 500, true);
    around = null;
    assert.equal(await outcomes(), 'scheduled');
    assert.deepEqual(await statuses(), []);
    await world.finish(creator);
    assert.equal(await outcomes(), 'posted published');
  });

  it('P17 runs out of disk space in the middle: no byte is sent, and the same upload continues when there is space', async () => {
    await sent();
    calls = [];
    around = () =>
      Promise.reject(Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }));
    await world.runOnce();
    assert.deepEqual(calls, []);
    around = null;
    await world.finish(creator);
    assert.equal(await outcomes(), 'posted published');
    assert.deepEqual(await statuses(), ['PUBLISH_COMPLETE']);
  });

  for (const type of ['video', 'slides'] as const)
    it(`P15 is a request to publish ${type} now, paused after its claim: a worker finishes, and the request sends nothing when it wakes`, async () => {
      const own = await world.post(creator, type);
      let wake = () => {};
      const isPaused = new Promise<void>((paused) => {
        around = async (run) => {
          around = null;
          const claimed = await run();
          await new Promise<void>((resolve) => {
            wake = resolve;
            paused();
          });
          return claimed;
        };
      });
      const answer = world.publishNow(creator, own);
      await isPaused;
      world.advance(STEP_MS);
      // Another process takes it over, and is paused before its own init: both are now about to send the post.
      const other = await worker({ before: type === 'video' ? 'prepare' : 'submit' });
      await other.work('poll');
      calls = [];
      wake();
      await answer;
      assert.ok(!calls.includes('prepare') && !calls.includes('submit'), calls.join(' '));
      await other.wake();
      await world.finish(creator);
      assert.deepEqual(await world.outcomesOf(creator, own), ['posted', 'failed', 'published']);
      assert.equal(
        (await world.live(creator.username)).length,
        2,
        'the post, and the scheduled one of all these tests',
      );
      assert.equal((await world.acceptedInits(creator.username)).length, 2);
    });
});
