// The demo organization of a first start, and how a later start completes one that an earlier start did not finish.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import type { App } from '../../src/app/app.js';
import { readConfig } from '../../src/config/config.js';
import { type Service, startService } from '../../src/service.js';
import { WatchedConnector } from '../support/platform/scripted-connector.js';
import { LATER } from '../support/service/connecting.js';
import { Browser, PASSWORD, tokenIn } from '../support/service/people.js';
import { send } from '../support/service/send.js';

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

  async function boot(
    work: (service: Service, app: App) => Promise<void>,
    env: Record<string, string> = {},
  ): Promise<void> {
    const config = readConfig('serve', { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dir, ...env });
    const service = await startService(config, {
      connector: watched.wrap,
      log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    });
    await work(service, service.app as App).finally(() => service.stop());
  }
  const accounts = (app: App) => app.db.read.selectFrom('social_accounts').selectAll().execute();

  it('creates an organization with a connected account', async () => {
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

  const HUMAN = { LOG_FORMAT: 'human' };
  const enter = (url: string, link: string | null) =>
    new Browser(url).call('POST', '/api/v1/auth/enter', { token: tokenIn(link as string) });

  it('creates an owner, who can sign in once with a link', async () => {
    await boot(async ({ url, entryLink }, app) => {
      assert.match(entryLink ?? '', new RegExp(`^${url}/enter#[\\w-]{43}$`));
      const entrance = await send('GET', `${url}/api/v1/auth`, {});
      assert.equal(entrance.json.data.sign_up, 'closed');
      const browser = new Browser(url);
      const answer = await browser.call('POST', '/api/v1/auth/enter', {
        token: tokenIn(entryLink as string),
      });
      assert.equal(answer.status, 200);
      const { user, role, organization } = answer.json.data;
      assert.deepEqual(
        [user.name, user.email, user.has_password, role, organization.name],
        ['Demo owner', 'demo@localhost', false, 'owner', 'Demo organization'],
      );
      assert.equal((await browser.call('GET', '/api/v1/social-accounts')).json.data.length, 1);
      assert.equal((await enter(url, entryLink)).status, 410);
      assert.equal((await enter(url, `${url}/enter#${'A'.repeat(43)}`)).status, 410);
      const rows = JSON.stringify(await app.db.read.selectFrom('sessions').selectAll().execute());
      assert.ok(!rows.includes(browser.token));
    });
  });

  it('is followed by starts that print a new link, as long as the owner has no password', async () => {
    let first: string | null = null;
    await boot(async ({ entryLink }) => {
      first = entryLink;
    }, HUMAN);
    await boot(async ({ url, entryLink }) => {
      assert.notEqual(tokenIn(entryLink as unknown as string), tokenIn(first as unknown as string));
      assert.equal((await enter(url, first)).status, 410, 'the old one works no more');
      const browser = new Browser(url);
      await browser.call('POST', '/api/v1/auth/enter', { token: tokenIn(entryLink as string) });
      const set = await browser.call('POST', '/api/v1/auth/password', { new_password: PASSWORD });
      assert.equal(set.status, 204);
    }, HUMAN);
    await boot(async ({ url, entryLink }) => {
      assert.equal(entryLink, null);
      const signIn = { email: 'demo@localhost', password: PASSWORD };
      assert.equal((await new Browser(url).call('POST', '/api/v1/auth/sign-in', signIn)).status, 200);
    }, HUMAN);
  });

  it('never prints the link to a log', async () => {
    await boot(async () => {});
    await boot(async ({ entryLink }) => assert.equal(entryLink, null), { LOG_FORMAT: 'json' });
  });

  it('prints a link that works for a day', async () => {
    await boot(async ({ url, entryLink }, app) => {
      const later = app.clock.now() + 24 * 3_600_000;
      app.clock.now = () => later;
      assert.equal((await enter(url, entryLink)).status, 410);
    });
  });

  it('by a version without people gets its owner at the next start', async () => {
    await boot(async (_service, app) => {
      await app.db.transact(async (tx) => {
        await tx.deleteFrom('person_links').execute();
        await tx.deleteFrom('people').execute();
      });
    });
    await boot(async ({ url, entryLink }) => assert.equal((await enter(url, entryLink)).status, 200), HUMAN);
  });

  it('that cannot connect the account still succeeds, and the next one connects it', async () => {
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

  it('that ended before the account had its name is completed by the next one, in the same account', async () => {
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

  it('is not completed by a later start when a member has disconnected the account', async () => {
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
