// A member reconnects an account at the very moment its posts start to wait for that.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { assertProblem } from '../support/service/posts.js';
import { type Creator, useWorld } from '../support/world/world.js';

onEngines('postgres', 'A due post whose account is reconnected', (engine) => {
  const world = useWorld(engine);

  /** The grant is gone, and the service does not know yet. */
  async function withoutGrant(): Promise<{ creator: Creator; id: string }> {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    await world.platform.control('remove_authorization', { username: creator.username });
    return { creator, id };
  }

  /** The account is known to need a new consent. */
  async function withoutAccess(): Promise<{ creator: Creator; id: string }> {
    const { creator, id } = await withoutGrant();
    const path = `/api/v1/social-accounts/${creator.accountId}/creator-info`;
    assertProblem(await creator.org.call('GET', path), 409, 'reconnect_required');
    return { creator, id };
  }

  async function connectAgain({ org, username, accountId }: Creator): Promise<void> {
    assert.equal(await org.connectAccount(username), accountId);
  }

  /** Whether a connection waits for a row that a transaction has locked. On SQLite every other connection waits. */
  async function isBlocked(): Promise<boolean> {
    if (engine === 'sqlite') return true;
    const { rows } = await world.app.db.transact((tx) =>
      sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(tx),
    );
    return rows.length > 0;
  }

  /** Connects the account while a worker is about to commit; the commit runs once the connect request waits for it. */
  async function connectDuring(creator: Creator, commit: () => Promise<void>): Promise<void> {
    let isConnected = false;
    const connecting = connectAgain(creator).then(() => {
      isConnected = true;
    });
    await until('the connection waits, or is made', async () => isConnected || (await isBlocked()));
    await commit();
    await connecting;
  }

  /** The post does not wait for a reconnection that has already happened. */
  async function assertGoesOut(creator: Creator, id: string, ...earlier: 'failed'[]): Promise<void> {
    await world.engine.publish();
    await world.engine.idle();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', ...earlier, 'accepted']);
    assert.equal(await world.errorOf(creator, id), null);
    assert.equal((await world.acceptedInits(creator.username)).length, 1);
  }

  it('right after a worker has found that it must wait is published at once', async () => {
    const { creator, id } = await withoutAccess();
    let whenCommitted: (() => Promise<void>) | null = null;
    const app = await world.otherApp({
      database: (real) => ({
        ...real,
        async transact(work) {
          const result = await real.transact(work);
          const act = whenCommitted;
          whenCommitted = null;
          await act?.();
          return result;
        },
      }),
    });
    try {
      whenCommitted = () => connectAgain(creator);
      const worker = createEngine(app);
      await worker.publish();
      await worker.idle();
    } finally {
      await app.close();
    }
    assert.equal(whenCommitted, null);
    await assertGoesOut(creator, id);
  });

  it('while a worker stores that it must wait is published at once', async () => {
    const { creator, id } = await withoutAccess();
    const worker = await world.killableWorker({ commit: 1 });
    try {
      await worker.work('publish');
      await connectDuring(creator, () => worker.wake());
    } finally {
      await worker.close();
    }
    await assertGoesOut(creator, id);
  });

  for (const [title, transaction, ...earlier] of [
    // The attempt itself continues with the new tokens.
    ['before the account is marked', 1],
    ['after the account was marked', 2, 'failed'],
    ['before that is written down', 3, 'failed'],
  ] as const)
    it(`after the platform has refused its attempt, ${title}, is published at once`, async () => {
      const { creator, id } = await withoutGrant();
      const worker = await world.killableWorker({ after: 'renew', transaction });
      try {
        await worker.work('publish');
        world.advance(1_000);
        await connectAgain(creator);
        await worker.wake();
      } finally {
        await worker.close();
      }
      await assertGoesOut(creator, id, ...earlier);
    });

  it('while a worker stores that the platform has refused its attempt is published at once', async () => {
    const { creator, id } = await withoutGrant();
    const worker = await world.killableWorker({ after: 'renew', commit: 3 });
    try {
      await worker.work('publish');
      await connectDuring(creator, () => worker.wake());
    } finally {
      await worker.close();
    }
    await assertGoesOut(creator, id, 'failed');
  });

  it('only later waits for it, without another attempt', async () => {
    const { creator, id } = await withoutGrant();
    for (let round = 0; round < 3; round++) await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
    await connectAgain(creator);
    await assertGoesOut(creator, id, 'failed');
  });
});
