// One service with 200 posts that are due one after the other, and a database that stalls in the middle of them.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../../src/app/app.js';
import { readConfig } from '../../../src/config/config.js';
import { openApp } from '../../../src/open-app.js';
import { createPostgresDatabase, type Engine, silentLog } from '../../support/databases/fresh-databases.js';
import { outageFor } from '../../support/databases/outage.js';
import { StallingProxy, type StallKind } from '../../support/databases/stalling-proxy.js';
import { judgePost, type Published, wrongCounters } from '../../support/platform/compare-with-platform.js';
import { startProgram } from '../../support/programs/start-program.js';
import { TEST_KEY } from '../../support/service/harness.js';
import { send } from '../../support/service/send.js';
import { addDuePosts, ownerOfAccounts, smallPicture } from '../../support/world/due-posts.js';
import { latenessOf } from '../../support/world/lateness.js';

export interface StallCell {
  engine: Engine;
  kind: StallKind | 'write lock';
  seconds: number;
  leaseSeconds: number;
}

const POSTS = 200;
/** Due when all others are done: none of them is late enough to hide a clock that the stall has set ahead. */
const AFTERWARDS = 20;
const ACCOUNTS = 20;
/** Half of it before the stall, half after; posts are due during the stall too. */
const OVER_MS = 30_000;
/** Time to create them before the first is due. */
const LEAD_MS = 10_000;
/** Only to notice a hang. */
const TIMEOUT_MS = 600_000;
/** Slower than the clock accepts, so it asks again every second and a stall of the time meets a query. */
const SLOW_TIME_MS = 400;

type Line = Published & { at: string; request: { post_info: { title: string } } };

/** Starts everything and creates the posts. */
export async function prepareStall(cell: StallCell) {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    return { ...(await prepare(cell, closing)), close };
  } catch (err) {
    await close();
    throw err;
  }
}

async function prepare(cell: StallCell, closing: (() => unknown)[]) {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-stalls-'));
  closing.push(() => rmSync(dir, { recursive: true, force: true }));
  const database = cell.engine === 'postgres' ? await createPostgresDatabase() : null;
  if (database) closing.push(() => database.drop());
  const proxy = database && (await new StallingProxy(database.url).start());
  if (proxy) closing.push(() => proxy.stop());
  if (proxy && cell.kind === 'time') proxy.timeTakesMs = SLOW_TIME_MS;

  const sandbox = await startProgram('sandbox', { DATA_DIR: dir, SANDBOX_CONTROL: 'on' });
  closing.push(() => sandbox.kill());
  const env = {
    DATA_DIR: dir,
    ENCRYPTION_KEY: TEST_KEY,
    SOCIAL_API_URL: sandbox.url,
    SOCIAL_INITS_PER_MINUTE: '0',
    SOCIAL_POSTS_PER_DAY: '0',
    PUBLISH_LEASE_SECONDS: String(cell.leaseSeconds),
    // Short, so that needless retries during a stall would use them up.
    PUBLISH_BACKOFF_MS: '1000',
  };
  const service = await startProgram('serve', {
    ...env,
    ...(proxy ? { DATABASE_URL: proxy.url } : {}),
    LOG_LEVEL: process.env.STALLS_LOG ?? 'error',
  });
  closing.push(() => service.kill());
  // Only to create and read posts, over a connection that never stalls: it has no worker.
  const config = readConfig('serve', {
    ...env,
    ...(database ? { DATABASE_URL: database.url } : {}),
    PUBLIC_URL: service.url,
  });
  const app = await openApp(config, { log: silentLog });
  closing.push(() => app.close());

  const owner = await ownerOfAccounts(app, ACCOUNTS);
  const picture = await smallPicture();
  const overMs = OVER_MS + cell.seconds * 1000;
  const add = async (posts: number, first: number, spreadMs: number, name: string) => {
    const slot = (n: number) => first + Math.floor((n * spreadMs) / posts);
    await addDuePosts(app, owner, { posts, slot, videoEvery: 2, picture, name });
    await tellTitles(app);
    assert.ok(Date.now() < first, 'the first post was due before all were created');
  };
  const first = Date.now() + LEAD_MS;
  await add(POSTS - AFTERWARDS, first, overMs, 'stalled');

  return {
    async stallInTheMiddle(): Promise<void> {
      await delay(first + OVER_MS / 2 - Date.now());
      if (proxy) await stallOf(proxy, cell);
      else await holdLock(app, cell.seconds, closing);
    },
    async cameToRest(): Promise<void> {
      await cameToRest(app);
      await add(AFTERWARDS, Date.now() + LEAD_MS, 0, 'afterwards');
      await cameToRest(app);
    },
    judge: () => judge(app, sandbox.url),
  };
}

/** The platform gets the title of slides and the caption of videos, and each post has to be found there. */
async function tellTitles({ db }: App): Promise<void> {
  await db.transact((tx) =>
    tx
      .updateTable('posts')
      .set((eb) => ({ caption: eb.ref('title') }))
      .execute(),
  );
}

async function stallOf(proxy: StallingProxy, { kind, seconds }: StallCell): Promise<void> {
  if (kind === 'write lock') throw new Error('Postgres has no such lock');
  proxy.begin(kind);
  const giveUpAt = performance.now() + TIMEOUT_MS;
  while (proxy.held === 0) {
    assert.ok(performance.now() < giveUpAt, 'there was nothing to stall: this proves nothing');
    await delay(10);
  }
  await delay(seconds * 1000);
  proxy.end();
}

async function holdLock(app: App, seconds: number, closing: (() => unknown)[]): Promise<void> {
  const lock = await outageFor(app.config);
  closing.push(() => lock.close());
  await lock.begin();
  await delay(seconds * 1000);
  await lock.end();
}

async function rowsOf({ db }: App) {
  const posts = await db.read.selectFrom('posts').selectAll().execute();
  const attempts = await db.read.selectFrom('dispatches').selectAll().orderBy('attempt').execute();
  return { posts, attempts };
}

/** Until nothing is left to do. A post that went back to draft stays there, and counts as lost. */
async function cameToRest(app: App): Promise<void> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  for (;;) {
    // Rarely, because each request takes CPU from the service.
    await delay(1_000);
    const { posts, attempts } = await rowsOf(app);
    const isOpen = attempts.filter(({ next_at }) => next_at !== null).length;
    const waiting = posts.filter(({ status }) => status === 'scheduled').length;
    if (isOpen === 0 && waiting === 0) return;
    assert.ok(performance.now() < giveUpAt, `${isOpen} attempts and ${waiting} posts never finished`);
  }
}

async function judge(app: App, sandboxUrl: string) {
  const { posts, attempts } = await rowsOf(app);
  const { json } = await send('GET', `${sandboxUrl}/__control/publishes`, {});
  const ledger = json.data as Line[];
  const found = { early: 0, twice: 0, lost: POSTS - posts.length, unknown: 0, wrong: 0 };
  const failures: string[] = [];
  for (const post of posts) {
    const own = attempts.filter(({ post_id }) => post_id === post.id);
    const seen = ledger.filter(({ request }) => request.post_info.title === post.title);
    const judgement = judgePost(post, own, seen);
    const slot = own[0]?.scheduled_for ?? Number.POSITIVE_INFINITY;
    const early = seen.filter(({ at }) => Date.parse(at) < slot);
    if (judgement.isUnknown) found.unknown++;
    if (early.length > 0) found.early++;
    for (const kind of ['twice', 'lost', 'wrong'] as const) {
      if (judgement[kind].length > 0) found[kind]++;
      failures.push(...judgement[kind].map((what) => `${kind}: ${post.post_type} ${post.title}: ${what}`));
    }
  }
  failures.push(...(await wrongCounters(app.db)));
  const lateness = latenessOf(attempts);
  return {
    posts: posts.length,
    attempts: attempts.length,
    ...found,
    'failed attempts': countsOf(
      attempts.flatMap(({ outcome, error_code }) => (outcome === 'failed' ? [error_code] : [])),
    ),
    'retries at most': Math.max(...posts.map(({ publish_retries }) => publish_retries)),
    'ms late at least': lateness.least,
    'ms late at most': lateness.most,
    failures,
  };
}

/** How often each of them occurs. */
function countsOf(codes: (string | null)[]): string {
  const counts = new Map<string | null, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const all = [...counts].map(([code, n]) => `${code} ${n}`).join(', ');
  return `${codes.length}${all && ` (${all})`}`;
}
