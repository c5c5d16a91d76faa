// What data adds, on Postgres: the time of each route that reads or writes, in organizations of a thousand, a hundred thousand
// and a million posts with ten attempts each. The three are in one database, so each also lives beside ten million attempts.

import { randomBytes } from 'node:crypto';
import type { App } from '@airdate/server/src/api/app.js';
import { startPostgres } from '@airdate/server/test/postgres.js';
import { sql } from 'kysely';
import { median } from './measure.js';
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
const MOST_GROWTH = 2;

interface Route {
  path(seeded: Seeded): string;
  method?: 'POST' | 'PATCH';
  body?: (n: number) => unknown;
}

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
  { path: ({ postId }) => `/api/v1/posts/${postId}/dispatches` },
  { path: ({ postId }) => `/api/v1/posts/${postId}/publish-status` },
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

/** What grows with the days shown, not with the posts: a day of a large organization has more attempts to count. */
const OF_A_DAY = /timeline/;

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
        await addAttempts(app, seeded, size);
        process.stderr.write(`seeded ${size.toLocaleString('en')} posts\n`);
        all.push(seeded);
      }
      await sql`vacuum analyze`.execute(app.db.read as never);
      return all;
    });
    const airdate = await startAirdate(dir, env);
    for (const route of ROUTES) {
      const medians = await timeAll(airdate.url, route, organizations, times);
      const [small = 0, ...larger] = medians;
      const example = `${route.method ?? 'GET'} ${route.path({ orgId: '', key: '', postId: '{id}' })}`;
      const figures = medians.map((ms) => ms.toFixed(1)).join(', ');
      const what = `${decodeURIComponent(example)}, ms at ${sizes.map((n) => n.toLocaleString('en')).join(', ')} posts: ${figures}`;
      const ratio = Math.max(...larger) / small;
      if (OF_A_DAY.test(example)) note(what, `${ratio.toFixed(2)} ×`);
      else atMost(what, ratio, MOST_GROWTH, '×');
    }
    await airdate.stop();
  } finally {
    await cluster.stop();
  }
}

/** Finished attempts: a tenth failed, the others published. */
async function addAttempts(app: App, { orgId }: Seeded, posts: number): Promise<void> {
  const account = app.newId();
  const now = Date.now();
  const attempts = (posts - 1) * ATTEMPTS_PER_POST;
  const at = sql`(${sql.lit(now)}::bigint - ((${sql.lit(attempts)}::bigint - i) * ${sql.lit(DAYS * DAY_MS)}::bigint) / ${sql.lit(attempts)}::bigint)`;
  const failed = sql`i % 10 = 0`;
  await app.db.transact(async (tx) => {
    await tx
      .insertInto('social_accounts')
      .values({
        org_id: orgId,
        id: account,
        username: 'bench',
        status: 'reconnect_required',
        created_at: now,
        updated_at: now,
      })
      .execute();
  });
  for (let from = 1; from <= attempts; from += BATCH) {
    const to = Math.min(from + BATCH - 1, attempts);
    await app.db.transact((tx) =>
      sql`insert into dispatches (org_id, id, post_id, social_account_id, trigger_kind, attempt, mode, outcome, phase, error_code,
          error_message, scheduled_for, started_at, accepted_at, finished_at, snapshot)
        select ${orgId}::uuid, ('01900000-0001-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
          ('01900000-0000-7000-8000-' || lpad(to_hex(1 + (i - 1) / ${sql.lit(ATTEMPTS_PER_POST)}), 12, '0'))::uuid, ${account}::uuid,
          case when i % 3 = 0 then 'api' else 'schedule' end, 1 + (i - 1) % ${sql.lit(ATTEMPTS_PER_POST)}, 'direct',
          case when ${failed} then 'failed' else 'published' end, 'done', case when ${failed} then 'spam_risk' end,
          case when ${failed} then 'The platform refused it.' end, ${at}, ${at} + 200, ${at} + 900, ${at} + 3000, '{}'
        from generate_series(${sql.lit(from)}::bigint, ${sql.lit(to)}::bigint) as i`.execute(tx),
    );
  }
  await app.db.transact(async (tx) => {
    const refused = Math.floor(attempts / 10);
    await tx
      .insertInto('dispatch_counters')
      .values([
        { org_id: orgId, outcome: 'failed', n: refused },
        { org_id: orgId, outcome: 'published', n: attempts - refused },
      ])
      .execute();
  });
}

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
