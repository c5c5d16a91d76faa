// Forward-only migrations, each applied once, in order, under a lock and with a checksum.
import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { ColumnTypes, Database, Reader, Tx } from './database.js';
import { compatibility } from './migrations/0028-compatibility.js';
import { migrations } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import { postgresTypes } from './postgres/types.js';
import { sqliteTypes } from './sqlite/sqlite.js';
import type { Tables } from './tables.js';

type SchemaMigration = Selectable<Tables['schema_migrations']>;

/** The schema cannot be used by this program; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Applies missing migrations and returns their names. */
export const migrate = (db: Database, list: readonly Migration[] = migrations): Promise<string[]> =>
  db.migrating((tx, run) => migrateWithin(db, tx, run, list));

/** The same in a transaction of `migrating` that does more. */
export async function migrateWithin(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  run: (sql: string) => Promise<void>,
  list: readonly Migration[] = migrations,
): Promise<string[]> {
  const types = engine === 'sqlite' ? sqliteTypes : postgresTypes;
  await run(
    'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at bigint not null)',
  );
  const applied = await tx
    .selectFrom('schema_migrations')
    .select(['version', 'name', 'checksum'])
    .orderBy('version')
    .execute();
  mustBeTheSame(applied, list, types);
  if (applied.length > list.length) await mustWorkFor(tx, list.length);
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
        // Before it there is no such column.
        ...(version > list.indexOf(compatibility) && list.includes(compatibility)
          ? { works_from: worksFrom(list, version) }
          : {}),
      })
      .execute();
    done.push(migration.name);
  }
  return done;
}

function mustBeTheSame(
  applied: Pick<SchemaMigration, 'version' | 'name' | 'checksum'>[],
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

async function mustWorkFor(db: Reader, mine: number): Promise<void> {
  const newest = await newestRow(db).executeTakeFirst();
  if (newest && !worksFor(newest, mine))
    throw new MigrationError(
      `The database was migrated by a newer version of Airdate (it has "${newest.name}"), and this version does not work on it. Start that version or a later one.`,
    );
}

const newestRow = (db: Reader) =>
  db
    .selectFrom('schema_migrations')
    .select(['version', 'name', 'works_from'])
    .orderBy('version', 'desc')
    .limit(1);

/** The last migration that broke older programs; the first is the schema itself. */
const worksFrom = (list: readonly Migration[], version: number): number =>
  list.slice(0, version).findLastIndex(({ breaksOlder }) => breaksOlder) + 1;

const worksFor = (
  { version, works_from }: Pick<SchemaMigration, 'version' | 'works_from'>,
  mine: number,
): boolean => version >= mine && (works_from ?? version) <= mine;

export type Fit = 'fits' | 'behind' | 'ahead';

/** How the schema and this program go together: `behind` lacks migrations, `ahead` is too new for this program. */
export const schemaFit = (db: Database, mine?: number): Promise<Fit> => schemaCheck(db, mine)();

/** The same for checks that are repeated: the read is compiled once. */
export function schemaCheck(db: Database, mine = migrations.length): () => Promise<Fit> {
  const read = db.readOnce(newestRow);
  return async () => {
    const [newest] = await read().catch((error: unknown) => {
      // Before migration 28.
      if (/no such column|column .* does not exist/.test(String(error))) return [];
      throw error;
    });
    if (!newest || newest.version < mine) return 'behind';
    return worksFor(newest, mine) ? 'fits' : 'ahead';
  };
}

/** For commands and processes that must not migrate. */
export async function schemaMustFit(db: Database): Promise<void> {
  const fit = await schemaFit(db).catch((error: unknown) => {
    // A database without the table has never been migrated.
    if (/no such table|relation .* does not exist/.test(String(error))) return 'behind' as const;
    throw error;
  });
  if (fit === 'behind')
    throw new MigrationError('The database lacks migrations of this version. Run npm run migrate first.');
  await mustWorkFor(db.read, migrations.length);
}

function checksum(migration: Migration, types: ColumnTypes): string {
  return createHash('sha256').update(migration.statements(types).join(';\n')).digest('hex');
}
