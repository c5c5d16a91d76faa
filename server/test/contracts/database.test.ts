// What the rest of the service may rely on, with either engine.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Insertable } from 'kysely';
import { afterCommit } from '../../src/db/after-commit.js';
import type { Database, Tx } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { prepareRead } from '../../src/db/prepared-statements.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import type { PostTable } from '../../src/db/tables.js';
import { createTransactionGuard } from '../../src/db/transaction-guard.js';
import { createPostgresDatabase, type Engine, silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';

interface Opened {
  db: Database;
  /** Removes the files or the server's database; `db` may already be closed. */
  remove(): Promise<void>;
}

async function openEngine(engine: Engine): Promise<Opened> {
  if (engine === 'postgres') {
    const { url, drop } = await createPostgresDatabase();
    return { db: openPostgres(url, 5, silentLog, createTransactionGuard()), remove: drop };
  }
  const dir = mkdtempSync(join(tmpdir(), 'airdate-contract-'));
  const db = openSqlite(join(dir, 'airdate.db'), createTransactionGuard());
  await migrate(db);
  return { db, remove: async () => rmSync(dir, { recursive: true, force: true }) };
}

onEngines('both', 'The database', (engine) => databaseContract(() => openEngine(engine)));

function databaseContract(open: () => Promise<Opened>): void {
  let opened: Opened;
  let db: Database;

  before(async () => {
    opened = await open();
    db = opened.db;
  });
  after(async () => {
    await db?.close();
    await opened?.remove();
  });

  it('commits the writes of a transaction and returns the result of its work', async () => {
    const returned = await db.transact(async (tx) => {
      const id = await addOrganization(tx);
      return { id };
    });
    assert.equal((await organization(db, returned.id))?.name, 'An organization');
  });

  it('does what a transaction planned for after its commit: then, in order, and only if it commits', async () => {
    const done: string[] = [];
    await db.transact(async (tx) => {
      afterCommit(tx, () => {
        done.push('first');
        throw new Error('a count that fails');
      });
      afterCommit(tx, () => done.push('second'));
      await addOrganization(tx);
      assert.deepEqual(done, []);
    });
    const failed = db.transact(async (tx) => {
      afterCommit(tx, () => done.push('never'));
      throw new Error('changed my mind');
    });
    await assert.rejects(failed, /changed my mind/);
    await db.transact(addOrganization);
    assert.deepEqual(done, ['first', 'second']);
  });

  it('resolves a transaction when what it planned for after its commit is done, or has failed', async () => {
    let isDone = false;
    await db.transact(async (tx) => {
      const id = await addOrganization(tx);
      afterCommit(tx, async () => {
        assert.ok(await organization(db, id));
        isDone = true;
      });
      afterCommit(tx, () => Promise.reject(new Error('a removal that fails')));
    });
    assert.ok(isDone);
  });

  it('rolls back a transaction whose work throws, and rethrows the same error', async () => {
    const reason = new Error('changed my mind');
    let id = '';
    const run = db.transact(async (tx) => {
      id = await addOrganization(tx);
      throw reason;
    });
    await assert.rejects(run, (error) => error === reason);
    assert.equal(await organization(db, id), undefined);
  });

  it('keeps working after a statement failed inside a transaction', async () => {
    const id = randomUUID();
    await assert.rejects(
      db.transact(async (tx) => {
        await addOrganization(tx, id);
        await addOrganization(tx, id);
      }),
    );
    assert.equal(await organization(db, id), undefined);
    await db.transact((tx) => addOrganization(tx, id));
    assert.ok(await organization(db, id));
  });

  it('shows readers outside only committed rows, even while the writer is at work', async () => {
    const id = randomUUID();
    const written = gate();
    const hasRead = gate();
    const writing = db.transact(async (tx) => {
      await addOrganization(tx, id);
      assert.ok(await tx.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst());
      written.open();
      await hasRead.passed;
    });
    await written.passed;
    assert.equal(await organization(db, id), undefined, 'the builder looked into an open transaction');
    assert.deepEqual(
      await namedOrganization(db.read, id),
      [],
      'a named read looked into an open transaction',
    );
    hasRead.open();
    await writing;
    assert.ok(await organization(db, id));
  });

  it('loses none of 50 increments that read a locked row and write it back', async () => {
    const id = await db.transact((tx) => addOrganization(tx));
    const increment = () =>
      db.transact(async (tx) => {
        const { n } = await tx
          .selectFrom('organizations')
          .select('updated_at as n')
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirstOrThrow();
        await tx
          .updateTable('organizations')
          .set({ updated_at: n + 1 })
          .where('id', '=', id)
          .execute();
      });
    const start = (await organization(db, id))?.updated_at ?? Number.NaN;
    await Promise.all(Array.from({ length: 50 }, increment));
    assert.equal((await organization(db, id))?.updated_at, start + 50);
  });

  const misuses: [string, () => Promise<unknown>][] = [
    ['db.read', () => organization(db, randomUUID())],
    ['db.transact', () => db.transact(async (tx) => addOrganization(tx))],
    ['a named read', () => namedOrganization(db.read, randomUUID())],
    ['db.migrating', () => db.withMigrationLock(async () => {})],
  ];
  for (const [name, misuse] of misuses) {
    it(`throws at ${name} inside a transaction, rolls back, and works afterwards`, async () => {
      const id = randomUUID();
      const run = db.transact(async (tx) => {
        await addOrganization(tx, id);
        await misuse();
      });
      await assert.rejects(run, /only its own handle/);
      assert.equal(await organization(db, id), undefined);
      await misuse();
    });
  }

  it('gives the same rows for a named read as for the builder, for each set of values', async () => {
    const ids = await db.transact(async (tx) => [await addOrganization(tx), await addOrganization(tx)]);
    for (const id of [...ids, randomUUID(), ...ids]) {
      const built = await db.read.selectFrom('organizations').selectAll().where('id', '=', id).execute();
      assert.deepEqual(plain(await namedOrganization(db.read, id)), plain(built));
    }
  });

  it("refuses a post that points at another organization's account", async () => {
    const [ours, theirs] = await db.transact(async (tx) => [
      await addOrganization(tx),
      await addOrganization(tx),
    ]);
    const account = await db.transact((tx) => addAccount(tx, theirs as string));
    const stolen = { ...post(ours as string), social_account_id: account };
    await assert.rejects(insertPost(db, stolen), /foreign key/i);
    await insertPost(db, { ...post(theirs as string), social_account_id: account });
  });

  it('refuses a post without an organization, and the removal of an account that posts reference', async () => {
    await assert.rejects(insertPost(db, post(randomUUID())), /foreign key/i);
    const org = await db.transact((tx) => addOrganization(tx));
    const account = await db.transact((tx) => addAccount(tx, org));
    await insertPost(db, { ...post(org), social_account_id: account });
    const removal = db.transact((tx) =>
      tx.deleteFrom('social_accounts').where('org_id', '=', org).where('id', '=', account).execute(),
    );
    await assert.rejects(removal, /foreign key/i);
  });

  const impossible: [string, Record<string, unknown>][] = [
    ['an unknown status', { status: 'vanished' }],
    ['an unknown type', { post_type: 'hologram' }],
    ['an unknown publish mode', { publish_mode: 'pigeon' }],
    ['an unknown privacy level', { privacy_level: 'NO_ONE' }],
    ['a toggle that is neither 0 nor 1', { disable_duet: 2 }],
    ['a slot without time, account and privacy level', { status: 'scheduled' }],
    ['a post without a title', { title: null }],
  ];
  for (const [what, fields] of impossible) {
    it(`refuses ${what}`, async () => {
      const org = await db.transact((tx) => addOrganization(tx));
      await assert.rejects(
        insertPost(db, { ...post(org), ...fields } as Insertable<PostTable>),
        /check constraint|not.null/i,
      );
      await insertPost(db, post(org));
    });
  }

  it('returns whole numbers as numbers: timestamps, flags, counts, sums and affected rows', async () => {
    const org = await db.transact((tx) => addOrganization(tx));
    const at = Date.parse('9999-12-31T23:59:59.999Z');
    await insertPost(db, { ...post(org), created_at: at });
    await insertPost(db, { ...post(org), created_at: at });
    const rows = await db.read.selectFrom('posts').selectAll().where('org_id', '=', org).execute();
    assert.deepEqual(
      rows.map((row) => [row.created_at, row.publish_retries, row.disable_duet, row.scheduled_at]),
      [
        [at, 0, 0, null],
        [at, 0, 0, null],
      ],
    );
    const figures = await db.read
      .selectFrom('posts')
      .select((eb) => [eb.fn.countAll<number>().as('n'), eb.fn.sum<number>('created_at').as('sum')])
      .where('org_id', '=', org)
      .executeTakeFirstOrThrow();
    assert.deepEqual({ ...figures }, { n: 2, sum: 2 * at });
    const { numDeletedRows } = await db.transact((tx) =>
      tx.deleteFrom('posts').where('org_id', '=', org).executeTakeFirstOrThrow(),
    );
    assert.equal(Number(numDeletedRows), 2);
    const named = prepareRead(
      (read, id: string) => read.selectFrom('organizations').select('created_at').where('id', '=', id),
      'contract_created_at',
    );
    assert.equal(typeof (await named(db.read, org))[0]?.created_at, 'number');
  });

  it('supports row locks, with and without skipping locked rows', async () => {
    const id = await db.transact((tx) => addOrganization(tx));
    await db.transact(async (tx) => {
      const rows = tx.selectFrom('organizations').select('id').where('id', '=', id);
      assert.equal((await rows.forUpdate().execute()).length, 1);
      assert.equal((await rows.forUpdate().skipLocked().execute()).length, 1);
      assert.equal((await rows.distinct().execute()).length, 1);
    });
  });

  it('never gives one row to two claimants that skip locked rows', async () => {
    const ids = await db.transact(async (tx) => {
      const all: string[] = [];
      for (let i = 0; i < 20; i++) all.push(await addOrganization(tx));
      return all;
    });
    const claim = () =>
      db.transact(async (tx) => {
        const row = await tx
          .selectFrom('organizations')
          .select('id')
          .where('id', 'in', ids)
          .where('name', '=', 'An organization')
          .orderBy('id')
          .limit(1)
          .forUpdate()
          .skipLocked()
          .executeTakeFirst();
        if (row)
          await tx.updateTable('organizations').set({ name: 'Taken' }).where('id', '=', row.id).execute();
        return row?.id;
      });
    const claimed = (await Promise.all(Array.from({ length: 20 }, claim))).filter((id) => id !== undefined);
    assert.equal(new Set(claimed).size, claimed.length, 'a row was claimed twice');
    assert.ok(claimed.length > 0);
  });

  it('tells the time', async () => {
    const hour = 3_600_000;
    assert.ok(Math.abs((await db.now()) - Date.now()) < hour);
  });

  it('closes only when running work is done, and commits it', async () => {
    const other = await open();
    const begun = gate();
    const go = gate();
    const order: string[] = [];
    const working = other.db.transact(async (tx) => {
      begun.open();
      await go.passed;
      await addOrganization(tx);
      order.push('worked');
    });
    await begun.passed;
    const closing = other.db.close().then(() => order.push('closed'));
    go.open();
    await working;
    await closing;
    assert.deepEqual(order, ['worked', 'closed']);
    await other.remove();
  });
}

/** A promise that another part of the test resolves. */
function gate(): { open(): void; passed: Promise<void> } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed };
}

const plain = (rows: object[]) => rows.map((row) => ({ ...row }));

const organization = (db: Database, id: string) =>
  db.read.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();

const namedOrganization = prepareRead(
  (read, id: string) => read.selectFrom('organizations').selectAll().where('id', '=', id),
  'contract_organization',
);

async function addOrganization(tx: Tx, id: string = randomUUID()): Promise<string> {
  const row = { id, name: 'An organization', plan: 'growth', created_at: 1, updated_at: 1 } as const;
  await tx
    .insertInto('organizations')
    .values({ ...row, trial_ends_at: null })
    .execute();
  return id;
}

async function addAccount(tx: Tx, orgId: string): Promise<string> {
  const id = randomUUID();
  const row = { org_id: orgId, id, username: 'creator', created_at: 1, updated_at: 1 };
  await tx
    .insertInto('social_accounts')
    .values({ ...row, display_name: null, status: 'connected' })
    .execute();
  return id;
}

const post = (orgId: string): Insertable<PostTable> => ({
  org_id: orgId,
  id: randomUUID(),
  post_type: 'slides',
  title: 'A post',
  status: 'draft',
  title_key: 'a post',
  created_at: 1,
  updated_at: 1,
});

const insertPost = (db: Database, row: Insertable<PostTable>) =>
  db.transact((tx) => tx.insertInto('posts').values(row).execute());
