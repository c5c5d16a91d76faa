// A Postgres that hangs for longer than a query may take, and later continues with the query.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Database, Tx } from '../../src/db/database.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import {
  createPostgresDatabase,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { StallingProxy } from '../support/databases/stalling-proxy.js';
import { until } from '../support/runner/until.js';

/** Instead of 20 s. Nothing is asserted by it: it is only how long this test takes. */
const QUERY_TIMEOUT_MS = 1_500;

describe('A connection to Postgres on which a query timed out', () => {
  let database: PostgresDatabase;
  let watcher: pg.Client;
  let proxy: StallingProxy;
  let db: Database;

  before(async () => {
    database = await createPostgresDatabase();
    watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    proxy = await new StallingProxy(database.url).start();
    // One connection: the next one to use it is the one after the stall.
    db = openPostgres(`${proxy.url}?query_timeout=${QUERY_TIMEOUT_MS}`, 1, silentLog);
  });
  afterEach(() => proxy.end());
  after(async () => {
    await db?.close();
    await proxy?.stop();
    await watcher?.end();
    await database?.drop();
  });

  const add = (tx: Tx, id: string) =>
    tx
      .insertInto('organizations')
      .values({ id, name: 'One', plan: 'growth', created_at: 0, updated_at: 0, trial_ends_at: null })
      .execute();

  const workAgain = () =>
    until('the database works again', () =>
      db
        .transact((tx) => add(tx, randomUUID()))
        .then(
          () => true,
          () => false,
        ),
    );

  async function storedIds(ids: string[]): Promise<string[]> {
    const { rows } = await watcher.query('select id from organizations where id = any($1::uuid[])', [ids]);
    return rows.map(({ id }) => id);
  }

  it('is not used again: the next transaction commits nothing of the one before', async () => {
    await workAgain();
    const ids = [randomUUID(), randomUUID()] as const;
    await assert.rejects(
      db.transact(async (tx) => {
        await add(tx, ids[0]);
        proxy.begin('everything');
        await add(tx, ids[1]);
      }),
    );
    proxy.end();
    await workAgain();
    assert.deepEqual(await storedIds([...ids]), []);
  });

  it('is not used again: no read runs inside an abandoned transaction', async () => {
    await workAgain();
    proxy.begin('everything');
    await assert.rejects(db.transact(async () => {}));
    proxy.end();
    await until('the database answers again', () =>
      db.read
        .selectFrom('organizations')
        .select('id')
        .limit(1)
        .execute()
        .then(
          () => true,
          () => false,
        ),
    );
    const { rows } = await watcher.query(
      "select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    assert.deepEqual(rows, []);
  });

  it('is closed: a commit that was under way is kept, or not, and the next transaction works', async () => {
    for (const way of ['there', 'back']) {
      await workAgain();
      const id = randomUUID();
      proxy.begin('commit');
      await assert.rejects(db.transact((tx) => add(tx, id)));
      proxy.end();
      await workAgain();
      if (way === 'back') assert.deepEqual(await storedIds([id]), [id]);
    }
  });
});
