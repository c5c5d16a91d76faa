// The first process migrates a database once and completely, however an earlier migration was interrupted.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../src/db/database.js';
import { MigrationError, migrate, schemaFit } from '../../src/db/migrate.js';
import { migrations } from '../../src/db/migrations/index.js';
import type { Migration } from '../../src/db/migrations/migration.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import type { Tables } from '../../src/db/tables.js';
import { recountInbox } from '../../src/posts/counters.js';
import { recountSlots } from '../../src/posts/readiness/recount.js';
import { recountBytes } from '../../src/quotas/recount.js';
import { createPostgresDatabase, silentLog } from '../databases/fresh-databases.js';
import { PROGRAM } from '../programs/joined-programs.js';
import { everyday, itInProofs, onEngines } from '../runner/test-tiers.js';

const names = migrations.map((migration) => migration.name);

const later: Migration = {
  name: 'later',
  statements: () => ['create table later_a (id integer primary key)', 'create table later_b (n integer)'],
};
const broken: Migration = {
  name: 'later',
  statements: () => ['create table later_a (id integer primary key)', 'create table table'],
};

onEngines('both', 'Migrations', (engine) => {
  let dir: string;
  let url: string | null;
  let drop: () => Promise<void>;
  let opened: Database[];

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-migrations-'));
    const database = engine === 'postgres' ? await createPostgresDatabase({ empty: true }) : null;
    url = database?.url ?? null;
    drop = async () => database?.drop();
    opened = [];
  });
  afterEach(async () => {
    for (const db of opened) await db.close();
    await drop();
    rmSync(dir, { recursive: true, force: true });
  });

  function open(): Database {
    const db = url === null ? openSqlite(join(dir, 'airdate.db')) : openPostgres(url, 2, silentLog);
    opened.push(db);
    return db;
  }

  const environment = () => ({
    PATH: process.env.PATH,
    DATA_DIR: dir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...(url === null ? {} : { DATABASE_URL: url, ENCRYPTION_KEY: 'ab'.repeat(32) }),
  });

  /** Runs the real program until it exits. */
  function program(
    command: string,
    more: Record<string, string> = {},
  ): Promise<{ code: unknown; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      const env = { ...environment(), ...more };
      execFile(process.execPath, [PROGRAM, command], { env, cwd: dir }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      );
    });
  }

  it('bring an empty database up to date', async () => {
    const db = open();
    assert.deepEqual(await migrate(db), names);
    assert.equal(await schemaFit(db), 'fits');
    assert.deepEqual(await db.read.selectFrom('posts').selectAll().execute(), []);
  });

  it('apply nothing the second time', async () => {
    await migrate(open());
    assert.deepEqual(await migrate(open()), []);
  });

  it('apply only new ones, and record when', async () => {
    const db = open();
    await migrate(db);
    assert.deepEqual(await migrate(db, [...migrations, later]), ['later']);
    const rows = await db.read.selectFrom('schema_migrations').selectAll().orderBy('version').execute();
    assert.deepEqual(
      rows.map((row) => [row.version, row.name]),
      [...names, 'later'].map((name, index) => [index + 1, name]),
    );
    assert.ok(rows.every((row) => row.applied_at > 0));
  });

  it('run once when two processes start on an empty database at the same moment', async () => {
    const applied = await Promise.all([migrate(open()), migrate(open())]);
    assert.deepEqual(applied.flat(), names);
    const list = [...migrations, later];
    for (const again of [list, [...list, { ...later, name: 'last', statements: () => ['select 1'] }]]) {
      const [one, two] = await Promise.all([migrate(open(), again), migrate(open(), again)]);
      assert.equal(one.length + two.length, 1);
    }
  });

  for (const round of everyday([1], [1, 2, 3])) {
    // On SQLite, where they wait for a file and not for a server, the test above stands for it on ordinary days.
    const define = engine === 'postgres' ? it : itInProofs;
    define(`run once when two real processes start at the same moment (round ${round})`, async () => {
      const results = await Promise.all([program('migrate'), program('migrate')]);
      for (const { code, stderr } of results) assert.deepEqual([code, stderr], [0, '']);
      const said = results.map(({ stdout }) => stdout.trim()).sort();
      assert.deepEqual(said, [`Applied: ${names.join(', ')}`, 'Nothing to apply.']);
    });
  }

  it('tell which posts of before are in the inbox, and count them', async () => {
    const db = open();
    const before = migrations.findIndex(({ name }) => name === 'last outcomes');
    await migrate(db, migrations.slice(0, before));
    const run = (text: string) => db.transact((tx) => sql.raw(text).execute(tx));
    const uuid = (n: number) => `01890000-0000-7000-8000-00000000000${n}`;
    const org = uuid(0);
    await run(
      `insert into organizations (id, name, plan, created_at, updated_at) values ('${org}', 'Old', 'growth', 0, 0)`,
    );
    await run(
      `insert into social_accounts (org_id, id, username, status, created_at, updated_at)
       values ('${org}', '${org}', 'old', 'connected', 0, 0)`,
    );
    const attempts = {
      1: ['in_inbox'],
      2: ['failed', 'in_inbox'],
      3: ['in_inbox', 'published'],
      4: ['published'],
      5: [],
    };
    for (const [n, outcomes] of Object.entries(attempts)) {
      const id = uuid(Number(n));
      await run(
        `insert into posts (org_id, id, post_type, title, status, search_text, created_at, updated_at)
         values ('${org}', '${id}', 'slides', 'Old', 'posted', 'old', 0, 0)`,
      );
      for (const [i, outcome] of outcomes.entries())
        await run(
          `insert into dispatches (org_id, id, post_id, social_account_id, trigger_kind, attempt, mode, outcome, phase,
            started_at, snapshot) values ('${org}', '${uuid(Number(n)).slice(0, -2)}${i}${n}', '${id}', '${org}', 'api', ${i + 1},
            'inbox', '${outcome}', 'done', 0, '{}')`,
        );
    }
    await migrate(db);
    const rows = await db.read.selectFrom('posts').select(['id', 'last_outcome']).orderBy('id').execute();
    assert.deepEqual(
      rows.map(({ last_outcome }) => last_outcome),
      ['in_inbox', 'in_inbox', null, null, null],
    );
    assert.deepEqual(await recountInbox(db), []);
    const [counted] = await db.read.selectFrom('inbox_counters').selectAll().execute();
    assert.equal(Number(counted?.n), 2);
    const listed = await db.read.selectFrom('organizations_without_outcomes').select('org_id').execute();
    assert.deepEqual(listed, [{ org_id: org }], 'a worker fills the rest');
  });

  it('count the versions of posts from 1, of posts that were there before too, and only upwards', async () => {
    const db = open();
    const before = migrations.findIndex(({ name }) => name === 'post versions');
    await migrate(db, migrations.slice(0, before));
    const run = (text: string) => db.transact((tx) => sql.raw(text).execute(tx));
    const id = '01890000-0000-7000-8000-000000000001';
    await run(
      `insert into organizations (id, name, plan, created_at, updated_at) values ('${id}', 'Old', 'growth', 0, 0)`,
    );
    await run(
      `insert into posts (org_id, id, post_type, title, status, search_text, created_at, updated_at)
       values ('${id}', '${id}', 'slides', 'Old', 'draft', 'old', 0, 0)`,
    );
    await migrate(db);
    const versions = async () =>
      (await db.read.selectFrom('posts').select('version').execute()).map(({ version }) => version);
    assert.deepEqual(await versions(), [1]);
    // As a process does that was started before the migration.
    await run(`update posts set title = 'New' where id = '${id}'`);
    await run(`update posts set title = 'New' where id = '${id}'`);
    assert.deepEqual(await versions(), [3]);
    await run(`update posts set title = 'Newer', version = version + 1 where id = '${id}'`);
    assert.deepEqual(await versions(), [4]);
    await run(`update posts set title = 'Nowhere' where id <> '${id}'`);
    assert.deepEqual(await versions(), [4]);
  });

  it('list the organizations that exist for the index and for what old posts lack, and fill nothing themselves', async () => {
    const db = open();
    const before = migrations.findIndex(({ name }) => name === 'search');
    await migrate(db, migrations.slice(0, before));
    const id = '01890000-0000-7000-8000-000000000001';
    await db.transact(async (tx) => {
      await sql
        .raw(
          `insert into organizations (id, name, plan, created_at, updated_at) values ('${id}', 'Old', 'growth', 0, 0)`,
        )
        .execute(tx);
      await sql
        .raw(
          `insert into posts (org_id, id, post_type, title, status, search_text, created_at, updated_at)
           values ('${id}', '${id}', 'slides', 'Old', 'draft', 'old', 0, 0)`,
        )
        .execute(tx);
    });
    await migrate(db);
    for (const list of ['organizations_to_index', 'organizations_to_backfill'] as const)
      assert.deepEqual(await db.read.selectFrom(list).select('org_id').execute(), [{ org_id: id }]);
    assert.deepEqual(await db.read.selectFrom('post_search').selectAll().execute(), []);
    const unfilled = { version: 1, title_key: null, last_slot: null };
    const columns = ['version', 'title_key', 'last_slot'] as const;
    assert.deepEqual(await db.read.selectFrom('posts').select(columns).execute(), [unfilled]);
  });

  it('count the bytes that were stored before, and those that a process of before stores meanwhile', async () => {
    const db = open();
    const before = migrations.findIndex(({ name }) => name === 'quotas');
    await migrate(db, migrations.slice(0, before));
    const run = (text: string) => db.transact((tx) => sql.raw(text).execute(tx));
    const id = (n: number) => `01890000-0000-7000-8000-00000000000${n}`;
    const org = id(1);
    await run(
      `insert into organizations (id, name, plan, created_at, updated_at) values ('${org}', 'Old', 'growth', 0, 0)`,
    );
    await run(
      `insert into posts (org_id, id, post_type, title, status, search_text, created_at, updated_at)
       values ('${org}', '${org}', 'slides', 'Old', 'draft', 'old', 0, 0)`,
    );
    const addAsset = (n: number, state: string, announced: number | null, size: number | null) =>
      run(
        `insert into assets (org_id, id, post_id, kind, state, object_key, filename, content_type, announced_length,
           position, expires_at, size, created_at)
         values ('${org}', '${id(n)}', '${org}', 'slide', '${state}', 'key-${n}', 'a.png', 'image/png', ${announced},
           ${n}, 0, ${size}, 0)`,
      );
    const addRecord = (key: string) =>
      run(
        `insert into idempotency_records (org_id, key, fingerprint, answer, created_at)
         values ('${org}', '${key}', 'f', 'an answer of 24 letters!', 0)`,
      );
    await addAsset(2, 'ready', 999, 1000);
    await addAsset(3, 'pending', 200, null);
    await addAsset(4, 'pending', null, null);
    await addAsset(5, 'rejected', 300, null);
    await addRecord('first');
    await migrate(db);
    const counted = async () => {
      assert.deepEqual(await recountBytes(db), []);
      const rows = await db.read.selectFrom('stored_bytes').select(['kind', 'n']).orderBy('kind').execute();
      return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
    };
    assert.deepEqual(await counted(), { answers: 24, files: 1200 });
    // As a process does that was started before the migration.
    await addRecord('second');
    await addAsset(6, 'pending', 50, null);
    await run(`update assets set state = 'ready', size = 70 where id in ('${id(4)}', '${id(6)}')`);
    assert.deepEqual(await counted(), { answers: 48, files: 1340 });
    await run(`update assets set state = 'rejected' where id = '${id(3)}'`);
    await run(`delete from assets where id in ('${id(2)}', '${id(4)}')`);
    await run(`delete from idempotency_records`);
    await run(
      `insert into condemned_objects (object_key, org_id, remove_after) values ('key-2', '${org}', 0)`,
    );
    assert.deepEqual(await counted(), { answers: 0, files: 70 });
    // Arrived and not inspected yet: the size counts if no length was announced.
    await addAsset(7, 'pending', null, null);
    await addAsset(8, 'pending', 400, null);
    await run(`update assets set size = 5 where id in ('${id(7)}', '${id(8)}')`);
    assert.deepEqual(await counted(), { answers: 0, files: 475 });
    await run(`delete from assets where id = '${id(7)}'`);
    assert.deepEqual(await counted(), { answers: 0, files: 470 });
  });

  it('list the slots that were booked before, and those that a process of before books meanwhile', async () => {
    const db = open();
    const before = migrations.findIndex(({ name }) => name === 'readiness');
    await migrate(db, migrations.slice(0, before));
    const run = (text: string) => db.transact((tx) => sql.raw(text).execute(tx));
    const id = (n: number) => `01890000-0000-7000-8000-00000000000${n}`;
    const org = id(1);
    await run(
      `insert into organizations (id, name, plan, created_at, updated_at) values ('${org}', 'Old', 'growth', 0, 0)`,
    );
    await run(
      `insert into social_accounts (org_id, id, username, status, created_at, updated_at)
       values ('${org}', '${id(2)}', 'old', 'connected', 0, 0)`,
    );
    const addPost = (n: number, status: string, slot: number | null) =>
      run(
        `insert into posts (org_id, id, post_type, title, status, scheduled_at, social_account_id, privacy_level,
           search_text, created_at, updated_at)
         values ('${org}', '${id(n)}', 'slides', 'Old', '${status}', ${slot}, '${id(2)}', 'SELF_ONLY', 'old', 0, 0)`,
      );
    const addAsset = (n: number, post: number, state: string) =>
      run(
        `insert into assets (org_id, id, post_id, kind, state, object_key, filename, content_type, position, expires_at,
           size, created_at)
         values ('${org}', '${id(n)}', '${id(post)}', 'slide', '${state}', 'key-${n}', 'a.png', 'image/png', ${n}, 0, 1, 0)`,
      );
    const addEvent = (seq: number, type: string) =>
      run(
        `insert into events (org_id, seq, type, data, created_at) values ('${org}', ${seq}, '${type}', '{}', 0)`,
      );
    await addPost(3, 'scheduled', 90_000_000);
    await addPost(4, 'scheduled', 90_000_000);
    await addPost(5, 'draft', null);
    await addAsset(6, 3, 'ready');
    await addAsset(7, 4, 'pending');
    await addEvent(1, 'post.scheduled');
    await assert.rejects(addEvent(2, 'post.at_risk'));
    await migrate(db);
    await addEvent(2, 'post.at_risk');
    assert.equal((await db.read.selectFrom('events').select('type').execute()).length, 2);
    const slots = async () => {
      assert.deepEqual(await recountSlots(db), []);
      const rows = await db.read.selectFrom('booked_slots').selectAll().orderBy('post_id').execute();
      return rows.map(({ post_id, scheduled_at, has_media, look_at }) => [
        Number(post_id.at(-1)),
        scheduled_at,
        has_media,
        look_at,
      ]);
    };
    assert.deepEqual(await slots(), [
      [3, 90_000_000, 1, 3_600_000],
      [4, 90_000_000, 0, 3_600_000],
    ]);
    // As a process does that was started before the migration.
    await run(`update assets set state = 'ready' where id = '${id(7)}'`);
    await run(`delete from assets where id = '${id(6)}'`);
    await run(`update posts set scheduled_at = 100000000 where id = '${id(4)}'`);
    await run(`update posts set status = 'scheduled', scheduled_at = 86400000 where id = '${id(5)}'`);
    assert.deepEqual(await slots(), [
      [3, 90_000_000, 0, 3_600_000],
      [4, 100_000_000, 1, 13_600_000],
      [5, 86_400_000, 0, 0],
    ]);
    await addAsset(8, 5, 'ready');
    await run(`update posts set status = 'publishing' where id in ('${id(3)}', '${id(4)}')`);
    assert.deepEqual(await slots(), [[5, 86_400_000, 1, 0]]);
    await run(`update assets set state = 'rejected' where id = '${id(8)}'`);
    assert.deepEqual(await slots(), [[5, 86_400_000, 0, 0]]);
    await run(`delete from assets where post_id = '${id(5)}'`);
    await run(`delete from posts where id = '${id(5)}'`);
    assert.deepEqual(await slots(), []);
  });

  it('are refused when the text of an applied one has changed', async () => {
    const db = open();
    await migrate(db, [...migrations, later]);
    const changed = { ...later, statements: () => ['create table later_c (n integer)'] };
    await assert.rejects(migrate(db, [...migrations, changed]), (error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, /"?later"?.*different text/);
      return true;
    });
    assert.equal(await exists(db, 'later_c'), false);
  });

  it('of a newer version leave this version working, which applies nothing and starts', async () => {
    const db = open();
    await migrate(db, [...migrations, later]);
    assert.deepEqual(await migrate(db), []);
    assert.equal(await schemaFit(db), 'fits');
    assert.equal(await schemaFit(db, migrations.length + 2), 'behind');
    const { code, stdout, stderr } = await program('check');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /right/);
  });

  it('of a newer version that this version does not work on make it exit with 1 and say so', async () => {
    const db = open();
    const breaking = { ...later, breaksOlder: true } as const;
    const afterwards = { name: 'afterwards', statements: () => [] };
    await migrate(db, [...migrations, breaking, afterwards]);
    await assert.rejects(migrate(db), /newer version of Airdate.*"afterwards"/);
    assert.equal(await schemaFit(db), 'ahead');
    assert.equal(await schemaFit(db, migrations.length + 1), 'fits');
    const daily = engine === 'sqlite' ? ['serve'] : [];
    for (const command of everyday(daily, ['migrate', 'serve', 'check'])) {
      const { code, stdout, stderr } = await program(command);
      assert.equal(code, 1, `${command}: ${stdout}${stderr}`);
      assert.match(stderr, /newer version of Airdate/);
      assert.doesNotMatch(stderr, /\n\s+at /, `${command} answers a known situation with a stack trace`);
    }
  });

  it('are not applied by check, nor with MIGRATE=off: both say what to do', async () => {
    await migrate(open(), migrations.slice(0, -1));
    for (const [command, more] of [
      ['check', {}],
      ['serve', { MIGRATE: 'off' }],
    ] as const) {
      const { code, stderr } = await program(command, more);
      assert.equal(code, 1);
      assert.match(stderr, /lacks migrations of this version\. Run npm run migrate first/);
    }
    assert.equal(await schemaFit(open()), 'behind');
  });

  it('leave nothing half done when one fails, and complete the next time', async () => {
    const db = open();
    await assert.rejects(migrate(db, [...migrations, broken]), /syntax|near/i);
    assert.deepEqual(await Promise.all(['posts', 'later_a'].map((table) => exists(db, table))), [
      false,
      false,
    ]);
    assert.deepEqual(await migrate(db), names);
    await assert.rejects(migrate(db, [...migrations, broken]));
    assert.equal(await exists(db, 'later_a'), false);
    assert.deepEqual(await migrate(db, [...migrations, later]), ['later']);
    assert.equal(await exists(db, 'later_b'), true);
  });

  it('leave nothing half done when the process is killed in the middle, and complete at the next start', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', killedHalfWay()], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      const [sign] = await Promise.race([once(child.stdout, 'data'), exited]);
      assert.equal(String(sign), 'half');
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
    const db = open();
    assert.equal(await exists(db, 'later_a'), false);
    assert.deepEqual(await migrate(db, [...migrations, later]), [...names, 'later']);
    assert.equal(await exists(db, 'later_a'), true);
  });

  /** A program that applies everything and the first statement of `later`, says so, and sleeps for ever. */
  function killedHalfWay(): string {
    const at = (path: string) => JSON.stringify(new URL(`../../src/db/${path}`, import.meta.url).href);
    const opening =
      url === null
        ? `(await import(${at('sqlite/sqlite.js')})).openSqlite(${JSON.stringify(join(dir, 'airdate.db'))})`
        : `(await import(${at('postgres/postgres.js')})).openPostgres(${JSON.stringify(url)}, 2, console)`;
    return `
      import { writeSync } from 'node:fs';
      import { migrate } from ${at('migrate.js')};
      import { migrations } from ${at('migrations/index.js')};
      const statements = ['create table later_a (id integer primary key)'];
      statements[Symbol.iterator] = function* () {
        yield this[0];
        writeSync(1, 'half');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      };
      await migrate(${opening}, [...migrations, { name: 'later', statements: () => statements }]);`;
  }
});

async function exists(db: Database, table: string): Promise<boolean> {
  try {
    await sql`select 1 from ${sql.table(table)} limit 1`.execute(db.read as Kysely<Tables>);
    return true;
  } catch (error) {
    assert.match(String(error), /no such table|does not exist/);
    return false;
  }
}
