// npm run bench: requests per second as a share of a bare Fastify route, growth from a thousand to a million posts, memory
// and start time, how fast due posts are published, and how the dashboard loads. Everything is measured side by side in one
// run. --quick uses a tenth of the posts and fewer rounds. To run some parts only: npm run bench -- sqlite, postgres, drain
// or dashboard. What more processes and more data cost is measured only on request: npm run bench -- scale, or one half of it,
// processes or routes.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recount } from '@airdate/server/src/db/recount.js';
import { startPostgres } from '@airdate/server/test/support/databases/postgres.js';
import { inWords } from '@airdate/server/test/support/world/lateness.js';
import { costOfCovers, costOfSigning, S3_ENV, seedSlides } from './covers.js';
import { dashboard } from './dashboard.js';
import { drain, type Share } from './drain.js';
import { manyProcesses } from './many-processes.js';
import { ANEW, type Share as Compared, type Contestant, compare, median, timeInTurn } from './measure.js';
import { type Running, startAirdate, startBare } from './processes.js';
import { addBelow, atLeast, atMost, note, print } from './report.js';
import { routesAt } from './routes.js';
import { compareSearches, searchAlone, type Times } from './search.js';
import { type Seeded, seedOrganization, withApp } from './seed.js';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 3 : 9;
const SECONDS = quick ? 1 : 2;
const MANY = quick ? 100_000 : 1_000_000;
const SEARCHES = quick ? 15 : 50;

const key = (seeded: Seeded) => ({ authorization: `Bearer ${seeded.key}` });

async function contestants({ url, cpuMs }: Running, bare: Contestant, seeded: Seeded): Promise<Contestant[]> {
  const headers = key(seeded);
  const body = JSON.stringify({ title: 'A new post', caption: 'Made by the benchmark.' });
  const [post, list] = [`${url}/api/v1/posts/${seeded.postId}`, `${url}/api/v1/posts`];
  const etag = (await fetch(list, { headers })).headers.get('etag');
  return [
    bare,
    { name: 'get', url: post, headers, cpuMs },
    { name: 'list of 20', url: list, headers, cpuMs },
    { name: 'get anew', url: `${post}?${ANEW}`, headers, cpuMs },
    { name: 'list anew', url: `${list}?${ANEW}`, headers, cpuMs },
    {
      name: '304',
      url: list,
      headers: { ...headers, 'if-none-match': etag ?? '' },
      isKnown: true,
      cpuMs,
    },
    { name: 'analytics', url: `${url}/api/v1/analytics`, headers, cpuMs },
    { name: 'analytics anew', url: `${url}/api/v1/analytics?${ANEW}`, headers, cpuMs },
    {
      name: 'create',
      url: `${url}/api/v1/posts`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      cpuMs,
    },
  ];
}

async function growth(engine: string, url: string, small: Seeded, large: Seeded): Promise<void> {
  const times = quick ? 50 : 150;
  const of = async (path: string, seeded: Seeded) =>
    (await timeInTurn([url + path], key(seeded), times))[0] as number;
  for (const [what, path] of [
    ['list page 1', `/api/v1/posts?${ANEW}`],
    ['list page 1 by status', `/api/v1/posts?status=draft,posted${ANEW}`],
    ['analytics', `/api/v1/analytics?${ANEW}`],
  ] as const) {
    // Alternating, so that other load on the machine affects both alike.
    const ratios = [];
    for (let i = 0; i < 5; i++) {
      const before = await of(path, small);
      ratios.push((await of(path, large)) / before);
    }
    atMost(
      `${engine}: ${what}, ${MANY.toLocaleString('en')} posts relative to 1,000`,
      median(ratios),
      1.5,
      '×',
    );
  }
  const lastPage = `/api/v1/posts?page=${Math.min(1000, MANY / 100)}&per_page=100${ANEW}`;
  const firstPage = await of(`/api/v1/posts?per_page=100${ANEW}`, large);
  const ratio = (await of(lastPage, large)) / firstPage;
  atMost(`${engine}: page 1,000 relative to page 1, 100 posts per page`, ratio, 30, '×');
}

/** In a large organization relative to a small one, and in the small one relative to when it was alone. */
async function searches(
  engine: string,
  url: string,
  alone: Times,
  small: Seeded,
  large: Seeded,
): Promise<void> {
  const many = MANY.toLocaleString('en');
  for (const { what, growth, beside } of await compareSearches(
    url,
    key(small),
    key(large),
    alone,
    SEARCHES,
  )) {
    atMost(`${engine}: search, ${what}, ${many} posts relative to 1,000`, growth, 2, '×');
    atMost(`${engine}: search, ${what}, 1,000 posts beside ${many}, relative to alone`, beside, 2, '×');
  }
}

/** For the organization with 1,000 posts. */
async function covers(
  engine: string,
  dir: string,
  seeded: Seeded,
  env: Record<string, string> = {},
): Promise<void> {
  const times = quick ? 50 : 150;
  await withApp({ DATA_DIR: dir, DEMO: 'off', ...env }, (app) => seedSlides(app, seeded.orgId));
  for (const [store, more] of [
    ['disk', {}],
    ['S3', S3_ENV],
  ] as const) {
    const airdate = await startAirdate(dir, { ...env, ...more });
    const cost = await costOfCovers(airdate.url, key(seeded), times);
    // Includes the lookup and the longer response.
    note(`${engine}: added cost of covers (${store}), relative to a list of 100`, `${cost.toFixed(2)} ×`);
    if (store === 'disk') {
      const signing = await costOfSigning(airdate.url, key(seeded), times);
      atMost(`${engine}: signing 100 URLs (disk), relative to a list of 100`, signing.disk, 1, '×');
      atMost(`${engine}: signing 100 URLs (S3), relative to a list of 100`, signing.s3, 1, '×');
    }
    await airdate.stop();
  }
}

/** Beside the share of CPU time: that of the requests per second. */
const rate = (share: Compared | undefined) => ` (requests per second: ${(share?.share ?? 0).toFixed(2)})`;

async function onSqlite(dir: string): Promise<void> {
  const env = { DATA_DIR: dir, DEMO: 'off' };
  const empty = await startAirdate(join(dir, 'empty'));
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  atMost('idle memory', empty.memoryMb(), 150, 'MB');
  atMost('first response after start', empty.firstAnswerMs / 1000, 2, 's');
  note('CPU until then', `${(empty.firstAnswerCpuMs / 1000).toFixed(2)} s`);
  await empty.stop();

  const small = await withApp(env, (app) => seedOrganization(app, 1_000));
  const alone = await searchAlone(await startAirdate(dir), key(small), SEARCHES);
  const large = await withApp(env, (app) => seedOrganization(app, MANY));
  const bareServer = await startBare();
  const airdate = await startAirdate(dir);
  const bare = { name: 'bare', url: `${bareServer.url}/bare`, cpuMs: bareServer.cpuMs };
  await growth('SQLite', airdate.url, small, large);
  await searches('SQLite', airdate.url, alone, small, large);
  // Creating posts changes the list, so it comes in a round of its own.
  const all = await contestants(airdate, bare, small);
  const reads = all.filter(({ name }) => name !== 'create');
  const [, get, list, getAnew, listAnew, known, analytics, analyticsAnew] = await compare(
    reads,
    ROUNDS,
    SECONDS,
  );
  const writes = all.filter(({ name }) => name === 'bare' || name === 'create');
  const [, create] = await compare(writes, ROUNDS, SECONDS);
  atLeast(`SQLite: get, CPU share of a bare route${rate(getAnew)}`, getAnew?.cpuShare ?? 0, 0.33);
  atLeast(`SQLite: get, unchanged${rate(get)}`, get?.cpuShare ?? 0, 0.33);
  atLeast(`SQLite: list of 20, read anew${rate(listAnew)}`, listAnew?.cpuShare ?? 0, 0.18);
  atLeast(`SQLite: list of 20, unchanged${rate(list)}`, list?.cpuShare ?? 0, 0.33);
  atLeast(`SQLite: 304 to a list${rate(known)}`, known?.cpuShare ?? 0, 0.4);
  atLeast(`SQLite: create, durable${rate(create)}`, create?.cpuShare ?? 0, 0.18);
  atLeast(`SQLite: analytics, read anew${rate(analyticsAnew)}`, analyticsAnew?.cpuShare ?? 0, 0.33);
  atLeast(`SQLite: analytics, unchanged${rate(analytics)}`, analytics?.cpuShare ?? 0, 0.33);
  await airdate.stop();
  await bareServer.stop();
  await covers('SQLite', dir, small);
}

async function onPostgres(dir: string): Promise<void> {
  const cluster = await startPostgres({ fsync: true });
  try {
    const env = {
      DATABASE_URL: cluster.url,
      DATA_DIR: dir,
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      DATABASE_POOL_SIZE: '10',
    };
    const small = await withApp(env, (app) => seedOrganization(app, 1_000));
    const alone = await searchAlone(await startAirdate(dir, env), key(small), SEARCHES);
    const large = await withApp(env, (app) => seedOrganization(app, MANY));
    const bareServer = await startBare({ DATABASE_URL: cluster.url });
    const airdate = await startAirdate(dir, env);
    await growth('Postgres', airdate.url, small, large);
    await searches('Postgres', airdate.url, alone, small, large);
    const bare = {
      name: 'bare',
      url: `${bareServer.url}/post/${small.orgId}/${small.postId}`,
      cpuMs: bareServer.cpuMs,
    };
    const all = await contestants(airdate, bare, small);
    const wanted = all.filter(({ name }) => !/anew|304/.test(name));
    const [, get, list, analytics, create] = await compare(wanted, ROUNDS, SECONDS);
    atLeast('Postgres: get, share of a bare route with the same query', get?.share ?? 0, 0.7);
    note('Postgres: list of 20', (list?.share ?? 0).toFixed(2));
    note('Postgres: create', (create?.share ?? 0).toFixed(2));
    note('Postgres: analytics', (analytics?.share ?? 0).toFixed(2));
    await airdate.stop();
    await bareServer.stop();
    await covers('Postgres', dir, small, env);
    const wrong = await withApp(env, (app) => recount(app.db, ['posts']));
    if (wrong.length > 0) throw new Error(`the counters are wrong after the run: ${JSON.stringify(wrong)}`);
  } finally {
    await cluster.stop();
  }
}

async function onSchedule(dir: string): Promise<void> {
  const spread = { posts: quick ? 100 : 500, overMs: quick ? 12_000 : 60_000 };
  const posts = quick ? 400 : 2_000;
  const result = await drain(dir, { posts, rounds: quick ? 2 : 5, spread });
  const { published, accepted, drained, spread: even } = result;
  const rates = ({ ours, bare }: Share) => `${ours.toFixed(0)} posts/s, bare ${bare.toFixed(0)}`;
  atLeast(
    `${posts} posts due at once until all are published, share of a bare loop making the same calls (${rates(published)})`,
    published.share,
    0.5,
  );
  const seconds = spread.overMs / 1000;
  atMost(
    `${spread.posts} posts spread over ${seconds} s, lateness of the start (p99)`,
    even.p99 / 1000,
    2,
    's',
  );
  addBelow(
    `Until all are accepted, before the platform processes them: ${rates(accepted)}, a share of ${accepted.share.toFixed(2)}`,
    '',
  );
  for (const [what, lateness] of [
    [`All ${posts} due at once`, drained],
    [`${spread.posts} spread over ${seconds} s`, even],
  ] as const)
    addBelow(`${what}, lateness of the start: ${inWords(lateness)}`, ...lateness.histogram, '');
}

const onDashboard = () => dashboard({ rounds: quick ? 1 : 5 });

const onManyProcesses = (dir: string) =>
  manyProcesses(dir, { seconds: quick ? 2 : 10, posts: quick ? 100 : 400, spread: quick ? 250 : 1_000 });
const onMuchData = (dir: string) =>
  routesAt(dir, { sizes: [1_000, MANY / 10, MANY], times: quick ? 10 : 30 });

const PARTS = { sqlite: onSqlite, postgres: onPostgres, drain: onSchedule, dashboard: onDashboard };
const onScale = async (dir: string) => {
  await onManyProcesses(join(dir, 'processes'));
  await onMuchData(join(dir, 'routes'));
};
/** Too long for every run. */
const ON_REQUEST = { scale: onScale, processes: onManyProcesses, routes: onMuchData };
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = named.filter((word) => !Object.hasOwn({ ...PARTS, ...ON_REQUEST }, word));
if (unknown.length > 0) throw new Error(`unknown benchmark part: ${unknown.join(', ')}`);

const dir = mkdtempSync(join(tmpdir(), 'airdate-bench-'));
try {
  for (const [name, part] of Object.entries(PARTS))
    if (named.length === 0 || named.includes(name)) await part(join(dir, name));
  for (const [name, part] of Object.entries(ON_REQUEST))
    if (named.includes(name)) await part(join(dir, name));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
print();
