// The pitfalls of Postgres, each triggered on purpose.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { readConfig } from '../../src/config/config.js';
import type { Database, Tx } from '../../src/db/database.js';
import type { Tables } from '../../src/db/tables.js';
import { openApp } from '../../src/open-app.js';
import {
  createPostgresDatabase,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { until } from '../support/runner/until.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';

describe('Postgres', () => {
  let service: TestService;
  let org: Organization;
  /** Two connections outside of the pool: one to take locks, one to inspect the server. */
  let holder: pg.Client;
  let watcher: pg.Client;

  before(async () => {
    service = await startTestService('postgres', { env: { DATABASE_POOL_SIZE: '2' } });
    org = await service.newOrganization();
    holder = new pg.Client({ connectionString: String(service.app.config.databaseUrl) });
    watcher = new pg.Client({ connectionString: String(service.app.config.databaseUrl) });
    await Promise.all([holder.connect(), watcher.connect()]);
  });
  after(async () => {
    await Promise.all([holder?.end(), watcher?.end()]);
    await service?.stop();
  });

  it('retries the loser of a deadlock, so that both transactions commit', async () => {
    const { db } = service.app;
    const [one, two] = [await addCounter(db), await addCounter(db)];
    const bothHoldOne = meeting(2);
    let runs = 0;
    const inOrder = (first: string, second: string) => {
      let again = false;
      return db.transact(async (tx) => {
        runs++;
        await increment(tx, first);
        // Only the first time: the retry runs alone.
        if (!again) await bothHoldOne();
        again = true;
        await increment(tx, second);
      });
    };
    await Promise.all([inOrder(one, two), inOrder(two, one)]);
    assert.ok(runs > 2, 'there was no deadlock to lose');
    assert.deepEqual([await counter(db, one), await counter(db, two)], [2, 2]);
  });

  it('retries the loser of a serialization conflict', async () => {
    const { db } = service.app;
    const id = await addCounter(db);
    const bothHaveRead = meeting(2);
    let runs = 0;
    const readThenWrite = () => {
      let again = false;
      return db.transact(async (tx) => {
        runs++;
        await sql`set transaction isolation level serializable`.execute(tx);
        const row = tx.selectFrom('organizations').select('updated_at as n').where('id', '=', id);
        const { n } = await row.executeTakeFirstOrThrow();
        if (!again) await bothHaveRead();
        again = true;
        await tx
          .updateTable('organizations')
          .set({ updated_at: n + 1 })
          .where('id', '=', id)
          .execute();
      });
    };
    await Promise.all([readThenWrite(), readThenWrite()]);
    assert.ok(runs > 2, 'there was no race to lose');
    assert.equal(await counter(db, id), 2);
  });

  it('passes every other error on after a single run', async () => {
    let runs = 0;
    const failing = service.app.db.transact(async (tx) => {
      runs++;
      await sql`select 1 / 0`.execute(tx);
    });
    await assert.rejects(failing, { code: '22012' });
    assert.equal(runs, 1);
  });

  it('prepares only the known hot reads by name, never a list', async (t) => {
    const names = recordNames(t);
    const account = await org.addAccount();
    const id = await org.addPost({ social_account_id: account });
    const lists = [
      '',
      '?status=draft',
      '?status=draft,archived&post_type=slides',
      `?social_account_id=${account}`,
      '?q=post',
      '?sort=scheduled_at',
      '?scheduled_from=2026-01-01T00:00:00Z&scheduled_to=2030-01-01T00:00:00Z',
      '?needs_attention=true',
      '?page=2&per_page=1',
    ];
    // Several times, because a driver may start to prepare frequent statements.
    for (let round = 0; round < 7; round++) {
      for (const query of lists) assert.equal((await org.call('GET', `/api/v1/posts${query}`)).status, 200);
      for (const path of [
        `/api/v1/posts/${id}`,
        '/api/v1/analytics',
        '/api/v1/me',
        '/api/v1/social-accounts',
      ])
        assert.ok((await org.call('GET', path)).status < 500);
    }
    assert.equal((await org.call('PATCH', `/api/v1/posts/${id}`, { title: 'Changed' })).status, 200);
    const hot = ['dispatch_counters_of', 'key_by_hash', 'post_by_id', 'post_counters_of'];
    const unknown = [...names].filter((name) => !hot.includes(name));
    assert.deepEqual(unknown, []);
    assert.ok(names.has('post_by_id') && names.has('key_by_hash'), 'the hot reads are not prepared');

    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(
      service.app.db.read as Kysely<Tables>,
    );
    assert.deepEqual(
      rows.map((row) => row.name).filter((name) => !hot.includes(name)),
      [],
    );
  });

  /** Ends all connections of the pool, like a failover, and waits until they are gone. */
  async function loseAllConnections(): Promise<void> {
    const pids = (await backends()).map((row) => row.pid);
    await watcher.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids]);
    await until(
      'the connections are gone',
      async () => !(await backends()).some((row) => pids.includes(row.pid)),
    );
  }

  async function backends(): Promise<{ pid: number; waits: boolean }[]> {
    const { rows } = await watcher.query(
      `select pid, coalesce(wait_event_type = 'Lock', false) as waits from pg_stat_activity
       where datname = current_database() and application_name = 'airdate'`,
    );
    return rows;
  }

  it('survives the loss of all its idle connections, and the next requests work', async () => {
    const id = await org.addPost();
    await Promise.all([1, 2, 3, 4].map(() => org.call('GET', `/api/v1/posts/${id}`)));
    await loseAllConnections();
    // The pool learns of a loss by a message that may still be on its way.
    await until(
      'a request is answered again',
      async () => (await org.call('GET', `/api/v1/posts/${id}`)).status === 200,
    );
    assert.equal((await org.call('PATCH', `/api/v1/posts/${id}`, { title: 'Still here' })).status, 200);
    assert.equal((await service.request('GET', '/readyz')).status, 200);
  });

  it('answers 503 to a write whose connection is lost in the middle, rolls it back, and keeps working', async () => {
    const title = `Interrupted ${randomUUID()}`;
    const id = await org.addPost();
    await holder.query('begin');
    await holder.query('select 1 from post_counters where org_id = $1 for update', [org.id]);
    const writing = org.call('POST', '/api/v1/posts', { title });
    await until('the write waits', async () => (await backends()).some((row) => row.waits));
    await loseAllConnections();
    await holder.query('rollback');
    const answer = await writing;
    await until(
      'a request is answered again',
      async () => (await org.call('GET', `/api/v1/posts/${id}`)).status === 200,
    );
    const kept = await watcher.query('select 1 from posts where title = $1', [title]);
    assert.equal(kept.rowCount, 0);
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.json.code, 'unavailable');
    assert.ok(answer.headers.get('retry-after'));
  });

  it('survives the loss of a connection in the pause between two statements of a transaction', async (t) => {
    const uncaught = catchUncaught(t);
    const lost = service.app.db.transact(async (tx) => {
      await sql`select 1`.execute(tx);
      await loseAllConnections();
      await sql`select 1`.execute(tx);
    });
    await assert.rejects(lost);
    assert.deepEqual(uncaught, [], 'this would have ended the process');
    await until(
      'a request is answered again',
      async () => (await org.call('GET', '/api/v1/posts')).status === 200,
    );
  });

  it('answers 503, not 500, when every connection of the pool stays in use', async () => {
    const release = meeting(3);
    const taken = [1, 2].map(() =>
      service.app.db.transact(async (tx) => {
        await sql`select 1`.execute(tx);
        await release();
      }),
    );
    const answer = await service.request('GET', '/api/v1/posts', { key: org.key });
    await Promise.all([...taken, release()]);
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.json.code, 'unavailable');
    assert.equal((await org.call('GET', '/api/v1/posts')).status, 200);
  });
});

describe("The clock of a process on Postgres follows the database's", () => {
  const HOUR = 3_600_000;
  const MINUTE = 60_000;
  let database: PostgresDatabase;
  let dir: string;
  before(async () => {
    database = await createPostgresDatabase();
    dir = mkdtempSync(join(tmpdir(), 'airdate-clock-'));
  });
  after(async () => {
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  });
  const open = () =>
    openApp(
      readConfig('serve', {
        DATABASE_URL: database.url,
        DATA_DIR: dir,
        ENCRYPTION_KEY: 'ab'.repeat(32),
      }),
      { log: silentLog },
    );
  const apart = async (app: Awaited<ReturnType<typeof open>>) =>
    Math.abs(app.clock.now() - (await app.db.now()));

  for (const [how, offset] of [
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ] as const) {
    it(`on a host whose clock is ${how}`, async (t) => {
      const real = Date.now;
      t.mock.method(Date, 'now', () => real() + offset);
      const app = await open();
      try {
        assert.ok((await apart(app)) < MINUTE);
      } finally {
        await app.close();
      }
    });
  }

  it('on a host whose clock is set right while the process runs', async (t) => {
    const app = await open();
    try {
      const real = Date.now;
      t.mock.method(Date, 'now', () => real() + HOUR);
      await until(
        'the clock of the process is no longer an hour ahead',
        async () => (await apart(app)) < MINUTE,
      );
    } finally {
      await app.close();
    }
  });
});

/** Each call waits until there are `n` calls; later calls do not wait. */
function meeting(n: number): () => Promise<void> {
  let come = 0;
  let open = () => {};
  const complete = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    if (++come === n) open();
    return complete;
  };
}

/** Errors that would end a process that is not a test. */
function catchUncaught(t: TestContext): Error[] {
  const uncaught: Error[] = [];
  const note = (error: Error) => uncaught.push(error);
  process.on('uncaughtException', note);
  t.after(() => process.off('uncaughtException', note));
  return uncaught;
}

/** The names of all statements that are sent from now on. */
function recordNames(t: TestContext): Set<string> {
  const names = new Set<string>();
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const name = (args[0] as { name?: string } | undefined)?.name;
    if (name) names.add(name);
    return query.apply(this, args);
  });
  return names;
}

async function addCounter(db: Database): Promise<string> {
  const id = randomUUID();
  const row = { id, name: 'A counter', plan: 'growth', created_at: 0, updated_at: 0 } as const;
  await db.transact((tx) =>
    tx
      .insertInto('organizations')
      .values({ ...row, trial_ends_at: null })
      .execute(),
  );
  return id;
}

const increment = (tx: Tx, id: string) =>
  tx
    .updateTable('organizations')
    .set((eb) => ({ updated_at: eb('updated_at', '+', 1) }))
    .where('id', '=', id)
    .execute();

async function counter(db: Database, id: string): Promise<number | undefined> {
  const row = db.read.selectFrom('organizations').select('updated_at').where('id', '=', id);
  return (await row.executeTakeFirst())?.updated_at;
}
