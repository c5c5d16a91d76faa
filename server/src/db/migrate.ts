// Forward-only migrations, each applied once, in order, under a lock and with a checksum.

import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Database, Reader, Tx } from './database.js';
import { migrations } from './migrations/index.js';
import { COLUMN_TYPES, type ColumnTypes, type Migration } from './migrations/migration.js';
import { prepareRead } from './prepared-statements.js';
import type { Tables } from './tables.js';

type Applied = Selectable<Tables['schema_migrations']>;

/** The schema cannot be used by this program; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** What is said of a database or a backup that a version before the first release has made, wherever it is met. */
export const MADE_BEFORE_RELEASE =
  'This was made by a version of Airdate from before its first release, whose databases and backups are not carried over. Start with an empty database and an empty DATA_DIR; what you need from the old one, export with the version that made it.';

/** The first of the 36 migrations that came before the first schema. */
const FIRST_OF_BEFORE = 'foundation';

/** Applies missing migrations and returns their names. */
export const migrate = (db: Database, list: readonly Migration[] = migrations): Promise<string[]> =>
  db.withMigrationLock((tx, run) => migrateWithin(db, tx, run, list));

/** The same in a transaction of `withMigrationLock` that does more. */
export async function migrateWithin(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  run: (sql: string) => Promise<void>,
  list: readonly Migration[] = migrations,
): Promise<string[]> {
  const types = COLUMN_TYPES[engine];
  await run(
    'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at bigint not null, works_from integer not null)',
  );
  const applied = await tx
    .selectFrom('schema_migrations')
    .select(['version', 'name', 'checksum'])
    .orderBy('version')
    .execute();
  if (applied[0]?.name === FIRST_OF_BEFORE) throw new MigrationError(MADE_BEFORE_RELEASE);
  assertUnchanged(applied, list, types);
  if (applied.length > list.length) await assertCompatible(tx, list.length);
  const done: string[] = [];
  for (let version = applied.length + 1; version <= list.length; version++) {
    const migration = list[version - 1] as Migration;
    for (const statement of migration.statements(types)) await run(statement);
    await tx
      .insertInto('schema_migrations')
      .values({
        version,
        name: migration.name,
        checksum: checksum(migration, types),
        applied_at: Date.now(),
        works_from: oldestCompatible(list, version),
      })
      .execute();
    done.push(migration.name);
  }
  return done;
}

function assertUnchanged(
  applied: Pick<Applied, 'version' | 'name' | 'checksum'>[],
  list: readonly Migration[],
  types: ColumnTypes,
): void {
  for (const { version, name, checksum: before } of applied) {
    const known = list[version - 1];
    if (known && checksum(known, types) !== before)
      throw new MigrationError(
        `Migration ${version} (${name}) was applied with a different text than this version has. Released migrations never change: start the version that created this database.`,
      );
  }
}

async function assertCompatible(db: Reader, mine: number): Promise<void> {
  const newest = await newestMigration(db);
  if (newest && !isCompatible(newest, mine))
    throw new MigrationError(
      `The database was migrated by a newer version of Airdate (it has "${newest.name}"), and this version does not work on it. Start that version or a later one.`,
    );
}

/** The row of the migration that was applied last. */
export const newestMigration = (db: Reader) =>
  db
    .selectFrom('schema_migrations')
    .select(['version', 'name', 'works_from'])
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();

/** The last migration that broke older programs; the first is the schema itself. */
const oldestCompatible = (list: readonly Migration[], version: number): number =>
  list.slice(0, version).findLastIndex(({ breaksOlder }) => breaksOlder) + 1;

const isCompatible = ({ version, works_from }: Pick<Applied, 'version' | 'works_from'>, mine: number) =>
  version >= mine && works_from <= mine;

/** How the schema and this program go together: `behind` lacks migrations, `ahead` is too new for this program. */
export type Fit = 'fits' | 'behind' | 'ahead' | 'before release';

export const schemaFit = (db: Database, mine?: number): Promise<Fit> => schemaCheck(db, mine)();

/** Few rows, and the names of the oldest and the newest are needed. */
const findApplied = prepareRead((read) =>
  read.selectFrom('schema_migrations').select(['version', 'name', 'works_from']).orderBy('version'),
);

/** The same for checks that are repeated. */
export function schemaCheck(db: Database, mine = migrations.length): () => Promise<Fit> {
  return async () => {
    const applied = await findApplied(db.read).catch((error: unknown) => {
      // Only older ones lack `works_from`.
      if (/no such column|column .* does not exist/.test(String(error))) return null;
      throw error;
    });
    if (applied === null) return 'before release';
    const newest = applied.at(-1);
    if (applied[0]?.name === FIRST_OF_BEFORE) return 'before release';
    if (!newest || newest.version < mine) return 'behind';
    return isCompatible(newest, mine) ? 'fits' : 'ahead';
  };
}

/** Called by commands and processes that must not migrate. */
export async function assertSchemaFits(db: Database): Promise<void> {
  const fit = (await schemaFit(db).catch(nothingIfNoTable)) ?? 'behind';
  if (fit === 'before release') throw new MigrationError(MADE_BEFORE_RELEASE);
  if (fit === 'behind')
    throw new MigrationError('The database lacks migrations of this version. Run npm run migrate first.');
  await assertCompatible(db.read, migrations.length);
}

/** For commands that look at the tables before they migrate. A database without tables is fine. */
export async function assertMadeByRelease(read: Reader): Promise<void> {
  const first = await read
    .selectFrom('schema_migrations')
    .select('name')
    .orderBy('version')
    .limit(1)
    .executeTakeFirst()
    .catch(nothingIfNoTable);
  if (first?.name === FIRST_OF_BEFORE) throw new MigrationError(MADE_BEFORE_RELEASE);
}

/** A database without the table has never been migrated. */
function nothingIfNoTable(error: unknown): undefined {
  if (!/no such table|relation .* does not exist/.test(String(error))) throw error;
}

function checksum(migration: Migration, types: ColumnTypes): string {
  return createHash('sha256').update(migration.statements(types).join(';\n')).digest('hex');
}
