// The pitfalls of SQLite, each triggered on purpose.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import Libsql from 'libsql';
import { AppError } from '../../src/core/problems.js';
import type { Database } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { SqliteConnection } from '../../src/db/sqlite/connection.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import type { Tables } from '../../src/db/tables.js';

describe('SQLite', () => {
  let dir: string;
  let file: string;
  let db: Database;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-sqlite-'));
    file = join(dir, 'airdate.db');
    db = openSqlite(file);
    await migrate(db);
  });
  after(async () => {
    await db?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Like another process: a separate connection that has the write lock. */
  async function whileLocked(work: (release: () => void) => Promise<void>): Promise<void> {
    const other = new Libsql(file);
    other.exec('begin immediate');
    let isLocked = true;
    const release = () => {
      if (isLocked) other.exec('rollback');
      isLocked = false;
    };
    try {
      await work(release);
    } finally {
      release();
      other.close();
    }
  }

  it('makes a file that can give freed pages back to the disk, and opens it while another process writes', async () => {
    await whileLocked(async () => {
      const connection = new SqliteConnection(file);
      assert.deepEqual(connection.rowsOf('pragma auto_vacuum', []), [{ auto_vacuum: 2 }]);
      connection.close();
    });
  });

  it('runs concurrent read-then-write transactions of two connections without losing any', async () => {
    const twin = openSqlite(file);
    try {
      const id = await addOrganization(db);
      // A tick of the event loop between reading and writing lets the other transaction run in between.
      const increment = (on: Database) =>
        on.transact(async (tx) => {
          const row = tx.selectFrom('organizations').select('updated_at as n').where('id', '=', id);
          const { n } = await row.executeTakeFirstOrThrow();
          await setImmediate();
          await tx
            .updateTable('organizations')
            .set({ updated_at: n + 1 })
            .where('id', '=', id)
            .execute();
        });
      const oneAfterAnother = async (on: Database) => {
        for (let i = 0; i < 25; i++) await increment(on);
      };
      await Promise.all([db, twin, db, twin].map(oneAfterAnother));
      const { n } = await twin.read
        .selectFrom('organizations')
        .select('updated_at as n')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.equal(n, 100);
    } finally {
      await twin.close();
    }
  });

  it('reads in a transaction never become stale because another connection wrote first', async () => {
    const other = new Libsql(file);
    other.pragma('busy_timeout = 0');
    try {
      await db.transact(async (tx) => {
        const before = await tx.selectFrom('organizations').select('id').execute();
        // With a deferred begin this write would succeed, and ours below would fail with SQLITE_BUSY_SNAPSHOT.
        assert.throws(() => other.exec('delete from workers'), { code: 'SQLITE_BUSY' });
        await tx.deleteFrom('workers').execute();
        assert.equal((await tx.selectFrom('organizations').select('id').execute()).length, before.length);
      });
    } finally {
      other.close();
    }
  });

  it('keeps the event loop and reads running while it waits for a lock, then continues', async () => {
    await whileLocked(async (release) => {
      let settled = false;
      const waiting = addOrganization(db).finally(() => {
        settled = true;
      });
      for (let ticks = 0; ticks < 50; ticks++) {
        await setImmediate();
        await db.read.selectFrom('organizations').select('id').execute();
      }
      assert.equal(settled, false, 'the transaction did not wait for the lock');
      release();
      const id = await waiting;
      assert.ok(
        await db.read.selectFrom('organizations').where('id', '=', id).select('id').executeTakeFirst(),
      );
    });
  });

  it('answers 503 with the reason when a lock is never released, and works once it is free', async () => {
    await whileLocked(async () => {
      await assert.rejects(addOrganization(db), (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, 'unavailable');
        assert.equal(error.status, 503);
        assert.match(error.message, /busy/);
        assert.ok(error.headers['retry-after']);
        return true;
      });
    });
    await addOrganization(db);
  });

  it('runs all transactions that queued behind one that waits for a lock', async () => {
    await whileLocked(async (release) => {
      const several = Promise.all(Array.from({ length: 10 }, () => addOrganization(db)));
      for (let ticks = 0; ticks < 10; ticks++) await setImmediate();
      release();
      assert.equal(new Set(await several).size, 10);
    });
  });

  const settings: [string, unknown][] = [
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['foreign_keys', 1],
  ];
  for (const [name, value] of settings) {
    it(`runs with ${name} = ${value} on the connection that writes and on the one that reads`, async () => {
      const pragma = sql.raw<Record<string, unknown>>(`pragma ${name}`);
      const writer = await db.transact((tx) => pragma.execute(tx));
      const reader = await pragma.execute(asKysely(db));
      assert.deepEqual([writer.rows[0]?.[name], reader.rows[0]?.[name]], [value, value]);
    });
  }

  it('never waits long inside SQLite, where nothing else could run', async () => {
    const pragma = sql.raw<{ timeout: number }>('pragma busy_timeout');
    for (const { rows } of [
      await db.transact((tx) => pragma.execute(tx)),
      await pragma.execute(asKysely(db)),
    ])
      assert.ok((rows[0]?.timeout ?? Number.POSITIVE_INFINITY) <= 250);
  });

  it('refuses writes on the connection that reads', async () => {
    const write = sql`insert into workers (id, started_at, heartbeat_at) values (${randomUUID()}, 1, 1)`;
    await assert.rejects(write.execute(asKysely(db)), /readonly/i);
    await assert.rejects(sql`delete from workers`.execute(asKysely(db)), /readonly/i);
  });
});

/** The reading handle without the guard of its type. */
const asKysely = (db: Database) => db.read as Kysely<Tables>;

async function addOrganization(db: Database): Promise<string> {
  const id = randomUUID();
  const row = { id, name: 'An organization', plan: 'growth', created_at: 1, updated_at: 0 } as const;
  await db.transact((tx) =>
    tx
      .insertInto('organizations')
      .values({ ...row, trial_ends_at: null })
      .execute(),
  );
  return id;
}
