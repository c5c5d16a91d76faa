// The real program from outside: how it starts, which settings it refuses, what it prints, and how it stops.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import { createPostgresDatabase, type PostgresDatabase } from '../databases.js';
import { itInProofs } from '../everyday.js';
import { demoKey, readyUrl } from '../greeting.js';
import { ADMIN_TOKEN, onOneEngine, send } from '../harness.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
/** What one of several processes needs: a platform, and the address of the API (unknown until it listens). */
const BESIDE = { SOCIAL_API_URL: 'http://127.0.0.1:9/sandbox', PUBLIC_URL: 'http://127.0.0.1:0' };
const ENCRYPTION_KEY = '5ec4e7'.padEnd(64, '0');
const STACK_TRACE = /\n\s+at /;

interface Program {
  /** Everything it wrote, on both streams. */
  said(): string;
  complained(): string;
  /** Its URL, once it says that it is ready. */
  url: Promise<string>;
  exit: Promise<number | string>;
  signal(name: NodeJS.Signals): void;
}

let dir: string;
let children: ChildProcess[] = [];
let sockets: Socket[] = [];

/** A folder for each test, and an end of all that it started. */
function useFolder(): void {
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-program-'));
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    children = [];
    sockets = [];
    rmSync(dir, { recursive: true, force: true });
  });
}

function launch(command: string, env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [MAIN, command], {
    env: { PATH: process.env.PATH, DATA_DIR: join(dir, 'data'), PORT: '0', HOST: '127.0.0.1', ...env },
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  let complained = '';
  child.stderr.on('data', (chunk) => {
    complained += chunk;
    said += chunk;
  });
  const exit = once(child, 'close').then(([code, signal]) => code ?? signal);
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const ready = readyUrl(said);
      if (ready) resolve(ready);
    });
    exit.then((code) => reject(new Error(`it exited with ${code} before it was ready:\n${said}`)));
  });
  url.catch(() => {}); // not every test waits for it
  return { said: () => said, complained: () => complained, url, exit, signal: (name) => child.kill(name) };
}

/** Collected output is JSON to the last line, and each line names the process that wrote it. */
function assertJson(program: Program): void {
  const lines = program
    .said()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(lines.length >= 2);
  const { role, instance, version } = lines[0];
  assert.match(instance, /:\d+$/);
  assert.match(version, /^\d+\.\d+\.\d+/);
  for (const line of lines)
    assert.deepEqual([line.role, line.instance, line.version], [role, instance, version]);
  const ready = lines.find(({ msg }) => /is ready at/.test(msg));
  assert.match(ready.msg, new RegExp(`^Airdate \\(${role}\\) is ready at `));
  assert.equal(/is ready at (\S+) after [\d.]+ s$/.exec(ready.msg)?.[1], ready.url);
  assert.match(lines.at(-1).msg, new RegExp(`^Airdate \\(${role}\\) stopped on SIG(TERM|INT)$`));
}

/** A request that the server has started to read and that ends when the test says so. */
async function beginRequest(url: string, key: string, body: string) {
  const socket = await openSocket(url);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(
    `POST /api/v1/posts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  await until(async () => /^HTTP\/1.1 100 /.test(received), 'the server did not take the request');
  return {
    async finish(): Promise<string> {
      socket.write(body);
      await closed;
      return received.replace(/^HTTP\/1.1 100 .*\r\n\r\n/, '');
    },
  };
}

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function until(met: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await met()) return;
    await delay(20);
  }
  assert.fail(otherwise);
}

/** While it drains, the process refuses new requests. */
const isDraining = (url: string) =>
  send('GET', `${url}/readyz`, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 503,
    () => true,
  );

const COMMANDS: [command: string, env: Record<string, string>][] = [
  ['serve', {}],
  ['api', BESIDE],
  ['worker', BESIDE],
  ['sandbox', {}],
];

onOneEngine('A process', (engine) => {
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
    assert.equal(await program.exit, 0, program.said());
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
    await until(async () => (await workers()) === '1 alive', 'the worker was not seen');
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
    assert.match(program.said(), /"path":"\/api\/v1\/posts"/, 'there is no log to look at');
    const secrets = [key, own.json.data.key, ADMIN_TOKEN, ENCRYPTION_KEY, 'whisper', 'Bearer'];
    for (const secret of secrets) assert.ok(!program.said().includes(secret), `the log contains ${secret}`);
  });
});

describe('SIGTERM', () => {
  useFolder();
  /** The data of a first start: an organization, and its key. Made once, as every start takes seconds. */
  let left: { data: string; key: string };
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-program-'));
    const first = launch('serve');
    await first.url;
    await until(async () => demoKey(first.said()) !== undefined, 'no key was shown');
    first.signal('SIGINT');
    assert.equal(await first.exit, 0);
    left = { data: join(dir, 'data'), key: demoKey(first.said()) as string };
  });
  after(() => rmSync(dirname(left.data), { recursive: true, force: true }));

  /** A copy of that data for the next start. */
  function useDemo(): string {
    cpSync(left.data, join(dir, 'data'), { recursive: true });
    return left.key;
  }

  it('counts a signal that comes twice at once as one: npm passes Ctrl-C on to a process that has already received it', async () => {
    useDemo();
    const program = launch('serve');
    await program.url;
    program.signal('SIGINT');
    program.signal('SIGINT');
    assert.equal(await program.exit, 0);
    assert.match(program.said(), /stopped on SIGINT/);
    assertJson(program);
  });

  it('ends in words where a person reads them, as the start begins', async () => {
    const program = launch('sandbox', { LOG_FORMAT: 'human' });
    const url = await program.url;
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0);
    const lines = program.said().trimEnd().split('\n');
    assert.ok(lines.includes(`Airdate (sandbox) is ready at ${url}`), program.said());
    assert.equal(lines.at(-1), 'Airdate (sandbox) stopped on SIGTERM');
  });

  for (const [command, more] of COMMANDS.slice(0, 2)) {
    const define = command === 'serve' ? it : itInProofs;
    define(`lets "${command}" answer open requests, and refuses new ones`, async () => {
      const key = useDemo();
      const program = launch(command, more);
      const url = await program.url;
      const request = await beginRequest(url, key, '{"title":"Just in time"}');
      program.signal('SIGTERM');
      await until(() => isDraining(url), 'it still takes requests');
      const answer = await request.finish();
      assert.match(answer, /^HTTP\/1.1 201 /);
      assert.match(answer, /Just in time/);
      assert.equal(await program.exit, 0, program.said());
      assert.equal(await countOf('posts'), 1);
    });
  }

  async function assertSecondSignalEnds(program: Program): Promise<void> {
    let hasEnded = false;
    program.exit.then(() => {
      hasEnded = true;
    });
    // One that comes at once counts as the same signal; a later one is a second signal.
    await until(async () => {
      if (!hasEnded) program.signal('SIGTERM');
      return hasEnded;
    }, 'it never ended');
    assert.equal(await program.exit, 1);
  }

  it('sent a second time ends a process that still waits', async () => {
    const key = useDemo();
    const program = launch('serve');
    const url = await program.url;
    await beginRequest(url, key, '{"title":"Never finished"}');
    program.signal('SIGTERM');
    await until(() => isDraining(url), 'it still takes requests');
    await assertSecondSignalEnds(program);
  });

  it('leaves time to notice, with SHUTDOWN_DELAY_SECONDS: /readyz is 503 and requests are served', async () => {
    const key = useDemo();
    const program = launch('serve', { SHUTDOWN_DELAY_SECONDS: '120' });
    const url = await program.url;
    program.signal('SIGTERM');
    const ready = () => send('GET', `${url}/readyz`, { headers: { connection: 'close' } });
    await until(async () => (await ready()).status === 503, 'it still says that it is ready');
    assert.equal((await ready()).json.checks.process, 'stopping');
    const post = { key, body: { title: 'Written while it retires' } };
    assert.equal((await send('POST', `${url}/api/v1/posts`, post)).status, 201);
    await assertSecondSignalEnds(program);
  });

  // What such a connection may still ask is in last-requests.test.ts, where no clock runs out.
  it('with SHUTDOWN_DELAY_SECONDS ends in order after it, and closes idle connections', async () => {
    const program = launch('serve', { DEMO: 'off', SHUTDOWN_DELAY_SECONDS: '1' });
    const socket = await openSocket(await program.url);
    socket.resume();
    const closed = once(socket, 'close');
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    program.signal('SIGTERM');
    await closed;
    assert.equal(await program.exit, 0, program.said());
  });

  it('is not delayed by a connection without a request', async () => {
    const program = launch('serve', { DEMO: 'off' });
    await openSocket(await program.url);
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0, program.said());
    assert.equal(await countOf('organizations'), 0, 'there is a demo');
  });

  it('ends with 0 even when a client never finishes its request', async () => {
    const key = useDemo();
    const program = launch('serve');
    await beginRequest(await program.url, key, '{"title":"Never finished"}');
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0, program.said());
  });
});

describe('The first start', () => {
  useFolder();
  it('shows the key of a demo organization once, and it works from then on', async () => {
    const first = launch('serve');
    await until(async () => demoKey(first.said()) !== undefined, 'no key was shown');
    const key = demoKey(first.said()) as string;
    const me = await send('GET', `${await first.url}/api/v1/me`, { key });
    assert.deepEqual([me.status, me.json.data.in_trial], [200, true]);
    first.signal('SIGTERM');
    assert.equal(await first.exit, 0);

    const second = launch('serve');
    const again = await send('GET', `${await second.url}/api/v1/me`, { key });
    assert.equal(again.status, 200);
    second.signal('SIGTERM');
    assert.equal(await second.exit, 0);
    assert.equal(demoKey(second.said()), undefined);
    assert.ok(!second.said().includes(key));
    assert.equal(await countOf('organizations'), 1);
  });

  itInProofs('creates no organization with DEMO=off', async () => {
    const program = launch('serve', { DEMO: 'off' });
    await program.url;
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0);
    assert.equal(demoKey(program.said()), undefined);
    assert.equal(await countOf('organizations'), 0);
  });

  it('on a port in use fails with a sentence and keeps the demo key for the start that works', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as { port: number };
    try {
      const program = launch('serve', { PORT: String(port) });
      assert.equal(await program.exit, 1);
      assert.equal(demoKey(program.said()), undefined);
      assert.equal(await countOf('organizations'), 0);
      const next = launch('serve');
      await until(async () => demoKey(next.said()) !== undefined, 'no key was shown');
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
    assert.doesNotMatch(program.said(), /open-sesame/);
    assert.doesNotMatch(program.said(), STACK_TRACE);
    assert.deepEqual(readdirSync(dir), []);
  });

  const refusals: [string, string, Record<string, string>, RegExp][] = [
    ['"api" without a platform', 'api', {}, /^- SOCIAL_API_URL is required/m],
    ['"worker" without a platform', 'worker', {}, /^- SOCIAL_API_URL is required/m],
    ['"api" without its address', 'api', {}, /^- PUBLIC_URL is required/m],
    ['"worker" without the address of the API', 'worker', {}, /^- PUBLIC_URL is required/m],
    [
      'Postgres without ENCRYPTION_KEY',
      'serve',
      { DATABASE_URL: 'postgres://airdate@127.0.0.1:1/airdate' },
      /^- ENCRYPTION_KEY is required/m,
    ],
    ['safe mode by hand in a folder without a database', 'restored', {}, /^- DATA_DIR has no database/m],
    ['a release in a folder without a database', 'release', {}, /^- DATA_DIR has no database/m],
    ['an unknown command', 'dance', {}, /no command "dance".*\n(.*\n)* {2}serve .*\n(.*\n)* {2}check /],
    ['a name that every object has', 'constructor', {}, /no command "constructor"/],
    [
      'a database that does not answer',
      'serve',
      { DATABASE_URL: 'postgres://airdate:open-sesame@127.0.0.1:1/airdate', ENCRYPTION_KEY },
      /database/i,
    ],
  ];
  // Each takes a start of the program, so one without a setting and one without a database stand for the others.
  for (const [n, [what, command, env, message]] of refusals.entries()) {
    const define = n % 9 === 0 ? it : itInProofs;
    define(`exits with 1 and says why: ${what}`, async () => {
      const program = launch(command, env);
      assert.equal(await program.exit, 1);
      assert.doesNotMatch(program.said(), /open-sesame/);
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

async function countOf(table: 'organizations' | 'posts'): Promise<number> {
  const db = openSqlite(join(dir, 'data', 'airdate.db'));
  try {
    const rows = await db.read.selectFrom(table).select('id').execute();
    return rows.length;
  } finally {
    await db.close();
  }
}
