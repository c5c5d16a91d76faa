// Fresh databases for tests, on both engines: copies of a template that was migrated once.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '../../../src/core/log.js';
import { migrate } from '../../../src/db/migrate.js';
import { openPostIndex } from '../../../src/db/open-post-index.js';
import { openPostgres } from '../../../src/db/postgres/postgres.js';
import { openSqlite } from '../../../src/db/sqlite/sqlite.js';

export type Engine = 'sqlite' | 'postgres';
/** TEST_ENGINE chooses one of them. */
export const ENGINES: readonly Engine[] = (['sqlite', 'postgres'] as const).filter((engine) =>
  engine.includes(process.env.TEST_ENGINE ?? ''),
);

/** `AIRDATE_TEST_LOG=error` shows why a request was answered with 500. */
export const silentLog = createLog({
  level: process.env.AIRDATE_TEST_LOG ?? 'silent',
  human: true,
});

/** Creates the template on a cluster and returns its name. */
export async function createTemplate(clusterUrl: string): Promise<string> {
  const name = `airdate_template_${randomBytes(4).toString('hex')}`;
  await onCluster(clusterUrl, `create database ${name}`);
  const db = openPostgres(databaseUrl(clusterUrl, name), 2, silentLog);
  await migrate(db);
  await openPostIndex(db, silentLog);
  await db.close();
  return name;
}

let sqliteTemplate: Promise<Buffer> | undefined;

/** Puts a migrated SQLite database with the index of the search into a data folder. */
export async function createSqliteDatabase(dataDir: string): Promise<void> {
  sqliteTemplate ??= readSqliteTemplate();
  writeFileSync(join(dataDir, 'airdate.db'), await sqliteTemplate, { mode: 0o600 });
}

async function readSqliteTemplate(): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-template-'));
  try {
    const db = openSqlite(join(dir, 'airdate.db'));
    await migrate(db);
    await openPostIndex(db, silentLog);
    await db.close();
    return readFileSync(join(dir, 'airdate.db'));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export interface PostgresDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A new database, migrated and with the index of the search unless `empty`, or a copy of another one that no process uses. */
export async function createPostgresDatabase(
  options: { empty?: boolean; copyOf?: string } = {},
): Promise<PostgresDatabase> {
  const cluster = process.env.AIRDATE_TEST_CLUSTER;
  const template = process.env.AIRDATE_TEST_TEMPLATE;
  if (!cluster || !template) throw new Error('start the tests with npm test: it brings their Postgres');
  const name = `airdate_${randomBytes(6).toString('hex')}`;
  const from = options.copyOf ?? template;
  // Copying the files takes a third of the CPU time of writing them to the log as well, which is the default.
  await onCluster(
    cluster,
    `create database ${name} ${options.empty ? '' : `template ${from} strategy file_copy`}`,
  );
  return {
    url: databaseUrl(cluster, name),
    drop: () => onCluster(cluster, `drop database if exists ${name} with (force)`),
  };
}

function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A template can be copied only while no other process uses it; a lock makes concurrent test files wait. */
async function onCluster(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(815)');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
