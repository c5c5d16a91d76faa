// A worker is stopped while the platform issues new tokens, which invalidates the old ones.

import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { it, mock } from 'node:test';
import timers from 'node:timers/promises';
import type { App } from '../../src/app/app.js';
import { startWorker, type Worker } from '../../src/worker/worker.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ACCOUNTS } from '../support/service/connecting.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('both', 'A worker that is stopped while tokens are renewed', (engine) => {
  const { service, watched, advance, withOther, creator, accountRow } = useTidyWorld(engine);

  /** A worker whose new tokens the platform has issued, and which are on their way to it. */
  async function renewing(app: App) {
    const { org, account } = await creator();
    advance(HOUR_MS);
    const refreshToken = async () => {
      const { org_id, id, refresh_token } = await accountRow(account.id);
      return service.app.seal.unseal(refresh_token as string, [org_id, id, 'social_accounts.refresh_token']);
    };
    const old = await refreshToken();
    const [given, going] = [new Latch(), new Latch()];
    let rotated = '';
    watched.instead.renew = async (tokens, signal) => {
      assert.ok(watched.real);
      const answer = await watched.real.renew(tokens, signal);
      // Other accounts may be due too.
      if (tokens.refreshToken !== old || answer.kind !== 'ok') return answer;
      rotated = answer.value.refreshToken ?? '';
      given.open();
      await going.opened;
      return answer;
    };
    const worker = startWorker(app);
    await given.opened;
    watched.instead = {};
    const isSaved = async () => (await refreshToken()) === rotated;
    return { org, account, worker, isSaved, arrive: going.open };
  }

  /** Starts to stop a worker; tells whether it has stopped. */
  function stop(worker: Worker): { isOver: boolean; ended: Promise<void> } {
    const stopping = { isOver: false, ended: worker.stop() };
    stopping.ended = stopping.ended.then(() => {
      stopping.isOver = true;
    });
    return stopping;
  }

  /** Long enough: three idle workers start and stop, one after the other. */
  async function othersStop(): Promise<void> {
    for (let i = 0; i < 3; i++) await startWorker(service.app).stop();
  }

  it('waits for them and saves them: the account stays connected without a new consent', async () => {
    await withOther(async (other) => {
      const { org, account, worker, isSaved, arrive } = await renewing(other);
      const stopping = stop(worker);
      try {
        await othersStop();
        assert.ok(!stopping.isOver, 'it has stopped without the tokens');
      } finally {
        arrive();
        await stopping.ended;
      }
      assert.ok(await isSaved(), 'they are saved when the process may end');
      advance(2 * HOUR_MS);
      const info = await org.call('GET', `${ACCOUNTS}/${account.id}/creator-info`);
      assert.equal(info.status, 200, info.text);
    });
  });

  it('does not wait for ever, but still saves them if they come before the process has ended', async () => {
    await withOther(async (other) => {
      const { worker, isSaved, arrive } = await renewing(other);
      const enough = new Latch();
      const { setTimeout } = timers;
      const isPatience = (ms = 0) => ms >= 10_000;
      mock.method(timers, 'setTimeout', (...given: Parameters<typeof setTimeout>) =>
        isPatience(given[0]) ? enough.opened : setTimeout(...given),
      );
      syncBuiltinESMExports();
      const stopping = stop(worker);
      try {
        await othersStop();
        assert.ok(!stopping.isOver, 'it has stopped too early');
        enough.open();
        await othersStop();
        assert.ok(stopping.isOver, 'it keeps waiting');
        assert.ok(!(await isSaved()));
      } finally {
        mock.restoreAll();
        syncBuiltinESMExports();
        arrive();
        await stopping.ended;
      }
      await until('they are saved', isSaved);
    });
  });
});
