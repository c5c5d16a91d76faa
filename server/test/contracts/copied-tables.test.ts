// A new table is copied by backups and moves, or says why not; on both engines it has the same rows.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.js';
import { migrations } from '../../src/db/migrations/index.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { introspectTables } from '../../src/db/schema-introspection.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import { loadRows } from '../../src/operator/backup/fill.js';
import { copiedTables } from '../../src/operator/backup/tables.js';
import {
  createPostgresDatabase,
  createSqliteDatabase,
  ENGINES,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';

const dir = mkdtempSync(join(tmpdir(), 'airdate-tables-'));
after(() => rmSync(dir, { recursive: true, force: true }));

describe('the tables of a backup', { skip: ENGINES.length < 2 && 'compares both engines' }, () => {
  let database: PostgresDatabase;
  let postgres: Database;
  let sqlite: Database;
  before(async () => {
    await createSqliteDatabase(dir);
    sqlite = openSqlite(join(dir, 'airdate.db'));
    database = await createPostgresDatabase();
    postgres = openPostgres(database.url, 2, silentLog);
  });
  after(async () => {
    await sqlite?.close();
    await postgres?.close();
    await database?.drop();
  });

  it('are the same on both engines, with the same columns', async () => {
    const shape = async (db: Database) =>
      Object.fromEntries(
        (await copiedTables(db.read, db.engine)).map(({ name, columns }) => [name, columns]),
      );
    const expected = await shape(postgres);
    assert.ok(Object.keys(expected).length > 30);
    assert.deepEqual(await shape(sqlite), expected);
  });

  it('are all that the database has, but for what each database makes anew', async () => {
    for (const db of [sqlite, postgres]) {
      const copied = (await copiedTables(db.read, db.engine)).map(({ name }) => name);
      const left = (await introspectTables(db.read, db.engine))
        .map(({ name }) => name)
        .filter((name) => !copied.includes(name));
      assert.deepEqual(
        left.filter((name) => !name.startsWith('post_search_')).sort(),
        ['grant_calls', 'schema_migrations', 'workers'],
        db.engine,
      );
    }
  });

  it('have a key to read them by, and follow those that they refer to', async () => {
    for (const db of [sqlite, postgres]) {
      const tables = await copiedTables(db.read, db.engine);
      for (const [i, { name, key, references }] of tables.entries()) {
        assert.ok(key.length > 0, `${name} has no key`);
        for (const other of references)
          assert.ok(
            tables.slice(0, i).some((table) => table.name === other),
            `${name} comes before ${other}`,
          );
      }
      assert.ok(
        tables.some(({ references }) => references.length > 1),
        'references are found',
      );
    }
  });

  it('leave out the numbers that a database gives by itself', async () => {
    const texts = (await copiedTables(sqlite.read, 'sqlite')).find(({ name }) => name === 'post_search');
    assert.deepEqual(texts?.columns, ['content', 'created_at', 'org_id', 'post_id']);
    const { rows } = await postgres.transact((tx) =>
      sql<{ name: string; column: string }>`select c.relname as name, a.attname as column
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where a.attidentity <> '' and c.relnamespace = current_schema()::regnamespace`.execute(tx),
    );
    for (const { name, column } of rows) {
      const table = (await copiedTables(postgres.read, 'postgres')).find((one) => one.name === name);
      assert.ok(!table?.columns.includes(column), `${name}.${column}`);
    }
  });

  it('refuse a table that is not known', async () => {
    await postgres.withMigrationLock((_tx, run) => run('create table strangers (id integer primary key)'));
    await assert.rejects(
      copiedTables(postgres.read, 'postgres'),
      /table "strangers" that this version does not know/,
    );
  });
});

describe('a backup of an older version', () => {
  for (const engine of ENGINES)
    it(`is brought up to date before this version writes to it, in the same transaction, on ${engine}`, async () => {
      const database = engine === 'postgres' ? await createPostgresDatabase({ empty: true }) : null;
      const db = database
        ? openPostgres(database.url, 2, silentLog)
        : openSqlite(join(dir, 'older-version.db'));
      try {
        let version = 0;
        await loadRows({
          db,
          log: silentLog,
          schemaVersion: migrations.length,
          migrations: [
            ...migrations,
            { name: 'later', statements: () => ['create table later (n integer)'] },
          ],
          async *lines() {
            yield* [];
          },
          async finish(tx) {
            version = (await tx.selectFrom('schema_migrations').select('version').execute()).length;
          },
          report: () => {},
        });
        assert.equal(version, migrations.length + 1);
      } finally {
        await db.close();
        await database?.drop();
      }
    });
});
