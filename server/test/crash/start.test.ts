// The real program from outside: how it starts, which settings it refuses, and what it prints.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPostgresDatabase, type PostgresDatabase } from '../support/databases/fresh-databases.js';
import { demoKey } from '../support/programs/greeting.js';
import { itInProofs, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN } from '../support/service/harness.js';
import { send } from '../support/service/send.js';
import {
  assertJson,
  BESIDE,
  COMMANDS,
  countOf,
  dir,
  launch,
  openSocket,
  type Program,
  useFolder,
} from './processes/launched-programs.js';

const ENCRYPTION_KEY = '5ec4e7'.padEnd(64, '0');
const STACK_TRACE = /\n\s+at /;

onEngines('sqlite', 'A process', (engine) => {
  useFolder();
  let database: PostgresDatabase | null = null;
  let env: Record<string, string> = {};
  before(async () => {
    database = engine === 'postgres' ? await createPostgresDatabase() : null;
    env = database ? { DATABASE_URL: database.url, ENCRYPTION_KEY } : {};
  });
  after(() => database?.drop());

  async function assertProbes(program: Program): Promise<void> {
    const url = await program.url;
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const { status, text } = await send('GET', url + path, {});
      assert.equal(status, 200, `${path}: ${text}`);
    }
    assert.match((await send('GET', `${url}/metrics`, {})).text, /^process_cpu_seconds_total /m);
  }

  async function assertEnds(program: Program): Promise<void> {
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0, program.output());
    assert.equal(program.complained(), '');
    await assert.rejects(openSocket(await program.url));
    assertJson(program);
  }

  function assertPrivate(): void {
    for (const { path, mode } of everythingIn(join(dir, 'data')))
      assert.equal(mode & 0o077, 0, `others may use ${path}`);
  }

  // The sandbox has a file of its own whatever the engine is.
  for (const [command, more] of engine === 'sqlite' ? COMMANDS : COMMANDS.slice(0, 3)) {
    // The others are started below too, with the same checks.
    const define = command === 'sandbox' ? it : itInProofs;
    define(
      `of "${command}" answers /healthz, /readyz and /metrics, and exits with 0 on SIGTERM`,
      async () => {
        const program = launch(command, { ...env, ...more });
        await assertProbes(program);
        await assertEnds(program);
        assertPrivate();
      },
    );
  }

  it('of "api" reports how many workers are alive, and is ready without any', async () => {
    const api = launch('api', { ...env, ...BESIDE });
    await assertProbes(api);
    const url = await api.url;
    const workers = async () => {
      const { status, json } = await send('GET', `${url}/readyz`, {});
      assert.equal(status, 200);
      return json.checks.workers;
    };
    assert.equal(await workers(), '0 alive');
    const worker = launch('worker', { ...env, ...BESIDE });
    await assertProbes(worker);
    await until('the worker is seen', async () => (await workers()) === '1 alive');
    await assertEnds(worker);
    assert.equal(await workers(), '0 alive');
    await assertEnds(api);
    assertPrivate();
  });

  it('writes nothing secret to its log', async () => {
    const program = launch('serve', { ...env, DEMO: 'off', ADMIN_TOKEN, ENCRYPTION_KEY, LOG_LEVEL: 'trace' });
    await assertProbes(program);
    const url = await program.url;
    const admin = `${url}/api/admin/v1/organizations`;
    const organization = await send('POST', admin, {
      key: ADMIN_TOKEN,
      body: { name: 'Quiet', plan: 'growth' },
    });
    const issued = await send('POST', `${admin}/${organization.json.data.id}/keys`, {
      key: ADMIN_TOKEN,
      body: { name: 'A key' },
    });
    const { key } = issued.json.data;
    const own = await send('POST', `${url}/api/v1/keys`, { key, body: { name: 'Second' } });
    const headers = { 'idempotency-key': 'retry-of-whisper', cookie: 'session=whisper-cookie' };
    const post = { key, headers, body: { title: 'whisper-title' } };
    assert.equal((await send('POST', `${url}/api/v1/posts`, post)).status, 201);
    assert.equal((await send('POST', `${url}/api/v1/posts`, { ...post, body: { title: 7 } })).status, 400);
    assert.equal((await send('GET', `${url}/api/v1/posts?q=whisper-query`, { key })).status, 200);
    await send('GET', `${url}/api/v1/me?token=whisper-query`, { key });
    assert.equal((await send('GET', `${url}/api/v1/me`, { key: `${key}x` })).status, 401);
    assert.equal((await send('POST', `${url}/api/v1/posts`, { ...post, raw: '{"whisper-body' })).status, 400);
    await assertEnds(program);
    assertPrivate();
    assert.match(program.output(), /"path":"\/api\/v1\/posts"/, 'there is no log to look at');
    const secrets = [key, own.json.data.key, ADMIN_TOKEN, ENCRYPTION_KEY, 'whisper', 'Bearer'];
    for (const secret of secrets) assert.ok(!program.output().includes(secret), `the log contains ${secret}`);
  });
});

describe('The first start', () => {
  useFolder();
  it('shows the key of a demo organization once, and it works from then on', async () => {
    const first = launch('serve');
    await first.url;
    await until('a key is shown', async () => demoKey(first.output()) !== undefined);
    const key = demoKey(first.output()) as string;
    const me = await send('GET', `${await first.url}/api/v1/me`, { key });
    assert.deepEqual([me.status, me.json.data.in_trial], [200, true]);
    first.signal('SIGTERM');
    assert.equal(await first.exit, 0);

    const second = launch('serve');
    const again = await send('GET', `${await second.url}/api/v1/me`, { key });
    assert.equal(again.status, 200);
    second.signal('SIGTERM');
    assert.equal(await second.exit, 0);
    assert.equal(demoKey(second.output()), undefined);
    assert.ok(!second.output().includes(key));
    assert.equal(await countOf('organizations'), 1);
  });

  itInProofs('creates no organization with DEMO=off', async () => {
    const program = launch('serve', { DEMO: 'off' });
    await program.url;
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0);
    assert.equal(demoKey(program.output()), undefined);
    assert.equal(await countOf('organizations'), 0);
  });

  it('on a port in use fails with a sentence and keeps the demo key for the start that works', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as { port: number };
    try {
      const program = launch('serve', { PORT: String(port) });
      assert.equal(await program.exit, 1);
      assert.equal(demoKey(program.output()), undefined);
      assert.equal(await countOf('organizations'), 0);
      const next = launch('serve');
      await next.url;
      await until('a key is shown', async () => demoKey(next.output()) !== undefined);
      assert.match(program.complained(), new RegExp(`in use.*${port}|${port}.*in use`, 'i'));
      assert.doesNotMatch(program.complained(), STACK_TRACE);
    } finally {
      occupant.close();
    }
  });
});

describe('A start that cannot work', () => {
  useFolder();
  it('names every configuration error at once, repeats no secret, and changes nothing', async () => {
    const mistakes = {
      PORT: '65536',
      DATABASE_URL: 'mysql://airdate:open-sesame@localhost/airdate',
      DATABASE_POOL_SIZE: 'many',
      ENCRYPTION_KEY: 'not-hexadecimal-open-sesame',
      RATE_LIMIT: 'maybe',
      LOG_LEVEL: 'loud',
      CORS_ORIGINS: 'https://fine.example.com,nonsense',
      SCHEDULE_MIN_LEAD_SECONDS: '-1',
      PUBLIC_URL: 'example.com',
    };
    const program = launch('serve', mistakes);
    assert.equal(await program.exit, 1);
    for (const name of Object.keys(mistakes))
      assert.match(program.complained(), new RegExp(`^- ${name} `, 'm'));
    assert.match(program.complained(), /9 mistake/);
    assert.doesNotMatch(program.output(), /open-sesame/);
    assert.doesNotMatch(program.output(), STACK_TRACE);
    assert.deepEqual(readdirSync(dir), []);
  });

  const refusals: [string, string, Record<string, string>, RegExp, everyDay?: 'every day'][] = [
    ['"api" without a platform', 'api', {}, /^- SOCIAL_API_URL is required/m, 'every day'],
    ['"worker" without a platform', 'worker', {}, /^- SOCIAL_API_URL is required/m],
    ['"api" without its address', 'api', {}, /^- PUBLIC_URL is required/m],
    ['"worker" without the address of the API', 'worker', {}, /^- PUBLIC_URL is required/m],
    [
      'Postgres without ENCRYPTION_KEY',
      'serve',
      { DATABASE_URL: 'postgres://airdate@127.0.0.1:1/airdate' },
      /^- ENCRYPTION_KEY is required/m,
    ],
    ['safe mode by hand in a folder without a database', 'safe-mode', {}, /^- DATA_DIR has no database/m],
    [
      'an end of safe mode in a folder without a database',
      'end-safe-mode',
      {},
      /^- DATA_DIR has no database/m,
    ],
    ['an unknown command', 'dance', {}, /no command "dance".*\n(.*\n)* {2}serve .*\n(.*\n)* {2}check /],
    ['a name that every object has', 'constructor', {}, /no command "constructor"/],
    [
      'a database that does not answer',
      'serve',
      { DATABASE_URL: 'postgres://airdate:open-sesame@127.0.0.1:1/airdate', ENCRYPTION_KEY },
      /database/i,
      'every day',
    ],
  ];
  // Each takes a start of the program, so one without a setting and one without a database stand for the others.
  for (const [what, command, env, message, everyDay] of refusals) {
    const define = everyDay ? it : itInProofs;
    define(`exits with 1 and says why: ${what}`, async () => {
      const program = launch(command, env);
      assert.equal(await program.exit, 1);
      assert.doesNotMatch(program.output(), /open-sesame/);
      assert.match(program.complained(), message);
      assert.doesNotMatch(program.complained(), STACK_TRACE);
    });
  }
});

/** A folder and all that is in it. */
function everythingIn(path: string): { path: string; mode: number }[] {
  const entry = statSync(path);
  const names = entry.isDirectory() ? readdirSync(path) : [];
  return [{ path, mode: entry.mode }, ...names.flatMap((name) => everythingIn(join(path, name)))];
}
