// The platform has issued new tokens, which invalidates the old ones, and the database cannot store them.

import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, it, mock } from 'node:test';
import timers from 'node:timers/promises';
import Libsql from 'libsql';
import pg from 'pg';
import { pino } from 'pino';
import { callAsAccount } from '../../src/accounts/platform-calls.js';
import { renewalLease } from '../../src/accounts/stored-tokens.js';
import type { App } from '../../src/app/app.js';
import type { Database } from '../../src/db/database.js';
import { openApp } from '../../src/open-app.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Creator, useWorld } from '../support/world/world.js';

const HOUR_MS = 3_600_000;
/** As they are in src/core/until-saved.ts. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 2_000];
/** As it is in src/accounts/token-renewal.ts. */
const CALLERS_WAIT_MS = 5_000;
const AWAY = 'the database is away';

onEngines('postgres', 'New tokens that cannot be saved', (engine) => {
  const world = useWorld(engine);

  /** The test decides how long callers wait; pauses between tries take no time, unless the test stops them. */
  class SteeredTime {
    readonly enough = new Latch();
    areHeld = false;

    constructor() {
      const { setTimeout } = timers;
      mock.method(timers, 'setTimeout', (...[ms = 0, value, more]: Parameters<typeof setTimeout>) => {
        if (ms === CALLERS_WAIT_MS) return this.enough.opened;
        return setTimeout(PAUSES_MS.includes(ms) ? (this.areHeld ? 600_000 : 1) : ms, value, more);
      });
      syncBuiltinESMExports();
    }
  }

  function letTimeGo(): void {
    mock.restoreAll();
    syncBuiltinESMExports();
  }

  const opened = new Set<App>();
  const close = async (app: App) => {
    if (opened.delete(app)) await app.close();
  };
  afterEach(async () => {
    for (const app of opened) await close(app);
    letTimeGo();
  });

  const lines: string[] = [];

  /** A separate process, and what happens to it as soon as the platform has issued new tokens to it. */
  async function processThat(onNewTokens: () => void | Promise<void>, around = (real: Database) => real) {
    lines.length = 0;
    const app = await openApp(world.app.config, {
      clock: world.service.clock,
      log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
      connector: (real) => ({
        ...real,
        async renew(...given) {
          const answer = await real.renew(...given);
          await onNewTokens();
          return answer;
        },
      }),
      database: around,
    });
    opened.add(app);
    return app;
  }

  /** A process that loses its database at that moment, until it is brought back. */
  async function losingProcess() {
    const outage = { isOn: false, tries: 0, refreshes: 0 };
    const app = await processThat(
      () => {
        outage.isOn = true;
        outage.refreshes++;
      },
      (real) => ({
        ...real,
        transact(work) {
          if (!outage.isOn) return real.transact(work);
          outage.tries++;
          return Promise.reject(new Error(AWAY));
        },
      }),
    );
    return { app, outage };
  }

  const refOf = ({ org, accountId }: Creator) => ({ org_id: org.id, id: accountId });
  const ask = (app: App, creator: Creator) =>
    callAsAccount(app, refOf(creator), (token, signal) => app.connector('tiktok').creator(token, signal));
  const rowOf = ({ accountId }: Creator) =>
    world.app.db.read
      .selectFrom('social_accounts')
      .selectAll()
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
  const isConnected = async (creator: Creator) => (await rowOf(creator)).status === 'connected';

  /** An account whose tokens must be renewed before their use, and a due post of it. */
  async function outOfDate() {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    world.advance(2 * HOUR_MS);
    const old = (await rowOf(creator)).refresh_token as string;
    const isSaved = async () => (await rowOf(creator)).refresh_token !== old;
    return { creator, id, old, isSaved };
  }

  async function assertWorks(creator: Creator, id: string): Promise<void> {
    letTimeGo();
    assert.deepEqual(
      [(await rowOf(creator)).status, (await rowOf(creator)).status_reason],
      ['connected', null],
    );
    await world.engine.publish();
    await world.engine.idle();
    assert.equal((await world.outcomesOf(creator, id))[0], 'posted');
    assert.equal((await world.acceptedInits(creator.username)).length, 1);
    world.advance(2 * HOUR_MS);
    assert.equal((await ask(world.app, creator)).kind, 'ok', 'the new refresh token is good');
  }

  /** The process has new tokens, its callers have given up waiting, and its renewal lease has expired. */
  async function leftUnsaved() {
    const due = await outOfDate();
    const time = new SteeredTime();
    const { app, outage } = await losingProcess();
    const asking = ask(app, due.creator);
    await until('it has been tried', async () => outage.tries > 4);
    time.enough.open();
    const answer = await asking;
    assert.deepEqual([answer.kind, 'code' in answer && answer.code], ['later', 'tokens_unsaved']);
    world.advance(renewalLease.ms(app) + 1);
    return { ...due, app, outage, time };
  }

  it('for some seconds are saved then, and the callers that wait for them continue', async () => {
    const { creator, id } = await outOfDate();
    new SteeredTime();
    const { app, outage } = await losingProcess();
    const asking = ask(app, creator);
    asking.catch(() => {});
    await until('it has been tried', async () => outage.tries > 4);
    outage.isOn = false;
    assert.equal((await asking).kind, 'ok');
    assert.equal(outage.refreshes, 1);
    await assertWorks(creator, id);
  });

  it('for longer are still saved: callers get an error meanwhile, and the platform is not called again', async () => {
    const { creator, id, app, outage, isSaved } = await leftUnsaved();
    const again = await ask(app, creator);
    assert.deepEqual([again.kind, 'code' in again && again.code], ['later', 'tokens_unsaved']);
    assert.match('reason' in again ? again.reason : '', / \(tokens_unsaved\)$/);
    assert.equal(outage.refreshes, 1);
    outage.isOn = false;
    await until('they are saved', isSaved);
    assert.equal((await ask(app, creator)).kind, 'ok');
    assert.equal(outage.refreshes, 1);
    await assertWorks(creator, id);
  });

  it('while another process is refused with the old ones undo that: waiting posts are published', async () => {
    const { creator, id, outage } = await leftUnsaved();
    await world.engine.publish();
    await world.engine.idle();
    assert.equal((await rowOf(creator)).status, 'reconnect_required');
    assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
    assert.ok(await world.errorOf(creator, id));
    outage.isOn = false;
    await until('the account is back', () => isConnected(creator));
    assert.equal(await world.errorOf(creator, id), null);
    assert.equal(outage.refreshes, 1);
    await assertWorks(creator, id);
  });

  it('while another process tries the old ones keep the account connected, and no third process renews meanwhile', async () => {
    const { creator, id, outage, isSaved } = await leftUnsaved();
    const [refused, going] = [new Latch(), new Latch()];
    const other = await processThat(async () => {
      refused.open();
      await going.opened;
    });
    const asking = ask(other, creator);
    await refused.opened;
    outage.isOn = false;
    await until('they are saved', isSaved);
    assert.notEqual(
      (await rowOf(creator)).refreshing_until,
      null,
      'the other process still has the renewal lease',
    );
    going.open();
    assert.equal((await asking).kind, 'ok');
    assert.equal((await rowOf(creator)).refreshing_until, null);
    await assertWorks(creator, id);
  });

  it('of an account that was disconnected meanwhile do not connect it again', async () => {
    const { creator, outage, isSaved } = await leftUnsaved();
    const lookAfterAt = world.now() + 1_234_567;
    await world.app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({ status: 'disconnected', refresh_at: lookAfterAt })
        .where('org_id', '=', creator.org.id)
        .where('id', '=', creator.accountId)
        .execute(),
    );
    outage.isOn = false;
    await until('they are saved', isSaved);
    const { status, refresh_at } = await rowOf(creator);
    assert.deepEqual([status, refresh_at], ['disconnected', lookAfterAt]);
  });

  it('of an account whose tokens were wiped meanwhile are not restored', async () => {
    const { creator, app, outage } = await leftUnsaved();
    const path = `/api/v1/social-accounts/${creator.accountId}`;
    assert.equal((await creator.org.call('DELETE', path)).status, 204);
    outage.isOn = false;
    await close(app);
    const { status, access_token, refresh_token } = await rowOf(creator);
    assert.deepEqual([status, access_token, refresh_token], ['disconnected', null, null]);
  });

  it('of an account that a member has reconnected meanwhile do not replace those of the new consent', async () => {
    const { creator, id, app, outage } = await leftUnsaved();
    assert.equal(await creator.org.connectAccount(creator.username), creator.accountId);
    const consented = (await rowOf(creator)).refresh_token;
    outage.isOn = false;
    await close(app);
    assert.equal((await rowOf(creator)).refresh_token, consented);
    await assertWorks(creator, id);
  });

  it('are saved with one last try when the process is about to end', async () => {
    const { creator, id, app, outage, isSaved, time } = await leftUnsaved();
    time.areHeld = true;
    const { tries } = outage;
    await until('it pauses', async () => outage.tries > tries);
    outage.isOn = false;
    assert.ok(!(await isSaved()));
    await close(app);
    assert.ok(await isSaved());
    await assertWorks(creator, id);
  });

  it('do not keep a process from ending, which says that they are lost', async () => {
    const { app, isSaved } = await leftUnsaved();
    await close(app);
    assert.ok(!(await isSaved()));
    assert.equal(lines.filter((line) => /"level":"?(50|error).*tokens.*lost/.test(line)).length, 1);
    assert.ok(lines.length < 10, `${lines.length} lines`);
  });

  /** A real outage: on SQLite another process has the write lock, on Postgres every connection is refused. */
  async function takeDatabase(): Promise<() => Promise<void>> {
    const { dataDir, databaseUrl } = world.app.config;
    if (databaseUrl === null) {
      const other = new Libsql(join(dataDir, 'airdate.db'));
      other.exec('begin immediate');
      return async () => {
        other.exec('rollback');
        other.close();
      };
    }
    const name = new URL(databaseUrl).pathname.slice(1);
    const cluster = new pg.Client({ connectionString: process.env.AIRDATE_TEST_CLUSTER });
    await cluster.connect();
    await cluster.query(`alter database ${name} with allow_connections false`);
    await cluster.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    return async () => {
      await cluster.query(`alter database ${name} with allow_connections true`);
      await cluster.end();
    };
  }

  it('because the whole database is away are saved when it is back', async () => {
    const { creator, id } = await outOfDate();
    let bringBack = async () => {};
    const app = await processThat(async () => {
      bringBack = await takeDatabase();
    });
    const asking = ask(app, creator);
    asking.catch(() => {});
    try {
      await until('a try has failed', async () => lines.some((line) => /could not be saved/.test(line)));
    } finally {
      await bringBack();
    }
    const { kind } = await asking;
    assert.ok(kind === 'ok' || kind === 'later', kind);
    await until('they can be used', async () => (await ask(app, creator)).kind === 'ok');
    await assertWorks(creator, id);
  });
});
