// Fills an empty database with rows, in one transaction: it has all of them afterwards, or none.
import { sql } from 'kysely';
import type { Log } from '../../core/log.js';
import type { Database, Tx } from '../../db/database.js';
import { migrate, migrateWithin } from '../../db/migrate.js';
import { migrations as released } from '../../db/migrations/index.js';
import type { Migration } from '../../db/migrations/migration.js';
import { openPostIndex } from '../../db/open-post-index.js';
import type { IntrospectedTable } from '../../db/schema-introspection.js';
import { withoutTriggers } from '../../db/without-triggers.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { DigestBuilder, isSameDigest, type RowsDigest } from './digest.js';
import { OperatorError, type Report } from './operator-error.js';
import { beginOrResume, removeMark } from './resume-mark.js';
import { linesOfTable, rowOf } from './rows.js';
import { copiedTables } from './tables.js';

export interface LoadPlan {
  db: Database;
  log: Log;
  /** The version of the schema that the rows have. The database gets this schema first. */
  schemaVersion: number;
  /** The migrations of this program, unless a test has others. */
  migrations?: readonly Migration[];
  /** The rows of a table in pages. Asked again if the transaction has to be repeated. */
  lines(table: string): AsyncIterable<string[]>;
  /** What belongs to the same transaction. The schema is that of this program then, whosever the rows are. */
  finish(tx: Tx): Promise<void>;
  report: Report;
}

/** A restore or a move: it fills an empty database and an empty store, and continues where an earlier run was interrupted. */
export interface FillPlan extends LoadPlan {
  store: ObjectStore;
  /** Says in the store which restore or move it is. */
  id: string;
  /** Whether an earlier run has committed the rows, so that only the end is missing. */
  isFilled(): Promise<boolean>;
  /** Whether the tables that are there can be used; called if there are some. */
  assertTablesFit?(): Promise<void>;
  /** The files come first, because the rows refer to them. */
  copyFiles(): Promise<void>;
  /** Throws if other rows were expected. */
  assertComplete?(written: Record<string, RowsDigest>): void;
}

/** Returns what was written; null if an earlier run had written everything. */
export async function fillInstallation(plan: FillPlan): Promise<Record<string, RowsDigest> | null> {
  const { db, store, report } = plan;
  const tables = await copiedTables(db.read, db.engine);
  let written: Record<string, RowsDigest> | null = null;
  // The rows are committed together: if there are some, only the last steps may be missing.
  if ((await tableWithRows(db.read, tables)) === null || !(await plan.isFilled())) {
    await assertEmpty(db.read, tables);
    if (tables.length > 0) await plan.assertTablesFit?.();
    await beginOrResume(store, plan.id);
    report('the store is marked');
    await plan.copyFiles();
    written = await loadRows(plan);
    plan.assertComplete?.(written);
  }
  // Also for an earlier run that was interrupted, perhaps one of an older version.
  await migrate(db);
  for (let batches = 1; await db.indexPendingBatch(); batches++) report(`search index: ${batches} batches`);
  await removeMark(store);
  report('the mark is removed');
  return written;
}

/** Returns what was written, table by table. Everything was read back and compared. */
export async function loadRows(filling: LoadPlan): Promise<Record<string, RowsDigest>> {
  const { db, log, schemaVersion, migrations = released, report } = filling;
  await migrate(db, migrations.slice(0, schemaVersion));
  // While the table is empty, its index is made in no time.
  await openPostIndex(db, log);
  report('the schema is there');
  const written = await db.withMigrationLock(async (tx, run) => {
    const tables = await copiedTables(tx, db.engine);
    await assertEmpty(tx, tables);
    const digests: Record<string, RowsDigest> = {};
    await withoutTriggers(db, tx, run, tables, async () => {
      for (const table of tables) digests[table.name] = await insertAll(tx, table, filling);
    });
    for (const table of tables) await compare(tx, table, digests[table.name]);
    await migrateWithin(db, tx, run, migrations);
    await filling.finish(tx);
    report('the rows are compared');
    return digests;
  });
  report('the rows are committed');
  return written;
}

async function insertAll(tx: Tx, table: IntrospectedTable, { lines, report }: LoadPlan): Promise<RowsDigest> {
  const building = new DigestBuilder();
  for await (const page of lines(table.name)) {
    building.add(page);
    await tx
      .insertInto(table.name as never)
      .values(page.map(rowOf) as never)
      .execute();
    report(`${table.name}: ${building.digest.rows} rows`);
  }
  return building.digest;
}

async function compare(tx: Tx, table: IntrospectedTable, written: RowsDigest | undefined): Promise<void> {
  const building = new DigestBuilder();
  for await (const page of linesOfTable(tx, table)) building.add(page);
  if (!isSameDigest(building.digest, written))
    throw new OperatorError(
      `The table "${table.name}" has other rows than were written to it: ${building.digest.rows} instead of ${written?.rows ?? 0}. Nothing was kept.`,
    );
}

/** The name of a table that has rows; null if none has. */
export async function tableWithRows(
  read: Pick<Tx, 'selectFrom'>,
  tables: readonly IntrospectedTable[],
): Promise<string | null> {
  for (const { name } of tables) {
    const row = await read
      .selectFrom(name as 'organizations')
      .select(sql<number>`1`.as('one'))
      .limit(1)
      .executeTakeFirst();
    if (row) return name;
  }
  return null;
}

async function assertEmpty(
  read: Pick<Tx, 'selectFrom'>,
  tables: readonly IntrospectedTable[],
): Promise<void> {
  const name = await tableWithRows(read, tables);
  if (name !== null)
    throw new OperatorError(
      `The database is not empty: its table "${name}" has rows. Name an empty one, in DATABASE_URL or with another DATA_DIR.`,
    );
}
