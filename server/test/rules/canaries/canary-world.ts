// A service as a real process whose secrets are all known, so that a search can tell whether one of them got out.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { visiblePrefix } from '../../../src/identity/keys/secret.js';
import { openApp } from '../../../src/open-app.js';
import { createPostgresDatabase, type Engine, silentLog } from '../../support/databases/fresh-databases.js';
import { type Program, startProgram } from '../../support/programs/start-program.js';
import {
  ADMIN_TOKEN,
  createOrganization,
  TestClock,
  type TestService,
} from '../../support/service/harness.js';
import { send } from '../../support/service/send.js';
import { RecordingPlatform } from './recording-platform.js';
import { Canaries } from './secret-leaks.js';

export const newCanary = () => `canary${randomBytes(16).toString('hex')}`;

/** The fault that SIGUSR2 plants: an error that no code catches. */
const FAULT = newCanary();
const HOOK = `process.on("SIGUSR2",()=>{throw new Error("a planted fault ${FAULT}")})`;

/** Where an answer shows a secret by contract, once or again to the same Idempotency-Key. */
const SHOWN: readonly [name: string, route: RegExp, place: RegExp][] = [
  ['an API key', /^POST \/api\/(admin\/)?v1\/([^?]+\/)?keys(\?|$)/, /"key":"(ad_\w+)"/g],
  ['the token of an invitation', /^POST \/api\/v1\/invitations(\?|$)/, /#([\w-]{20,})"/g],
  ['the state of a consent', /^POST \/api\/v1\/social-accounts\/connect(\?|$)/, /[?&]state=([\w-]{43})/g],
  // In lists of files, and of posts with their covers.
  ['a signature', /^\w+ \/api\/v1\/posts\b/, /signature=([0-9a-f]{64})/g],
  ['a session', /^POST \/api\/v1\/auth\//, /set-cookie: airdate=([\w-]{20,})/g],
];

export type CanaryWorld = Awaited<ReturnType<typeof startCanaryWorld>>;

export async function startCanaryWorld(engine: Engine) {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start(engine, closing)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(engine: Engine, closing: (() => unknown)[]) {
  const canaries = new Canaries();
  /** Texts that must be found, each in its place: if they are, a secret would have been found there as well. */
  const markers = new Canaries();
  markers.plant('the planted fault', FAULT);
  const answers: Buffer[] = [];
  const plant = (name: string): string => {
    const canary = newCanary();
    canaries.plant(name, canary);
    return canary;
  };
  const newFolder = (name: string) => {
    const dir = mkdtempSync(join(tmpdir(), `airdate-canaries-${name}-`));
    closing.push(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  };
  const [dir, sandboxDir] = [newFolder('service'), newFolder('sandbox')];
  const database = engine === 'postgres' ? await createPostgresDatabase() : null;
  if (database) closing.push(() => database.drop());
  const platform = await new RecordingPlatform((name, secret) => canaries.plant(name, secret)).start();
  closing.push(() => platform.stop());

  const encryptionKey = randomBytes(32);
  canaries.plant('ENCRYPTION_KEY', encryptionKey);
  const secrets = {
    ADMIN_TOKEN: plant('ADMIN_TOKEN'),
    SOCIAL_CLIENT_SECRET: plant('SOCIAL_CLIENT_SECRET'),
    METRICS_TOKEN: plant('METRICS_TOKEN'),
    ENCRYPTION_KEY: encryptionKey.toString('hex'),
  };
  const env = {
    ...secrets,
    DATA_DIR: dir,
    SOCIAL_API_URL: platform.url,
    SOCIAL_INITS_PER_MINUTE: '0',
    SOCIAL_POSTS_PER_DAY: '0',
    SIGNUP: 'open',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'trace',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HOOK)}`,
    ...(database ? { DATABASE_URL: withPassword(database.url, plant('the password of the database')) } : {}),
  };
  const runs: Program[] = [];
  const run = async (more: Record<string, string> = {}): Promise<Program> => {
    const program = await startProgram('serve', { ...env, ...more }, { keepOutput: true });
    closing.push(() => program.kill());
    runs.push(program);
    return program;
  };
  const first = await run();
  const { url } = first;
  const sandbox = await startProgram('sandbox', {
    DATA_DIR: sandboxDir,
    SOCIAL_CLIENT_SECRET: secrets.SOCIAL_CLIENT_SECRET,
    SANDBOX_CONTROL: 'on',
    SANDBOX_WEBHOOK_URL: `${url}/webhooks/social`,
  });
  closing.push(() => sandbox.kill());
  platform.platformUrl = sandbox.url;
  // Only to prepare what no route creates, and to read: it has no worker.
  const { NODE_OPTIONS: _hook, ...settings } = env;
  const app = await openApp(readConfig('serve', { ...settings, PUBLIC_URL: url }), { log: silentLog });
  closing.push(() => app.close());

  /** Keeps an answer for the search, without the secrets that it shows by contract: those are learnt from it. */
  function keep(route: string, text: string): void {
    let rest = text;
    for (const [name, where, place] of SHOWN)
      if (where.test(route))
        rest = rest.replace(place, (match, secret: string) => {
          learn(name, secret);
          return match.replace(secret, '(shown)');
        });
    answers.push(Buffer.from(rest));
  }

  function learn(name: string, secret: string): void {
    const isKey = name === 'an API key';
    canaries.plant(name, isKey ? secret.slice(visiblePrefix(secret).length) : secret);
  }

  const request: TestService['request'] = async (method, path, options = {}) => {
    const key = options.key === ADMIN_TOKEN ? secrets.ADMIN_TOKEN : options.key;
    const answer = await send(method, url + path, { ...options, key });
    keep(`${method} ${path}`, textOf(answer.status, answer.headers, answer.text));
    return answer;
  };
  const service = {
    url,
    app,
    clock: new TestClock(),
    request,
    newOrganization: (fields = {}) => createOrganization(url, app, request, fields),
  } as TestService;

  return {
    canaries,
    markers,
    plant,
    learn,
    keep,
    secrets,
    env,
    service,
    sandbox,
    program: first,
    run,
    /** All that may hold a secret, by name. Log lines are complete when the processes have ended. */
    places: async () => ({
      answers,
      log: runs.map((program) => program.output().stdout),
      'crash output': runs.map((program) => program.output().stderr),
      database: [Buffer.from(await rowsOf(engine, database?.url ?? join(dir, 'airdate.db')))],
      files: filesIn(dir).flatMap((file) => [Buffer.from(file), readFileSync(file)]),
    }),
    files: () => filesIn(dir),
  };
}

export function textOf(
  status: number,
  headers: Iterable<readonly [string, string | string[] | undefined]>,
  body: string,
) {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return `${status}\n${lines.join('\n')}\n\n${body}`;
}

/** The tests' own Postgres trusts every password, so it can be any. */
function withPassword(address: string, password: string): string {
  const url = new URL(address);
  if (url.password === '') url.password = password;
  return url.href;
}

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Every row of every table, as text. */
async function rowsOf(engine: Engine, place: string): Promise<string> {
  if (engine === 'sqlite') {
    const db = new Libsql(place);
    // The parts of the search's index hold no text, and are not meant to be read. The file itself is searched as well.
    const tables = db
      .prepare("select name from sqlite_master where type = 'table' and name not like 'post_search_fts%'")
      .all() as { name: string }[];
    const rows = tables.flatMap(({ name }) => db.prepare(`select * from "${name}"`).all());
    db.close();
    return rows.map((row) => JSON.stringify(row)).join('\n');
  }
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  try {
    const tables = await client.query("select tablename from pg_tables where schemaname = 'public'");
    let text = '';
    for (const { tablename } of tables.rows) {
      const { rows } = await client.query(`select t::text as row from "${tablename}" t`);
      text += rows.map(({ row }) => row).join('\n');
    }
    return text;
  } finally {
    await client.end();
  }
}
