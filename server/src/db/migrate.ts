// Forward-only migrations, each applied once, in order, under a lock and with a checksum.
import { createHash } from 'node:crypto';
import type { ColumnTypes, Database } from './database.js';
import { migrations } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import { postgresTypes } from './postgres/types.js';
import { sqliteTypes } from './sqlite/sqlite.js';

/** The schema cannot be used by this program; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Applies missing migrations and returns their names. */
export async function migrate(db: Database, list: readonly Migration[] = migrations): Promise<string[]> {
  const types = db.engine === 'sqlite' ? sqliteTypes : postgresTypes;
  return db.migrating(async (tx, run) => {
    await run(
      'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at bigint not null)',
    );
    const applied = await tx.selectFrom('schema_migrations').selectAll().orderBy('version').execute();
    const done: string[] = [];
    for (const row of applied) {
      const known = list[row.version - 1];
      if (!known)
        throw new MigrationError(
          `The database was migrated by a newer version of Airdate (it has "${row.name}"). Start that version or a later one.`,
        );
      if (checksum(known, types) !== row.checksum)
        throw new MigrationError(
          `Migration ${row.version} (${row.name}) was applied with a different text than this version has. Released migrations never change: start the version that created this database.`,
        );
    }
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
        })
        .execute();
      done.push(migration.name);
    }
    return done;
  });
}

/** Whether the schema is the one this program was built for. */
export async function isMigrated(db: Database): Promise<boolean> {
  const newest = await db.read
    .selectFrom('schema_migrations')
    .select('version')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.version === migrations.length;
}

function checksum(migration: Migration, types: ColumnTypes): string {
  return createHash('sha256').update(migration.statements(types).join(';\n')).digest('hex');
}
