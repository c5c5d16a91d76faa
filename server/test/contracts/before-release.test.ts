// A database or a backup that a version from before the first release has made is refused wherever it is met, in one sentence.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Database } from '../../src/db/database.js';
import { MADE_BEFORE_RELEASE, MigrationError, migrate } from '../../src/db/migrate.js';
import { migrations } from '../../src/db/migrations/index.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import {
  createPostgresDatabase,
  createSqliteDatabase,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { startProgram } from '../support/programs/start-program.js';
import { everyday, itInProofs, onEngines } from '../support/runner/test-tiers.js';
import { send } from '../support/service/send.js';

/** What such a database is recognized by: a list of migrations that begins with its first one. The newest had 36. */
const TABLES_OF_BEFORE = [
  'create table schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at bigint not null, works_from integer)',
  "insert into schema_migrations (version, name, checksum, applied_at) values (1, 'foundation', 'x', 1)",
  "insert into schema_migrations (version, name, checksum, applied_at, works_from) values (36, 'made with keys', 'x', 1, 0)",
  'create table organizations_to_backfill (org_id text primary key, batches integer not null)',
  "insert into organizations_to_backfill (org_id, batches) values ('a', 0)",
];

/** Where a program finds its database and its files. */
interface Place {
  dir: string;
  env: Record<string, string>;
  open(): Database;
}

onEngines('both', 'What was made before the first release', (engine) => {
  const root = mkdtempSync(join(tmpdir(), 'airdate-before-'));
  const databases: PostgresDatabase[] = [];
  let ofBefore: Place;

  async function newPlace(name: string, on = engine, isEmpty = false): Promise<Place> {
    const dir = join(root, name);
    mkdirSync(dir);
    const env = {
      PATH: String(process.env.PATH),
      DATA_DIR: dir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      DEMO: 'off',
    };
    if (on === 'sqlite') {
      if (!isEmpty) await createSqliteDatabase(dir);
      return { dir, env, open: () => openSqlite(join(dir, 'airdate.db')) };
    }
    const database = await createPostgresDatabase({ empty: isEmpty });
    databases.push(database);
    const { url } = database;
    return {
      dir,
      env: { ...env, DATABASE_URL: url, ENCRYPTION_KEY: 'ab'.repeat(32) },
      open: () => openPostgres(url, 2, silentLog),
    };
  }

  /** The joined program, as users start it. */
  const run = (
    { dir, env }: Place,
    command: string,
    args: string[] = [],
    more: Record<string, string> = {},
  ) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const options = { env: { ...env, ...more }, cwd: dir };
      execFile(process.execPath, [PROGRAM, command, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      );
    });

  async function isRefused(...args: Parameters<typeof run>): Promise<void> {
    const { code, stderr } = await run(...args);
    assert.deepEqual([code, stderr], [1, `${MADE_BEFORE_RELEASE}\n`], args[1]);
  }

  before(async () => {
    ofBefore = await newPlace('before', engine, true);
    const db = ofBefore.open();
    await db.withMigrationLock(async (_tx, run) => {
      for (const statement of TABLES_OF_BEFORE) await run(statement);
    });
    await db.close();
  });
  after(async () => {
    for (const database of databases) await database.drop();
    rmSync(root, { recursive: true, force: true });
  });

  it('is said in one sentence that tells what to do', () => {
    assert.match(MADE_BEFORE_RELEASE, /empty database.*export with the version that made it\.$/s);
  });

  it('is not migrated, whatever this version adds', async () => {
    const db = ofBefore.open();
    const later = { name: 'later', statements: () => ['create table later (n integer)'] };
    for (const list of [migrations, [...migrations, later]])
      await assert.rejects(migrate(db, list), new MigrationError(MADE_BEFORE_RELEASE));
    await db.close();
  });

  it('is refused by a start, with MIGRATE=off too', async () => {
    const daily = { sqlite: [{ MIGRATE: 'off' }], postgres: [{}] };
    for (const more of everyday<Record<string, string>[]>(daily[engine], [{}, { MIGRATE: 'off' }]))
      await isRefused(ofBefore, 'serve', [], more);
  });

  it('is refused by migrate, check and backup', async () => {
    const daily = { sqlite: ['migrate', 'backup'], postgres: ['check'] };
    for (const command of everyday(daily[engine], ['migrate', 'check', 'backup']))
      await isRefused(ofBefore, command, command === 'backup' ? ['--to', join(root, 'copy')] : []);
  });

  it('makes a running process not ready', async () => {
    const place = await newPlace('running');
    const program = await startProgram('serve', place.env);
    try {
      const db = place.open();
      await db.withMigrationLock((_tx, run) =>
        run("update schema_migrations set name = 'foundation' where version = 1"),
      );
      await db.close();
      const { status, json } = await send('GET', `${program.url}/readyz`, {});
      assert.deepEqual([status, json.checks.database], [503, MADE_BEFORE_RELEASE]);
    } finally {
      await program.stop();
    }
  });

  const itOnSqlite = engine === 'sqlite' ? it : itInProofs;
  itOnSqlite('is refused by restore, as the backup and as the database to restore to', async () => {
    const backup = join(root, 'backup-of-before');
    mkdirSync(backup);
    const manifest = {
      format: 1,
      id: 'x',
      made_at: 1,
      engine,
      schema_version: 36,
      tables: { installation: {} },
    };
    writeFileSync(join(backup, 'manifest.json'), JSON.stringify(manifest));
    await isRefused(await newPlace('empty', engine, true), 'restore', ['--from', backup]);

    const present = join(root, 'backup-of-now');
    assert.equal((await run(await newPlace('now'), 'backup', ['--to', present])).code, 0);
    await isRefused(ofBefore, 'restore', ['--from', present]);
  });

  it('is refused by move, as the old installation and as the database to move to', async () => {
    // A move is always from SQLite to Postgres.
    if (engine === 'postgres')
      return isRefused(ofBefore, 'move', ['--from', (await newPlace('old', 'sqlite')).dir]);
    // A copy, because the driver keeps this process's lock of a database that it has closed.
    const from = join(root, 'copy-of-before');
    cpSync(ofBefore.dir, from, { recursive: true });
    await isRefused(await newPlace('new', 'postgres', true), 'move', ['--from', from]);
  });
});
