// What processes add, on Postgres: the CPU time of a request at 1, 2 and 4 API processes, and of a published post at 1, 2 and 4
// workers; the memory and the connections of each process; and how late posts start at 50 a second. CPU time is compared, not
// requests per second: a machine with few cores has no more to give, but a request that costs the same everywhere is one that
// more cores can serve more of.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { App } from '@airdate/server/src/api/app.js';
import {
  type Attempt,
  addDuePosts,
  type Owner,
  ownerOfAccounts,
  smallPicture,
} from '@airdate/server/test/due-posts.js';
import { inWords, latenessOf } from '@airdate/server/test/lateness.js';
import { freePort, startPostgres } from '@airdate/server/test/postgres.js';
import { allPublished } from './all-published.js';
import { loadAll } from './load-all.js';
import { connectionsOf, postgresCpu } from './postgres-figures.js';
import { type Running, startPart } from './processes.js';
import { addBelow, atLeast, atMost, note } from './report.js';
import { newKey, withApp } from './seed.js';

export interface ScalePlan {
  /** Of load, for each kind of request and number of processes. */
  seconds: number;
  /** Published by request, and drained by workers, for each number of processes. */
  posts: number;
  /** Posts that become due at 50 a second. */
  spread: number;
}

const COUNTS = [1, 2, 4] as const;
const ACCOUNTS = 100;
const AT_ONCE = 32;
const PER_SECOND = 50;
/** A request or post may cost a fifth more with more processes: they share locks, and each has its own caches. */
const LEAST_SHARE = 0.8;
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
  const platform = await startPart('sandbox', join(dir, 'platform'), { SANDBOX_PROCESSING_MS: '0' });
  try {
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
  } finally {
    await platform.stop();
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
}

/** Measures what `work` costs, divided by what it returns. */
async function costOf(world: World, running: Running[], work: () => Promise<number>): Promise<Cost> {
  const before = { ours: cpuOf(running), postgres: await postgresCpu(world.databaseUrl) };
  const n = await work();
  return {
    ours: (cpuOf(running) - before.ours) / n,
    postgres: ((await postgresCpu(world.databaseUrl)) - before.postgres) / n,
  };
}

/** The share says how much of what a single process does for its CPU time each of several still does. */
function report(what: string, unit: string, processes: string, costs: Map<number, Cost>): void {
  const total = ({ ours, postgres }: Cost) => ours + postgres;
  const single = costs.get(1) as Cost;
  for (const [n, cost] of costs) {
    const measured = `${cost.ours.toFixed(2)} ms, Postgres ${cost.postgres.toFixed(2)} ms`;
    const name = `${what}, ${n} ${processes}${n === 1 ? '' : processes.endsWith('s') ? 'es' : 's'}`;
    if (n === 1) note(`${name}: CPU per ${unit}`, measured);
    else
      atLeast(
        `${name}: work per CPU time, relative to 1 (${measured})`,
        total(single) / total(cost),
        LEAST_SHARE,
      );
  }
}

async function requests(world: World, { seconds, posts }: ScalePlan): Promise<void> {
  const { app, owner, picture, key } = world;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const costs = {
    list: new Map<number, Cost>(),
    create: new Map<number, Cost>(),
    publish: new Map<number, Cost>(),
  };
  for (const n of COUNTS) {
    const ids = await addDuePosts(app, owner, {
      posts,
      slot: () => app.clock.now() + FAR_AHEAD_MS,
      picture,
      name: `published with ${n}`,
    });
    const apis = await startApis(world, n);
    const urls = apis.map(({ url }) => `${url}/api/v1/posts`);
    await loadAll(urls, { headers }, 1);
    costs.list.set(n, await costOf(world, apis, () => loadAll(urls, { headers }, seconds)));
    const body = JSON.stringify({ title: 'A new post', caption: 'Made by the benchmark.' });
    const create = { headers, method: 'POST' as const, body };
    costs.create.set(n, await costOf(world, apis, () => loadAll(urls, create, seconds)));
    costs.publish.set(n, await costOf(world, apis, () => publishAll(urls, headers, ids, owner)));
    const memory = Math.max(...apis.map((one) => one.memoryMb()));
    if (n === 1) {
      note('memory of an API process under load', `${memory.toFixed(0)} MB`);
      note('connections of an API process under load', String(await connectionsOf(world.databaseUrl)));
    }
    await stopAll(apis);
    process.stderr.write(`requests to ${n}: done\n`);
  }
  report('list of 20', 'request', 'API process', costs.list);
  report('create', 'request', 'API process', costs.create);
  report('publish now', 'request', 'API process', costs.publish);
}

/** Publish now, as a client would call it, with a limited number at once. Returns how many. */
async function publishAll(urls: string[], headers: Record<string, string>, ids: string[], owner: Owner) {
  const left = ids.map((id, n) => ({
    id,
    account: owner.ids[n % owner.ids.length],
    url: urls[n % urls.length],
  }));
  const publish = async () => {
    for (let post = left.shift(); post; post = left.shift()) {
      const body = JSON.stringify({ social_account_id: post.account, privacy_level: 'SELF_ONLY' });
      const response = await fetch(`${post.url}/${post.id}/publish`, { method: 'POST', headers, body });
      if (!response.ok) throw new Error(`publish answered ${response.status}: ${await response.text()}`);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, publish));
  return ids.length;
}

async function drains(world: World, { posts }: ScalePlan): Promise<void> {
  const costs = new Map<number, Cost>();
  // Outside the measurement: what publish now has left to poll.
  const apis = await startApis(world, 1);
  for (const n of COUNTS) {
    const { app } = world;
    const first = app.clock.now() + 10 * posts + 5_000;
    const plan = { posts, slot: () => first, picture: world.picture, name: `drained by ${n}` };
    await addDuePosts(app, world.owner, plan);
    const workers = await startWorkers(world, n);
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
      note('connections of an API and a worker', String(await connectionsOf(world.databaseUrl)));
    }
    await stopAll(workers);
    process.stderr.write(`drained by ${n}: done\n`);
  }
  await stopAll(apis);
  report('published posts, with slides', 'post', 'worker', costs);
}

async function evenly(world: World, posts: number): Promise<void> {
  const { app, owner, picture } = world;
  const running = [...(await startApis(world, 1)), ...(await startWorkers(world, 2))];
  const first = app.clock.now() + 10 * posts + 5_000;
  const slot = (n: number) => first + Math.floor((n * 1000) / PER_SECOND);
  await addDuePosts(app, owner, { posts, slot, picture, name: 'spread' });
  const late = latenessOf(await allPublished(app, owner, [first, slot(posts)], posts));
  await stopAll(running);
  const what = `${posts} posts at ${PER_SECOND} a second, 2 workers`;
  atMost(`${what}: lateness of the start (p99)`, late.p99 / 1000, LATE_MS / 1000, 's');
  addBelow(`${what}: ${inWords(late)}`);
}
