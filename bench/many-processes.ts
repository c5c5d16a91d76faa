// What processes add, on Postgres: the CPU time of a request at 1, 2 and 4 API processes, and of a published post at 1, 2 and 4
// workers; the memory and the connections of each process; and how late posts start that are due evenly. CPU time is compared, not
// requests per second: a machine with few cores has no more to give, but a request that costs the same everywhere is one that
// more cores can serve more of.

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '@airdate/server/src/app/app.js';
import { freePort, startPostgres } from '@airdate/server/test/support/databases/postgres.js';
import {
  type Attempt,
  addDuePosts,
  type Owner,
  ownerOfAccounts,
  smallPicture,
} from '@airdate/server/test/support/world/due-posts.js';
import { inWords, latenessOf } from '@airdate/server/test/support/world/lateness.js';
import { allPublished } from './all-published.js';
import { loadAll, type Request } from './load-all.js';
import { ask, connectionsOf, postgresCpu, postgresWrites } from './postgres-figures.js';
import { type Running, startPart } from './processes.js';
import { addBelow, atLeast, atMost, note } from './report.js';
import { newKey, withApp } from './seed.js';

export interface ScalePlan {
  /** Of lists and creates, for each number of processes. */
  seconds: number;
  /** Drained by each number of workers. */
  posts: number;
  /** Posts that become due evenly. */
  spread: number;
}

const COUNTS = [1, 2, 4] as const;
const ACCOUNTS = 100;
const WARM_UP_SECONDS = 2;
const WARM_UP_PUBLISHES = 60;
const CREATORS = 32;
/** Young processes compile their own code: each publishes so many posts before it is measured. */
const WARM_UP_POSTS = 200;
/** To each process. Of four, about half of what two cores can do: beyond that, processes that wait for each other cost more. */
const LISTS_PER_SECOND = 75;
const CREATES_PER_SECOND = 40;
const PUBLISHES_PER_SECOND = 4;
const PUBLISHES_SECONDS = 15;
/** Beside the workers, the API, Postgres and the platform want a core each. */
const OTHERS = 3;
/** What two cores can publish, and more than they can. */
const DUE_PER_SECOND = [20, 50] as const;
const CORES_FOR_LATENESS = { 20: 2, 50: 5 };
/** A request or post may cost a fifth more with more processes: they share locks, and each has its own caches. */
const MIN_SHARE = 0.8;
const LATE_MS = 2_000;
const FAR_AHEAD_MS = 86_400_000;

interface World {
  app: App;
  dir: string;
  env: Record<string, string>;
  databaseUrl: string;
  owner: Owner;
  key: string;
  picture: Buffer;
  /** What the API that the platform fetches slides from must listen on. */
  port: string;
}

export async function manyProcesses(dir: string, plan: ScalePlan): Promise<void> {
  const cluster = await startPostgres({ fsync: true });
  try {
    const platform = await startPart('sandbox', join(dir, 'platform'), { SANDBOX_PROCESSING_MS: '0' });
    const port = String(await freePort());
    const env = {
      DATABASE_URL: cluster.url,
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      SOCIAL_API_URL: platform.url,
      SOCIAL_INITS_PER_MINUTE: '0',
      SOCIAL_POSTS_PER_DAY: '0',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      RATE_LIMIT_AGENCY_PER_MINUTE: '1000000000',
    };
    await withApp({ ...env, DATA_DIR: dir }, async (app) => {
      // The consent of each account comes back to the public address.
      const [first] = await startApis({ env, dir, port }, 1);
      const owner = await ownerOfAccounts(app, ACCOUNTS);
      await first?.stop();
      const key = await newKey(app, owner.orgId);
      const picture = await smallPicture();
      const world = { app, dir, env, databaseUrl: cluster.url, owner, key, picture, port };
      await requests(world, plan);
      await drains(world, plan);
      await evenly(world, plan.spread);
    });
    await platform.stop();
  } finally {
    await cluster.stop();
  }
}

/** The first of them has the public address. */
const startApis = ({ dir, env, port }: Pick<World, 'dir' | 'env' | 'port'>, n: number): Promise<Running[]> =>
  Promise.all(
    Array.from({ length: n }, (_, i) => startPart('api', dir, { ...env, PORT: i === 0 ? port : '0' })),
  );

const startWorkers = ({ dir, env }: World, n: number): Promise<Running[]> =>
  Promise.all(Array.from({ length: n }, () => startPart('worker', dir, env)));

const stopAll = (running: Running[]) => Promise.all(running.map((one) => one.stop()));

const cpuOf = (running: Running[]) => running.reduce((ms, one) => ms + one.cpuMs(), 0);

/** Of one request or post, in milliseconds. */
interface Cost {
  ours: number;
  postgres: number;
  /** Written by Postgres. */
  kilobytes: number;
  transactions: number;
}

/** Measures what `work` costs, divided by what it returns. */
async function costOf(world: World, running: Running[], work: () => Promise<number>): Promise<Cost> {
  const read = async () => ({
    ours: cpuOf(running),
    postgres: await postgresCpu(world.databaseUrl),
    writes: await postgresWrites(world.databaseUrl),
  });
  const before = await read();
  const n = await work();
  const after = await read();
  return {
    ours: (after.ours - before.ours) / n,
    postgres: (after.postgres - before.postgres) / n,
    kilobytes: (after.writes.bytes - before.writes.bytes) / 1024 / n,
    transactions: (after.writes.transactions - before.writes.transactions) / n,
  };
}

/** The share says how much of what a single process does for its CPU time each of several still does. */
function report(
  [what, unit, processes]: [what: string, unit: string, processes: string],
  costs: Map<number, Cost>,
  mostProcesses = Number.POSITIVE_INFINITY,
): void {
  const total = ({ ours, postgres }: Cost) => ours + postgres;
  const single = costs.get(1) as Cost;
  for (const [n, cost] of costs) {
    const measured = `${cost.ours.toFixed(2)} ms, Postgres ${cost.postgres.toFixed(2)} ms`;
    const name = `${what}, ${n} ${processes}${n === 1 ? '' : processes.endsWith('s') ? 'es' : 's'}`;
    const share = total(single) / total(cost);
    const relative = `${name}: work per CPU time, relative to 1 (${measured})`;
    const written = `${cost.transactions.toFixed(1)} transactions, ${cost.kilobytes.toFixed(1)} KB of log`;
    if (n === 1) note(`${name}: CPU per ${unit}; written by Postgres`, `${measured}; ${written}`);
    else if (n <= mostProcesses) atLeast(relative, share, MIN_SHARE);
    else note(`${relative}; more processes than cores`, share.toFixed(2));
  }
}

async function requests(world: World, { seconds }: ScalePlan): Promise<void> {
  const measured = PUBLISHES_PER_SECOND * PUBLISHES_SECONDS;
  const { app, owner, picture, key } = world;
  const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
  const headers = headersOf(key);
  // Posts of one organization share a counter, and wait for each other there.
  const creators: (typeof headers)[] = [];
  for (let n = 0; n < CREATORS; n++)
    creators.push(headersOf(await newKey(app, (await ownerOfAccounts(app, 0)).orgId)));
  const costs = {
    list: new Map<number, Cost>(),
    create: new Map<number, Cost>(),
    publish: new Map<number, Cost>(),
  };
  for (const n of COUNTS) {
    const ids = await addDuePosts(app, owner, {
      posts: n * (measured + WARM_UP_PUBLISHES),
      slot: () => app.clock.now() + FAR_AHEAD_MS,
      picture,
      name: `published with ${n}`,
    });
    // Before the warm-up: connections plan their statements anew after it.
    await ask(world.databaseUrl, 'analyze');
    const own = await connectionsOf(world.databaseUrl);
    const apis = await startApis(world, n);
    const urls = apis.map(({ url }) => `${url}/api/v1/posts`);
    const body = JSON.stringify({ title: 'A new post', caption: 'Made by the benchmark.' });
    const list: Request = { headers: [headers] };
    const create: Request = { headers: creators, method: 'POST', body };
    // As much for each process as for the single one.
    await loadAll(urls, list, { seconds: n * WARM_UP_SECONDS });
    await loadAll(urls, create, { seconds: n * WARM_UP_SECONDS });
    await publishAll(urls, headers, ids.splice(n * measured), owner);
    const load = (request: Request, perSecond: number) =>
      costOf(world, apis, () => loadAll(urls, request, { seconds, perSecond: n * perSecond }));
    costs.list.set(n, await load(list, LISTS_PER_SECOND));
    costs.create.set(n, await load(create, CREATES_PER_SECOND));
    costs.publish.set(n, await costOf(world, apis, () => publishAll(urls, headers, ids, owner)));
    const memory = Math.max(...apis.map((one) => one.memoryMb()));
    if (n === 1) {
      note('memory of an API process under load', `${memory.toFixed(0)} MB`);
      note(
        'connections of an API process under load',
        String((await connectionsOf(world.databaseUrl)) - own),
      );
    }
    await stopAll(apis);
    process.stderr.write(`requests to ${n}: done\n`);
  }
  report(['list of 20', 'request', 'API process'], costs.list);
  report(['create', 'request', 'API process'], costs.create);
  report(['publish now', 'request', 'API process'], costs.publish);
}

/** Publish now, as a client would call it, at an even pace. Returns how many. */
async function publishAll(urls: string[], headers: Record<string, string>, ids: string[], owner: Owner) {
  const publish = async (id: string, n: number) => {
    await delay((n * 1000) / (urls.length * PUBLISHES_PER_SECOND));
    const account = owner.ids[n % owner.ids.length];
    const body = JSON.stringify({ social_account_id: account, privacy_level: 'SELF_ONLY' });
    const response = await fetch(`${urls[n % urls.length]}/${id}/publish`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`publish answered ${response.status}: ${await response.text()}`);
    await response.text();
  };
  await Promise.all(ids.map(publish));
  return ids.length;
}

async function drains(world: World, { posts }: ScalePlan): Promise<void> {
  const costs = new Map<number, Cost>();
  const own = await connectionsOf(world.databaseUrl);
  const apis = await startApis(world, 1);
  for (const n of COUNTS) {
    const { app } = world;
    await ask(world.databaseUrl, 'analyze');
    const workers = await startWorkers(world, n);
    // The first one also polls the posts that were published by request.
    await publishDue(world, n * WARM_UP_POSTS, `warm-up of ${n}`);
    const first = app.clock.now() + 10 * posts + 5_000;
    const plan = { posts, slot: () => first, picture: world.picture, name: `drained by ${n}` };
    await addDuePosts(app, world.owner, plan);
    let attempts: Attempt[] = [];
    const cost = await costOf(world, [...workers, ...apis], async () => {
      attempts = await allPublished(app, world.owner, [first, first], posts);
      return posts;
    });
    costs.set(n, cost);
    const ms = Math.max(...attempts.map(({ finished_at }) => finished_at ?? 0)) - first;
    addBelow(
      `${posts} posts due at once, drained by ${n}: ${(posts / (ms / 1000)).toFixed(0)} posts a second`,
    );
    if (n === 1) {
      note('memory of a worker under load', `${workers[0]?.memoryMb().toFixed(0)} MB`);
      note('connections of an API and a worker', String((await connectionsOf(world.databaseUrl)) - own));
    }
    await stopAll(workers);
    process.stderr.write(`drained by ${n}: done\n`);
  }
  await stopAll(apis);
  // All at the same time: as fast as the machine can, so each needs a core of its own.
  report(['published posts, with slides', 'post', 'worker'], costs, availableParallelism() - OTHERS);
}

/** Adds posts that are due soon, and waits until the workers have published all of them. */
async function publishDue({ app, owner, picture }: World, posts: number, name: string): Promise<void> {
  const at = app.clock.now() + 10 * posts + 1_000;
  await addDuePosts(app, owner, { posts, slot: () => at, picture, name });
  await allPublished(app, owner, [at, at], posts);
}

async function evenly(world: World, posts: number): Promise<void> {
  const { app, owner, picture } = world;
  const running = [...(await startApis(world, 1)), ...(await startWorkers(world, 2))];
  await publishDue(world, 2 * WARM_UP_POSTS, 'warm-up before the spread');
  for (const perSecond of DUE_PER_SECOND) {
    const first = app.clock.now() + 10 * posts + 5_000;
    const slot = (n: number) => first + Math.floor((n * 1000) / perSecond);
    await addDuePosts(app, owner, { posts, slot, picture, name: `spread, ${perSecond} a second` });
    const late = latenessOf(await allPublished(app, owner, [first, slot(posts)], posts));
    const what = `${posts} posts at ${perSecond} a second, 2 workers`;
    const p99 = `${what}: lateness of the start (p99)`;
    if (availableParallelism() >= CORES_FOR_LATENESS[perSecond])
      atMost(p99, late.p99 / 1000, LATE_MS / 1000, 's');
    else note(`${p99}; too few cores`, `${(late.p99 / 1000).toFixed(2)} s`);
    addBelow(`${what}: ${inWords(late)}`);
  }
  await stopAll(running);
}
