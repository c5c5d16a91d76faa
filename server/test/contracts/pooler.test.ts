// Airdate behind a real pgbouncer that lends connections per transaction.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Airdate } from '@airdate/sdk';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Log } from '../../src/core/log.js';
import { type Change, markChanged } from '../../src/db/changes.js';
import { openPostgres, openPostgresHandles, type PostgresOptions } from '../../src/db/postgres/postgres.js';
import type { Tables } from '../../src/db/tables.js';
import {
  createPostgresDatabase,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { type Pgbouncer, startPgbouncer, withoutPgbouncer } from '../support/databases/pgbouncer.js';
import { SwitchableDatabaseProxy } from '../support/databases/switchable-database-proxy.js';
import { type Program, startProgram } from '../support/programs/start-program.js';
import { until } from '../support/runner/until.js';
import { Stream, type TestEvent } from '../support/service/event-streams.js';
import { ADMIN_TOKEN, consent, TEST_KEY } from '../support/service/harness.js';
import { send } from '../support/service/send.js';
import { ROOT } from '../support/sources/sdk-sources.js';

/** Far fewer than the processes have of their own, so that they pass from one to the other. */
const CONNECTIONS = 3;
const POSTS = 40;

describe('Behind pgbouncer in transaction mode', { skip: withoutPgbouncer }, () => {
  let dir: string;
  let database: PostgresDatabase;
  let bouncer: Pgbouncer;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-pooler-'));
    database = await createPostgresDatabase();
    bouncer = await startPgbouncer(database.url, CONNECTIONS);
  });
  after(async () => {
    await bouncer?.stop();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  describe('two processes', () => {
    /** Listens to Postgres itself. */
    let whole: Program;
    /** Has nowhere to listen. */
    let api: Program;
    const followers: Follower[] = [];
    before(async () => {
      const env = {
        DATA_DIR: dir,
        DATABASE_URL: bouncer.url,
        DATABASE_POOLER: 'transaction',
        ENCRYPTION_KEY: TEST_KEY,
        ADMIN_TOKEN,
        SOCIAL_CLIENT_SECRET: 'of-the-sandbox-in-the-first-process',
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'warn',
      };
      const options = { keepOutput: true };
      whole = await startProgram('serve', { ...env, DATABASE_LISTEN_URL: database.url }, options);
      const platform = { SOCIAL_API_URL: `${whole.url}/sandbox`, PUBLIC_URL: whole.url };
      api = await startProgram('api', { ...env, ...platform }, options);
    });
    after(async () => {
      for (const follower of followers) follower.close();
      await Promise.all([api?.kill(), whole?.kill()]);
    });

    const outputOf = (program: Program) => Object.values(program.output()).join('');

    it('serve requests in parallel, publish, and stream each other’s events, without one failed answer', async () => {
      const operator = new Airdate({ url: whole.url, apiKey: ADMIN_TOKEN, maxRetries: 0 });
      const { id: orgId } = await operator.admin.createOrganization({ name: 'Pooled', plan: 'growth' });
      const { key } = await operator.admin.createKey(orgId, { name: 'Pooled' });
      for (const { url } of [whole, api]) followers.push(await new Follower(url, key).begin());

      const ask = (n: number, method: string, path: string, body?: unknown) =>
        send(method, `${(n % 2 === 0 ? whole : api).url}/api/v1${path}`, { key, body });
      const statuses = new Set<number>();
      await Promise.all(
        Array.from({ length: POSTS }, async (_, n) => {
          const made = await ask(n, 'POST', '/posts', { title: `Post ${n}` });
          const path = `/posts/${made.json.data.id}`;
          // By names of statements, if there were any, and each perhaps on another connection.
          const answers = await Promise.all([
            ask(n + 1, 'GET', path),
            ask(n + 1, 'PATCH', path, { title: `Post ${n}, changed` }),
            ask(n, 'GET', '/posts?status=draft'),
            ask(n, 'GET', '/analytics'),
            ask(n, 'GET', '/posts?q=changed'),
            ask(n, 'GET', '/me'),
          ]);
          for (const { status } of [made, ...answers]) statuses.add(status);
        }),
      );
      assert.deepEqual([...statuses].sort(), [200, 201]);

      const airdate = new Airdate({ url: api.url, apiKey: key, maxRetries: 0 });
      const { authorize_url } = await new Airdate({ url: whole.url, apiKey: key }).accounts.connect();
      await send('GET', await consent(authorize_url, { decision: 'allow', username: 'pooled' }), {});
      const accountId = (await airdate.accounts.list()).data[0]?.id ?? assert.fail('no account');
      const post = await airdate.posts.create({ title: 'Pooled', caption: 'Pooled', post_type: 'slides' });
      await airdate.posts.upload(post.id, join(ROOT, 'server/test/media/slide.png'));
      const outcome = await airdate.posts.publishAndWait(post.id, {
        social_account_id: accountId,
        privacy_level: 'PUBLIC_TO_EVERYONE',
      });
      assert.equal(outcome.status, 'published');
      for (const follower of followers) {
        await until('the event of the publication has come', async () =>
          (await follower.events()).some((event) => event.type === 'post.published'),
        );
        const created = (await follower.events()).filter(({ type }) => type === 'post.created');
        assert.equal(created.length, POSTS + 1);
      }
      for (const program of [whole, api]) assert.doesNotMatch(outputOf(program), /"level":"error"/);
    });

    it('say in /readyz and in the log which of them only polls, and are ready', async () => {
      const readiness = async ({ url }: Program) => {
        const { status, json } = await send('GET', `${url}/readyz`, {});
        assert.equal(status, 200);
        return json.checks;
      };
      // On a busy machine its first notification may take so long that it polls until then.
      await until('the one that listens hears', async () => !('notifications' in (await readiness(whole))));
      assert.deepEqual(await readiness(whole), { database: 'ok', worker: 'ok' });
      assert.equal((await readiness(api)).notifications, 'polling');
      assert.match(outputOf(api), /DATABASE_LISTEN_URL/);
      assert.match(outputOf(whole), /statement_timeout/, 'the role has no time limit');
    });

    it('leave nothing behind in a connection that pgbouncer lends', async () => {
      const clients = await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          const client = new pg.Client({ connectionString: bouncer.url });
          await client.connect();
          return client;
        }),
      );
      try {
        // Each of the open transactions has another connection.
        for (const client of clients) await client.query('begin');
        const pids = new Set<number>();
        for (const client of clients) {
          const { rows } = await client.query(`select pg_backend_pid() as pid,
            (select count(*)::int from pg_prepared_statements) as statements,
            (select count(*)::int from pg_listening_channels()) as channels,
            (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
            current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`);
          const { pid, ...left } = rows[0];
          pids.add(pid);
          assert.deepEqual(left, { statements: 0, channels: 0, locks: 0, statement: '0', idle: '0' });
        }
        assert.equal(pids.size, CONNECTIONS);
      } finally {
        for (const client of clients) await client.end();
      }
    });
  });

  it('a start that is not told of it says what to set, in a sentence', async () => {
    const env = { DATA_DIR: dir, DATABASE_URL: bouncer.url, ENCRYPTION_KEY: TEST_KEY };
    await assert.rejects(startProgram('serve', env, { keepOutput: true }), ({ message }: Error) => {
      assert.match(message, /set DATABASE_POOLER=transaction/);
      return !message.includes('    at ');
    });
  });

  describe('a handle', () => {
    const open = (options: PostgresOptions, log = silentLog) =>
      openPostgresHandles(bouncer.url, 2, log, { pooler: 'transaction', ...options }).db;

    it('limits the time of every transaction, and of no other', async () => {
      const db = open({ listenUrl: null });
      const limits = async (read: unknown) => {
        const { rows } = await sql<{ statement: string; idle: string }>`select
          current_setting('statement_timeout') as statement,
          current_setting('idle_in_transaction_session_timeout') as idle`.execute(read as Kysely<Tables>);
        return rows[0];
      };
      try {
        const limited = { statement: '15s', idle: '30s' };
        assert.deepEqual(await db.transact(limits), limited);
        assert.deepEqual(await db.readSnapshot('limits', limits), limited);
        assert.deepEqual(await db.readWithTimeout(1_000, limits), { statement: '1s', idle: '30s' });
        assert.deepEqual(await limits(db.read), { statement: '0', idle: '0' });
      } finally {
        await db.close();
      }
    });

    it('that listens through pgbouncer finds out that it hears nothing, polls, and stops when it hears again', async () => {
      const warnings: string[] = [];
      const note = (...said: unknown[]) => void warnings.push(String(said.at(-1)));
      const line = await new SwitchableDatabaseProxy(bouncer.url).start();
      const db = open({ listenUrl: line.url }, { warn: note, info: note } as unknown as Log);
      const other = openPostgres(database.url, 2, silentLog);
      try {
        const heard: Change[] = [];
        let gaps = 0;
        await db.listen({ changed: (change) => heard.push(change), missed: () => void gaps++ });
        await until('it polls', () => db.isPolling());
        assert.ok(gaps > 0);
        assert.ok(warnings.some((text) => text.includes('DATABASE_LISTEN_URL')));
        line.switchTo(database.url);
        await until('it hears', () => !db.isPolling());
        await other.transact(async (tx) => markChanged(tx, 'org', { posts: ['new'] }));
        await until('it hears of a change', () => heard.some(({ posts }) => posts.has('new')));
      } finally {
        await Promise.all([db.close(), other.close()]);
        await line.stop();
      }
    });
  });
});

/** A client that continues where its stream has ended, as one does at each poll. */
class Follower {
  private readonly streams: Stream[] = [];
  private readonly url: string;
  private readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  async begin(): Promise<this> {
    const after = this.streams.at(-1)?.lastId();
    const stream = await Stream.open(this.url, this.key, after === undefined ? {} : { after });
    assert.equal(stream.response.status, 200);
    await until('the stream says where it begins', () => stream.messages.length > 0);
    this.streams.push(stream);
    return this;
  }

  async events(): Promise<TestEvent[]> {
    if (this.streams.at(-1)?.ended) await this.begin();
    return this.streams.flatMap((stream) => stream.events());
  }

  close(): void {
    for (const stream of this.streams) stream.close();
  }
}
