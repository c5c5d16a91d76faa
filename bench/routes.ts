// What data adds, on Postgres: the time of each route that reads or writes, in organizations of a thousand, a hundred thousand
// and a million posts with ten attempts each. The three are in one database, so each also lives beside ten million attempts.

import { randomBytes } from 'node:crypto';
import type { App } from '@airdate/server/src/app/app.js';
import { startPostgres } from '@airdate/server/test/support/databases/postgres.js';
import pg from 'pg';
import { median } from './measure.js';
import { ask } from './postgres-figures.js';
import { startAirdate } from './processes.js';
import { atMost, note } from './report.js';
import { type Seeded, seedOrganization, withApp } from './seed.js';

export interface GrowthPlan {
  /** Posts of the organizations, the smallest first. */
  sizes: number[];
  times: number;
}

const ATTEMPTS_PER_POST = 10;
const BATCH = 200_000;
/** Over so many days, evenly. */
const DAYS = 1_095;
const DAY_MS = 86_400_000;
const MAX_GROWTH = 2;

interface Route {
  path(seeded: Seeded): string;
  method?: 'POST' | 'PATCH';
  body?: (n: number) => unknown;
}

/** The first of each organization. */
const ATTEMPTED = '01900000-0000-7000-8000-000000000001';

const get = (path: string): Route => ({ path: () => path });
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
const time = (ago: number) => encodeURIComponent(`${day(ago)}T00:00:00Z`);

const ROUTES: Route[] = [
  get('/api/v1/posts'),
  get('/api/v1/posts?include=cover,readiness'),
  get('/api/v1/posts?status=draft,posted'),
  get('/api/v1/posts?needs_attention=true'),
  get('/api/v1/posts?cursor='),
  get(`/api/v1/posts?created_from=${time(1)}`),
  get(`/api/v1/posts?updated_from=${time(1)}`),
  ...['created_at', 'updated_at', 'posted_at', 'scheduled_at', 'title'].flatMap((order) => [
    get(`/api/v1/posts?sort=${order}`),
    get(`/api/v1/posts?sort=-${order}`),
  ]),
  get('/api/v1/posts?q=zebrawood'),
  get('/api/v1/posts?q=caption'),
  get('/api/v1/posts/counts'),
  { path: ({ postId }) => `/api/v1/posts/${postId}` },
  { path: ({ postId }) => `/api/v1/posts/${postId}/assets` },
  get(`/api/v1/posts/${ATTEMPTED}/dispatches`),
  get(`/api/v1/posts/${ATTEMPTED}/publish-status`),
  get('/api/v1/dispatches'),
  get('/api/v1/dispatches?outcome=failed'),
  get('/api/v1/dispatches?outcome=failed,published&trigger=schedule'),
  get(`/api/v1/dispatches?from=${time(30)}&to=${time(20)}`),
  get('/api/v1/analytics'),
  get(`/api/v1/analytics/timeline?from=${day(6)}&to=${day(0)}`),
  get('/api/v1/attention'),
  get('/api/v1/audit'),
  get('/api/v1/me'),
  get('/api/v1/keys'),
  get('/api/v1/labels'),
  get('/api/v1/snippets'),
  get('/api/v1/social-accounts'),
  get('/api/v1/webhooks'),
  { path: () => '/api/v1/posts', method: 'POST', body: (n) => ({ title: `Made ${n}` }) },
  {
    path: ({ postId }) => `/api/v1/posts/${postId}`,
    method: 'PATCH',
    body: (n) => ({ title: `Changed ${n}` }),
  },
];

/** Count or search up to a limit, which the smallest organization does not reach: the larger ones are compared. */
const UP_TO_A_LIMIT = /_from=|&trigger=/;
/** The same; here only the largest organization comes near it. */
const ONLY_LARGEST = /dispatches\?from=/;
/** Reads what happened on the days shown, which is more in a large organization: its posts are all of these days. */
const BY_DAY = /timeline/;

export async function routesAt(dir: string, { sizes, times }: GrowthPlan): Promise<void> {
  const cluster = await startPostgres({ fsync: false });
  const env = {
    DATABASE_URL: cluster.url,
    DATA_DIR: dir,
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  };
  try {
    const organizations = await withApp(env, async (app) => {
      const all: Seeded[] = [];
      for (const size of sizes) {
        const seeded = await seedOrganization(app, size);
        await addAttempts(app, cluster.url, seeded, size);
        process.stderr.write(`seeded ${size.toLocaleString('en')} posts\n`);
        all.push(seeded);
      }
      return all;
    });
    await sizesOf(
      cluster.url,
      sizes.reduce((sum, size) => sum + size),
    );
    const airdate = await startAirdate(dir, env);
    for (const route of ROUTES) {
      const medians = await timeAll(airdate.url, route, organizations, times);
      const example = `${route.method ?? 'GET'} ${route.path({ orgId: '', key: '', postId: '{id}' })}`;
      const figures = medians.map((ms) => ms.toFixed(1)).join(', ');
      const what = `${decodeURIComponent(example)}, ms at ${sizes.map((n) => n.toLocaleString('en')).join(', ')} posts: ${figures}`;
      const [small = 0, ...larger] = UP_TO_A_LIMIT.test(example) ? medians.slice(1) : medians;
      const growth = Math.max(...larger) / small;
      if (BY_DAY.test(example)) note(`${what}; all that happened on these days`, `${growth.toFixed(2)} ×`);
      else if (ONLY_LARGEST.test(example)) note(`${what}; up to a limit`, `${growth.toFixed(2)} ×`);
      else atMost(what, growth, MAX_GROWTH, '×');
    }
    await airdate.stop();
  } finally {
    await cluster.stop();
  }
}

/** Finished attempts: a tenth failed, the others published. */
async function addAttempts(app: App, url: string, { orgId }: Seeded, posts: number): Promise<void> {
  const now = Date.now();
  const account = {
    org_id: orgId,
    id: app.newId(),
    username: 'bench',
    status: 'reconnect_required' as const,
  };
  const attempts = (posts - 1) * ATTEMPTS_PER_POST;
  const failed = Math.floor(attempts / 10);
  await app.db.transact(async (tx) => {
    await tx
      .insertInto('social_accounts')
      .values({ ...account, created_at: now, updated_at: now })
      .execute();
    await tx
      .insertInto('dispatch_counters')
      .values([
        { org_id: orgId, outcome: 'failed', n: failed },
        { org_id: orgId, outcome: 'published', n: attempts - failed },
      ])
      .execute();
  });
  // On a connection of its own, without the time limits of the service and without checking each reference.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set session_replication_role = 'replica'");
  for (let from = 1; from <= attempts; from += BATCH) {
    const to = Math.min(from + BATCH - 1, attempts);
    await client.query(INSERT, [
      orgId,
      account.id,
      ATTEMPTS_PER_POST,
      now,
      DAYS * DAY_MS,
      attempts,
      from,
      to,
    ]);
  }
  await client.query('vacuum analyze');
  await client.end();
}

/** With indexes. What search keeps of a post counts as part of it. */
async function sizesOf(url: string, posts: number): Promise<void> {
  const of = (...tables: string[]) =>
    ask<number>(
      url,
      `select sum(pg_total_relation_size(name::regclass))::float8 as value from unnest(array['${tables.join("','")}']) as name`,
    );
  note(
    'bytes of a post without files, with its indexes',
    String(Math.round((await of('posts', 'post_search')) / posts)),
  );
  note(
    'bytes of an attempt, with its indexes',
    String(Math.round((await of('dispatches')) / (posts * ATTEMPTS_PER_POST))),
  );
}

const INSERT = `
  insert into dispatches (org_id, id, post_id, social_account_id, trigger_kind, attempt, mode, outcome, phase, error_code,
    error_message, scheduled_for, started_at, accepted_at, finished_at, snapshot)
  select $1::uuid, ('01900000-0001-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
    ('01900000-0000-7000-8000-' || lpad(to_hex(1 + (i - 1) / $3::bigint), 12, '0'))::uuid, $2::uuid,
    case when i % 3 = 0 then 'api' else 'schedule' end, 1 + (i - 1) % $3::bigint, 'direct',
    case when i % 10 = 0 then 'failed' else 'published' end, 'done', case when i % 10 = 0 then 'spam_risk' end,
    case when i % 10 = 0 then 'The platform refused it.' end, due, due + 200, due + 900, due + 3000, '{}'
  from generate_series($7::bigint, $8::bigint) as i,
    lateral (select $4::bigint - (($6::bigint - i)::numeric * $5::bigint / $6::bigint)::bigint as due) as slot`;

/** The median of each organization, asked alternately, so that other load on the machine affects all alike. */
async function timeAll(url: string, route: Route, organizations: Seeded[], times: number): Promise<number[]> {
  const samples = organizations.map(() => [] as number[]);
  for (let n = -3; n < times; n++)
    for (const [i, seeded] of organizations.entries()) {
      const startedAt = performance.now();
      const response = await fetch(url + route.path(seeded), {
        method: route.method ?? 'GET',
        headers: {
          authorization: `Bearer ${seeded.key}`,
          ...(route.body ? { 'content-type': 'application/json' } : {}),
        },
        ...(route.body ? { body: JSON.stringify(route.body(n)) } : {}),
      });
      await response.text();
      if (!response.ok) throw new Error(`${route.path(seeded)} answered ${response.status}`);
      if (n >= 0) samples[i]?.push(performance.now() - startedAt);
    }
  return samples.map(median);
}
