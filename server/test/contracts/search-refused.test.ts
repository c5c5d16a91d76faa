// A Postgres that refuses the extensions: the service starts, says so, and searches in the newest posts.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/db/migrate.js';
import { openPostgresIndex } from '../../src/db/postgres/post-index.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { createPostgresDatabase, ENGINES, silentLog } from '../support/databases/fresh-databases.js';
import { startTestService, type TestService } from '../support/service/harness.js';
import { listIds } from '../support/service/posts.js';
import { addPosts, fillers, searchIds } from '../support/service/searching.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

interface Line {
  msg: string;
  err?: { message: string };
}

const isOfIndex = ({ msg }: Line) => /index for the search/.test(msg);

if (ENGINES.includes('postgres'))
  describe('A Postgres without the extensions of the search', () => {
    it('is searched in the newest posts, and older ones once the operator allows the index', async (t) => {
      const { url, owner } = await databaseOfPlainRole(t);
      const refused = await start(t, url);
      assert.equal(refused.service.app.postIndex, null);
      const warnings = refused.lines.filter(isOfIndex);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0]?.msg ?? '', /newest 10,000 posts.*pg_trgm and btree_gin/);
      assert.match(warnings[0]?.err?.message ?? '', /permission denied to create extension "pg_trgm"/);
      const org = await refused.service.newOrganization();
      const [old, newer] = await addPosts(refused.service, org, [
        { title: 'Zebra' },
        ...fillers(30),
        { title: 'Zebra', hashtags: '#hiking' },
      ]).then((ids) => [ids[0], ids.at(-1)]);
      assert.deepEqual(await listIds(org, { q: 'zebra' }), [newer, old]);
      assert.deepEqual(await listIds(org, { q: 'hiking' }), [newer]);
      assert.deepEqual(await searchIds(refused.service, org, 'zebra'), [newer]);

      await owner.query('create extension pg_trgm; create extension btree_gin');
      await assert.rejects(
        openPostgresIndex(refused.service.app.db, 10),
        /create index concurrently post_search_trigrams on post_search/,
        'making the index would stop writers of a larger table for long',
      );
      const allowed = await start(t, url);
      assert.deepEqual(allowed.lines.filter(isOfIndex), []);
      assert.notEqual(allowed.service.app.postIndex, null);
      assert.deepEqual(await searchIds(allowed.service, org, 'zebra'), [newer, old]);
      const again = await start(t, url);
      assert.notEqual(again.service.app.postIndex, null);
    });

    it('leaves the index of a larger table to the operator, with the extensions that it needs', async (t) => {
      const { url, drop } = await createPostgresDatabase({ empty: true });
      const db = openPostgres(url, 2, silentLog);
      t.after(() => db.close().then(drop));
      await migrate(db);
      const org = '01890000-0000-7000-8000-000000000001';
      const run = (text: string) => db.transact((tx) => sql.raw(text).execute(tx));
      await run(
        `insert into organizations (id, name, plan, created_at, updated_at) values ('${org}', 'A', 'growth', 0, 0)`,
      );
      await run(`insert into posts (org_id, id, post_type, title, status, title_key, created_at, updated_at)
        values ('${org}', '${org}', 'slides', 'A', 'draft', 'a', 0, 0)`);
      await run(
        `insert into post_search (org_id, post_id, created_at, content) values ('${org}', '${org}', 0, 'a')`,
      );
      const refusal = await openPostgresIndex(db, 0).catch((error: Error) => error.message);
      const [, statement] = /: (create index concurrently .*)$/.exec(String(refusal)) ?? [];
      assert.ok(statement, String(refusal));
      await run(statement.replace('concurrently', ''));
      assert.ok(await openPostgresIndex(db, 0));
      await run("update pg_index set indisvalid = false where indexrelid = 'post_search_trigrams'::regclass");
      await assert.rejects(openPostgresIndex(db, 0), /post_search_trigrams is not finished.*drop it/);
    });
  });

async function start(t: TestContext, url: string): Promise<{ service: TestService; lines: Line[] }> {
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const env = { ...WITHOUT_WORKER.env, DATABASE_URL: url };
  const service = await startTestService('sqlite', { ...WITHOUT_WORKER, env, log });
  t.after(() => service.stop());
  return { service, lines };
}

/** An empty database, and a role that may use it and not extend it. */
async function databaseOfPlainRole(t: TestContext): Promise<{ url: string; owner: pg.Client }> {
  const database = await createPostgresDatabase({ empty: true });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const role = `plain_${randomBytes(4).toString('hex')}`;
  await owner.query(`create role ${role} login; grant all on schema public to ${role}`);
  t.after(async () => {
    await owner.end();
    await database.drop();
  });
  const url = new URL(database.url);
  url.username = role;
  return { url: url.href, owner };
}
