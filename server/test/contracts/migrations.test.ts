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
import { createPostgresDatabase, silentLog } from '../support/databases/fresh-databases.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { everyday, itInProofs, onEngines } from '../support/runner/test-tiers.js';

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
      const outputs = results.map(({ stdout }) => stdout.trim()).sort();
      assert.deepEqual(outputs, [`Applied: ${names.join(', ')}`, 'Nothing to apply.']);
    });
  }

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
    await migrate(open(), []);
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
