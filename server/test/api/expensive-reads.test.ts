// Reads that are slow, or frequent, have places of their own: one organization's never stop another's, nor anything else.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { listPosts } from '../../src/posts/list/list.js';
import type { ListPosts } from '../../src/posts/list/schema.js';
import { addManyPosts } from '../support/databases/many-posts.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const TIMELINE = '/api/v1/analytics/timeline';
const LISTS = [
  '/api/v1/posts?include=cover',
  '/api/v1/posts?q=maps',
  '/api/v1/posts?needs_attention=true',
  '/api/v1/posts?sort=title&created_from=2026-01-01T00:00:00Z',
  '/api/v1/posts?posted_from=2026-01-01T00:00:00Z',
  '/api/v1/posts?page=100',
  '/api/v1/dispatches?error_code=spam_risk',
  '/api/v1/dispatches?page=100',
];
const PLAIN = ['/api/v1/posts', '/api/v1/dispatches', '/api/v1/analytics', '/api/v1/me'];

const WAITING = 32;

onEngines('postgres', 'Expensive reads', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  /** As many reads that do not end as an organization may have, and as may wait. */
  async function fill(org: Organization, queue: 'longReads' | 'covers') {
    let release = () => {};
    const opened = new Promise<void>((resolve) => {
      release = resolve;
    });
    let running = 0;
    const reads: Promise<void>[] = [];
    const begin = () => {
      reads.push(
        service.app.queues[queue](org.id, () => {
          running++;
          return opened;
        }),
      );
    };
    for (;;) {
      const before = running;
      begin();
      await setImmediate();
      if (running === before) break;
    }
    for (let i = 1; i < WAITING; i++) begin();
    return {
      running,
      async end() {
        release();
        await Promise.all(reads);
      },
    };
  }

  it('are refused with 503 if too many of the organization wait; everything else, and everyone else, goes on', async () => {
    const [busy, other] = [await service.newOrganization(), await service.newOrganization()];
    for (const org of [busy, other]) await org.addPost({ title: 'Maps' });
    const [long, covers] = [await fill(busy, 'longReads'), await fill(busy, 'covers')];
    assert.ok(long.running + covers.running < service.app.config.databasePoolSize / 2);
    for (const path of [...LISTS, TIMELINE]) {
      const refused = await busy.call('GET', path);
      assertProblem(refused, 503, 'busy');
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/, path);
      const { status, text } = await other.call('GET', path);
      assert.equal(status, 200, `${path} ${text}`);
    }
    for (const path of PLAIN) assert.equal((await busy.call('GET', path)).status, 200, path);
    await busy.addPost();
    await Promise.all([long.end(), covers.end()]);
    for (const path of [...LISTS, TIMELINE]) assert.equal((await busy.call('GET', path)).status, 200, path);
  });
});

describe('Long reads of SQLite', () => {
  const service = useService('sqlite', WITHOUT_WORKER);
  /** The reading processes of this process that wait or work. */
  const forks: ChildProcess[] = [];
  const onFork = (message: unknown) => forks.push((message as { process: ChildProcess }).process);
  before(() => subscribe('child_process', onFork));
  after(() => void unsubscribe('child_process', onFork));
  const children = () =>
    forks
      .filter(
        ({ spawnargs, exitCode, signalCode }) =>
          spawnargs.some((arg) => arg.includes('reader-process')) && exitCode === null && signalCode === null,
      )
      .map(({ pid }) => pid as number);

  it('of many posts run in another process and find the same as in this one', async () => {
    const org = await service.newOrganization();
    const accountId = await org.addAccount();
    // In commits that are too small for another process to tidy up after them.
    for (let i = 0; i < 3; i++)
      await addManyPosts(service.app, org.id, [accountId], {
        posts: 700,
        withFiles: 0,
        thumbnail: Buffer.alloc(0),
      });
    const caller = { orgId: org.id } as Parameters<typeof listPosts>[1];
    const { db } = service.app;
    const inThisProcess = { ...service.app, db: { ...db, readLong: db.read } };
    assert.equal(children().length, 0);
    for (const query of [
      { sort: 'scheduled_at', per_page: 100, page: 3 },
      { posted_from: '2026-01-01T00:00:00Z', per_page: 100, page: 2 },
      { needs_attention: true },
      { page: 20, per_page: 100 },
      { q: 'maps', per_page: 50 },
      { post_type: 'slides', page: 18, per_page: 100 },
    ] as ListPosts[]) {
      const aside = await listPosts(service.app, caller, query);
      assert.deepEqual(aside, await listPosts(inThisProcess, caller, query), JSON.stringify(query));
    }
    assert.equal(children().length, 1);
    // A change is found immediately.
    const { pagination } = await listPosts(service.app, caller, { page: 20, per_page: 100 });
    await org.addPost();
    const again = await org.call('GET', '/api/v1/posts?page=20&per_page=100');
    assert.equal(again.json.pagination.total, pagination.total + 1);
  });

  it('end with their process if it is killed, and the next one gets another', async () => {
    const { readLong } = service.app.db;
    const endless = readLong
      .withRecursive('n', (db) =>
        db
          .selectFrom('organizations')
          .select(sql<number>`1`.as('x'))
          .unionAll(db.selectFrom('n').select(sql<number>`x + 1`.as('x'))),
      )
      .selectFrom('n')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .execute();
    endless.catch(() => {});
    await until('a process has begun', async () => children().length > 0);
    for (const pid of children()) process.kill(pid, 'SIGKILL');
    await assert.rejects(endless, { code: 'unavailable' });
    assert.ok((await readLong.selectFrom('organizations').select('id').execute()).length > 0);
  });
});

describe('Expensive reads that Postgres does not answer', () => {
  const service = useService('postgres', WITHOUT_WORKER);

  it('leave connections to everything else', async () => {
    const [busy, other] = [await service.newOrganization(), await service.newOrganization()];
    await busy.addPost();
    const id = await other.addPost();
    const blocker = new pg.Client({ connectionString: service.app.config.databaseUrl as string });
    await blocker.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table assets in access exclusive mode');
      const lists = Array.from({ length: 60 }, () => busy.call('GET', '/api/v1/posts?include=cover'));
      assertProblem(await Promise.race(lists), 503, 'busy');
      for (const path of [`/api/v1/posts/${id}`, '/api/v1/posts', TIMELINE, '/api/v1/posts?status=scheduled'])
        assert.equal((await other.call('GET', path)).status, 200, path);
      await other.addPost();
      await blocker.query('rollback');
      const statuses = (await Promise.all(lists)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)].sort(), [200, 503]);
    } finally {
      await blocker.end();
    }
  });
});
