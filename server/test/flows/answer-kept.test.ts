// The database goes away just as the platform answers. The process keeps the answer in memory and saves it when the
// database is back, even if another process has taken the attempt over meanwhile.

import assert from 'node:assert/strict';
import { after, afterEach, it } from 'node:test';
import type { App } from '../../src/app/app.js';
import type { Connector } from '../../src/connectors/connector.js';
import { createLog, type Log } from '../../src/core/log.js';
import type { Database } from '../../src/db/database.js';
import { buildServer } from '../../src/http/server.js';
import { openApp } from '../../src/open-app.js';
import { createEngine, type Engine } from '../../src/publishing/schedule/engine.js';
import { type Outage, outageFor } from '../support/databases/outage.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Answer, send } from '../support/service/send.js';
import { onEachCall } from '../support/world/killable-worker.js';
import { type Creator, useWorld } from '../support/world/world.js';

/** Longer than a writer waits for SQLite's write lock before it fails. */
const LEASE_MS = 30_000;

onEngines('postgres', 'The platform has answered, and the database is away', (engine) => {
  const world = useWorld(engine, { env: () => ({ PUBLISH_LEASE_SECONDS: String(LEASE_MS / 1000) }) });
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  interface Process {
    app: App;
    engine: Engine;
    /** How often this process failed to save the platform's answer. */
    failures(): number;
  }

  /** Another process; `afterInit` runs once the platform has answered an init, before the process receives the answer. */
  async function process(
    afterInit: () => Promise<void>,
    around: { config?: App['config']; database?: (real: Database) => Database } = {},
  ): Promise<Process> {
    let failures = 0;
    const log: Log = createLog({ level: 'silent', human: false });
    log.warn = ((_what: unknown, text: string) => {
      if (/could not be (written down|saved)/.test(text)) failures++;
    }) as Log['warn'];
    const app = await openApp(around.config ?? world.app.config, {
      clock: world.service.clock,
      log,
      ...(around.database ? { database: around.database } : {}),
      connector: (real: Connector) =>
        onEachCall(real, (call, given, name) => {
          if (name !== 'submit' && name !== 'prepare') return call(...given);
          return (async () => {
            const answer = await call(...given);
            await afterInit();
            return answer;
          })();
        }),
    });
    closing.push(() => app.close());
    app.urls.publicUrl = world.app.urls.publicUrl;
    return { app, engine: createEngine(app), failures: () => failures };
  }

  /** Publishes now through this process. */
  async function publishThrough(app: App, creator: Creator, id: string): Promise<Answer> {
    const server = await buildServer(app, { app, worker: () => null, isStopping: () => false }, null);
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    closing.push(async () => {
      server.server.closeAllConnections();
      await server.close();
    });
    return send('POST', `${url}/api/v1/posts/${id}/publish`, {
      key: creator.org.key,
      body: { social_account_id: creator.accountId, privacy_level: 'PUBLIC_TO_EVERYONE' },
    });
  }

  const fetched = (creator: Creator, id: string) => async () => {
    await world.waitForPlatform(creator.username);
    await until('a slide was fetched', async () => (await world.attempts(id))[0]?.fetched_at !== null);
  };

  const figures = { runs: 0, unknown: 0 };
  after(() => globalThis.process.stdout.write(`answers kept on ${engine}: ${JSON.stringify(figures)}\n`));

  for (const trigger of ['schedule', 'now'] as const)
    it(`for longer than a lease, slides, ${trigger}: published once and known, even though another process takes over`, async () => {
      const creator = await world.creator();
      const id = await world.post(creator);
      if (trigger === 'schedule') await world.schedule(creator, id);
      const outage: Outage = await outageFor(world.app.config);
      closing.push(() => outage.close());
      const answered = new Latch();
      const waitForFetch = fetched(creator, id);
      const first = await process(
        async () => {
          await waitForFetch();
          await outage.begin();
          answered.open();
        },
        { config: outage.config },
      );
      const sent = trigger === 'schedule' ? first.engine.publish() : publishThrough(first.app, creator, id);
      await answered.opened;
      await until('it could not be saved', () => first.failures() > 0);
      world.advance(LEASE_MS + 1);
      // On SQLite no process can write: the others start when the outage ends, and race the first.
      if (engine === 'sqlite') await outage.end();
      await world.runOnce();
      await outage.end();
      const answer = await sent;
      await first.engine.idle();
      figures.runs++;
      const [, outcome] = await world.outcomesOf(creator, id);
      if (outcome === 'unknown') figures.unknown++;
      assert.equal(outcome, 'accepted');
      assert.equal(await world.errorOf(creator, id), null);
      if (answer) assert.equal(answer.status, 200, answer.text);
      await world.finish(creator);
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
      assert.equal((await world.live(creator.username)).length, 1);
    });

  /** The next transaction hangs until it is released, and then fails; all others pass. */
  function hanging() {
    const [reached, going] = [new Latch(), new Latch()];
    let isNext = false;
    const database = (real: Database): Database => ({
      ...real,
      transact: async (work) => {
        if (!isNext) return real.transact(work);
        isNext = false;
        reached.open();
        await going.opened;
        throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
      },
    });
    return {
      database,
      arm: () => {
        isNext = true;
      },
      reached: reached.opened,
      release: going.open,
    };
  }

  it('and the lease ends while the process is still saving: it does not take over from itself', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    const slow = hanging();
    const own = await process(
      async () => {
        await fetched(creator, id)();
        slow.arm();
      },
      { database: slow.database },
    );
    await own.engine.publish();
    await slow.reached;
    world.advance(LEASE_MS + 1);
    await own.engine.poll();
    // Long enough for a recovery: it would be one of this process's next transactions.
    for (let i = 0; i < 20; i++) await own.app.db.transact(async () => {});
    const [attempt] = await world.attempts(id);
    assert.deepEqual([attempt?.outcome, attempt?.fence], ['started', 1]);
    slow.release();
    await own.engine.idle();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
  });

  it('and another process has marked it unknown: the late acceptance counts, and until then the text says what may have happened', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    const slow = hanging();
    const own = await process(
      async () => {
        await fetched(creator, id)();
        slow.arm();
      },
      { database: slow.database },
    );
    await own.engine.publish();
    await slow.reached;
    world.advance(LEASE_MS + 1);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['publishing', 'unknown']);
    assert.match(
      String(await world.errorOf(creator, id)),
      /process that was sending the post stopped, or could not reach the database/,
    );
    slow.release();
    await own.engine.idle();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    assert.equal(await world.errorOf(creator, id), null);
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    assert.equal((await world.live(creator.username)).length, 1);
  });

  it('for good: closing the process stops the attempts to save', async () => {
    const creator = await world.creator();
    await world.scheduled(creator);
    const answered = new Latch();
    let isAway = false;
    const own = await process(
      async () => {
        isAway = true;
        answered.open();
      },
      {
        database: (real) => ({
          ...real,
          transact: (work) => (isAway ? Promise.reject(new Error('away')) : real.transact(work)),
        }),
      },
    );
    await own.engine.publish();
    await answered.opened;
    await until('it could not be saved', () => own.failures() > 0);
    await own.app.close();
    closing.pop();
    await own.engine.idle();
  });
});
