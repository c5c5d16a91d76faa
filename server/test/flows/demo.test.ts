// The demo organization of a first start, and what a start does about one that an earlier start did not finish.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import type { App } from '../../src/app.js';
import { readConfig } from '../../src/config.js';
import { type Service, startService } from '../../src/service.js';
import { LATER, WatchedConnector } from '../accounts.js';
import { send } from '../harness.js';

describe('A first start', () => {
  let dir: string;
  let watched: WatchedConnector;
  let lines: string[];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-demo-'));
    watched = new WatchedConnector();
    lines = [];
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  async function boot(work: (service: Service, app: App) => Promise<void>): Promise<void> {
    const service = await startService(readConfig('serve', { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dir }), {
      connector: watched.wrap,
      log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    });
    await work(service, service.app as App).finally(() => service.stop());
  }
  const accounts = (app: App) => app.db.read.selectFrom('social_accounts').selectAll().execute();

  it('makes an organization with an account that really is connected', async () => {
    let key = '';
    await boot(async ({ demo, url }, app) => {
      key = demo?.key ?? '';
      const [account, ...others] = await accounts(app);
      assert.deepEqual(
        [others, account?.username, account?.display_name],
        [[], 'demo.creator', 'Demo creator'],
      );
      const path = `/api/v1/social-accounts/${account?.id}/creator-info`;
      const { status, json } = await send('GET', url + path, { key });
      assert.deepEqual([status, json.data?.username], [200, 'demo.creator']);
    });
    watched.calls = [];
    await boot(async ({ demo, url }, app) => {
      assert.equal(demo, null);
      assert.equal((await accounts(app)).length, 1);
      assert.equal(watched.count('exchange'), 0);
      const { json } = await send('GET', `${url}/api/v1/social-accounts`, { key });
      assert.equal(json.data[0].status, 'connected');
    });
    assert.deepEqual(lines, []);
  });

  it('that could not connect the account works all the same, and the next one connects it', async () => {
    watched.instead.exchange = async () => LATER;
    let key = '';
    await boot(async ({ demo, url }, app) => {
      key = demo?.key ?? '';
      assert.equal((await send('GET', `${url}/api/v1/me`, { key })).status, 200);
      assert.deepEqual(await accounts(app), []);
    });
    assert.match(lines.join(), /the demo organization has no account yet/);
    watched.instead = {};
    await boot(async ({ demo, url }) => {
      assert.equal(demo, null);
      const { json } = await send('GET', `${url}/api/v1/social-accounts`, { key });
      assert.deepEqual([json.data.length, json.data[0]?.username], [1, 'demo.creator']);
    });
  });

  it('that ended before the account had its name is finished by the next one, in the same account', async () => {
    watched.instead = { creator: async () => LATER, identity: async () => LATER };
    let id: string | undefined;
    await boot(async (_service, app) => {
      const [account] = await accounts(app);
      id = account?.id;
      assert.equal(account?.username, account?.open_id);
    });
    watched.instead = {};
    await boot(async (_service, app) => {
      const names = (await accounts(app)).map((account) => [account.id, account.username]);
      assert.deepEqual(names, [[id, 'demo.creator']]);
    });
  });

  it('is not made up for when somebody has disconnected the account', async () => {
    await boot(async ({ demo, url }, app) => {
      const [account] = await accounts(app);
      const path = `/api/v1/social-accounts/${account?.id}`;
      assert.equal((await send('DELETE', url + path, { key: demo?.key })).status, 204);
    });
    await boot(async (_service, app) => {
      assert.deepEqual(
        (await accounts(app)).map(({ status }) => status),
        ['disconnected'],
      );
    });
  });
});
