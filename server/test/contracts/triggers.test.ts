// What triggers keep is right whichever statement writes the rows.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { recount } from '../../src/db/recount.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import {
  createPostgresDatabase,
  createSqliteDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';

const id = (n: number) => `01890000-0000-7000-8000-0000000000${String(n).padStart(2, '0')}`;
const ORG = id(1);
const ACCOUNT = id(2);

onEngines('both', 'Triggers', (engine) => {
  let db: Database;
  let end: () => Promise<void>;

  beforeEach(async () => {
    if (engine === 'postgres') {
      const database = await createPostgresDatabase();
      db = openPostgres(database.url, 2, silentLog);
      end = () => db.close().then(database.drop);
    } else {
      const dir = mkdtempSync(join(tmpdir(), 'airdate-triggers-'));
      await createSqliteDatabase(dir);
      db = openSqlite(join(dir, 'airdate.db'));
      end = () => db.close().then(() => rmSync(dir, { recursive: true, force: true }));
    }
    await run(
      `insert into organizations (id, name, plan, created_at, updated_at) values ('${ORG}', 'A', 'growth', 0, 0)`,
    );
    await run(
      `insert into social_accounts (org_id, id, username, status, created_at, updated_at)
       values ('${ORG}', '${ACCOUNT}', 'a', 'connected', 0, 0)`,
    );
  });
  afterEach(() => end());

  const run = (text: string) => db.transact((tx) => sql.raw(text).execute(tx));

  const addPost = (n: number, status = 'draft', slot: number | null = null) =>
    run(
      `insert into posts (org_id, id, post_type, title, title_key, status, scheduled_at, social_account_id, privacy_level,
         created_at, updated_at)
       values ('${ORG}', '${id(n)}', 'slides', 'A', 'a', '${status}', ${slot}, '${ACCOUNT}', 'SELF_ONLY', 0, 0)`,
    );

  const addAsset = (n: number, post: number, state: string, announced: number | null, size: number | null) =>
    run(
      `insert into assets (org_id, id, post_id, kind, state, object_key, filename, content_type, announced_length,
         position, expires_at, size, created_at)
       values ('${ORG}', '${id(n)}', '${id(post)}', 'slide', '${state}', 'key-${n}', 'a.png', 'image/png', ${announced},
         ${n}, 0, ${size}, 0)`,
    );

  it('count the versions of posts from 1, and only upwards', async () => {
    await addPost(3);
    const version = async () =>
      (await db.read.selectFrom('posts').select('version').executeTakeFirstOrThrow()).version;
    assert.equal(await version(), 1);
    await run(`update posts set title = 'New' where id = '${id(3)}'`);
    await run(`update posts set title = 'New' where id = '${id(3)}'`);
    assert.equal(await version(), 3);
    await run(`update posts set title = 'Newer', version = version + 1 where id = '${id(3)}'`);
    assert.equal(await version(), 4);
    await run(`update posts set title = 'Nowhere' where id <> '${id(3)}'`);
    assert.equal(await version(), 4);
  });

  it('count the posts in the inbox, by the outcome of their last attempt', async () => {
    const addAttempt = (post: number, attempt: number, outcome: string) =>
      run(
        `insert into dispatches (org_id, id, post_id, social_account_id, trigger_kind, attempt, mode, outcome, phase,
           started_at, snapshot)
         values ('${ORG}', '${id(10 * post + attempt)}', '${id(post)}', '${ACCOUNT}', 'api', ${attempt}, 'inbox',
           '${outcome}', 'done', 0, '{}')`,
      );
    const outcomes = async () => {
      assert.deepEqual(await recount(db, ['inbox']), []);
      const rows = await db.read.selectFrom('posts').select('last_outcome').orderBy('id').execute();
      const counted = await db.read.selectFrom('inbox_counters').select('n').execute();
      const sum = counted.reduce((total, { n }) => total + Number(n), 0);
      return [...rows.map(({ last_outcome }) => last_outcome), sum];
    };
    for (const n of [3, 4, 5]) await addPost(n, 'posted');
    await addAttempt(3, 1, 'in_inbox');
    await addAttempt(4, 1, 'failed');
    await addAttempt(4, 2, 'in_inbox');
    assert.deepEqual(await outcomes(), ['in_inbox', 'in_inbox', null, 2]);
    await run(`update dispatches set outcome = 'published' where post_id = '${id(3)}'`);
    await run(`update dispatches set outcome = 'unknown' where post_id = '${id(4)}' and attempt = 1`);
    assert.deepEqual(await outcomes(), ['published', 'in_inbox', null, 1], 'a later attempt decides');
    await run(`update posts set status = 'archived' where id = '${id(4)}'`);
    assert.deepEqual(await outcomes(), ['published', 'in_inbox', null, 1]);
    await run('delete from dispatches');
    await run(`delete from posts where id = '${id(4)}'`);
    assert.deepEqual(await outcomes(), ['published', null, 0]);
  });

  it('count the bytes of files and recorded responses', async () => {
    const counted = async () => {
      assert.deepEqual(await recount(db, ['bytes']), []);
      const rows = await db.read.selectFrom('stored_bytes').select(['kind', 'n']).execute();
      return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
    };
    const addRecord = (key: string) =>
      run(
        `insert into idempotency_records (org_id, key, fingerprint, response, created_at)
         values ('${ORG}', '${key}', 'f', 'a reply of 22 letters!', 0)`,
      );
    await addPost(3);
    await addAsset(4, 3, 'ready', 999, 1000);
    await addAsset(5, 3, 'pending', 200, null);
    await addAsset(6, 3, 'pending', null, null);
    await addAsset(7, 3, 'rejected', 300, null);
    await addRecord('first');
    assert.deepEqual(await counted(), { files: 1200, responses: 22 });
    await addRecord('second');
    await addAsset(8, 3, 'pending', 50, null);
    await run(`update assets set state = 'ready', size = 70 where id in ('${id(6)}', '${id(8)}')`);
    assert.deepEqual(await counted(), { files: 1340, responses: 44 });
    await run(`update assets set state = 'rejected' where id = '${id(5)}'`);
    await run(`delete from assets where id in ('${id(4)}', '${id(6)}')`);
    await run('delete from idempotency_records');
    assert.deepEqual(await counted(), { files: 70, responses: 0 });
    // A replaced video counts until it is removed.
    await run(
      `insert into objects_to_delete (object_key, org_id, remove_after, size) values ('key-4', '${ORG}', 0, 30)`,
    );
    assert.deepEqual(await counted(), { files: 100, responses: 0 });
    await run('update objects_to_delete set size = null');
    // Arrived and not inspected yet: the size counts if no length was announced.
    await addAsset(9, 3, 'pending', null, null);
    await addAsset(10, 3, 'pending', 400, null);
    await run(`update assets set size = 5 where id in ('${id(9)}', '${id(10)}')`);
    assert.deepEqual(await counted(), { files: 475, responses: 0 });
    await run(`delete from assets where id = '${id(9)}'`);
    assert.deepEqual(await counted(), { files: 470, responses: 0 });
  });

  it('list the booked slots, and which of them have media', async () => {
    const slots = async () => {
      assert.deepEqual(await recount(db, ['slots']), []);
      const rows = await db.read.selectFrom('booked_slots').selectAll().orderBy('post_id').execute();
      return rows.map(({ post_id, scheduled_at, has_media, check_at }) => [
        Number(post_id.at(-1)),
        scheduled_at,
        has_media,
        check_at,
      ]);
    };
    await addPost(3, 'scheduled', 90_000_000);
    await addPost(4, 'scheduled', 90_000_000);
    await addPost(5);
    await addAsset(6, 3, 'ready', null, 1);
    await addAsset(7, 4, 'pending', null, 1);
    assert.deepEqual(await slots(), [
      [3, 90_000_000, 1, 3_600_000],
      [4, 90_000_000, 0, 3_600_000],
    ]);
    await run(`update assets set state = 'ready' where id = '${id(7)}'`);
    await run(`delete from assets where id = '${id(6)}'`);
    await run(`update posts set scheduled_at = 100000000 where id = '${id(4)}'`);
    await run(`update posts set status = 'scheduled', scheduled_at = 86400000 where id = '${id(5)}'`);
    assert.deepEqual(await slots(), [
      [3, 90_000_000, 0, 3_600_000],
      [4, 100_000_000, 1, 13_600_000],
      [5, 86_400_000, 0, 0],
    ]);
    await addAsset(8, 5, 'ready', null, 1);
    await run(`update posts set status = 'publishing' where id in ('${id(3)}', '${id(4)}')`);
    assert.deepEqual(await slots(), [[5, 86_400_000, 1, 0]]);
    await run(`update assets set state = 'rejected' where id = '${id(8)}'`);
    assert.deepEqual(await slots(), [[5, 86_400_000, 0, 0]]);
    await run(`delete from assets where post_id = '${id(5)}'`);
    await run(`delete from posts where id = '${id(5)}'`);
    assert.deepEqual(await slots(), []);
  });
});
