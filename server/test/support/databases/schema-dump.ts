// The newest schema of each engine as SQL, for people to read: written by `npm run schema`, compared by contracts/schema.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import { migrate } from '../../../src/db/migrate.js';
import { openPostgres } from '../../../src/db/postgres/postgres.js';
import { openSqlite } from '../../../src/db/sqlite/sqlite.js';
import { createPostgresDatabase, type Engine, silentLog } from './fresh-databases.js';

export const schemaFile = (engine: Engine) => `server/src/db/schema.${engine}.sql`;

const HEADER =
  '-- Made from the migrations by `npm run schema`, for reading. The migrations are what is executed.\n';

export const dumpSchema = async (engine: Engine): Promise<string> =>
  `${HEADER}\n${(await (engine === 'sqlite' ? dumpSqlite() : dumpPostgres())).join(';\n\n')};\n`;

async function dumpSqlite(): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-schema-'));
  try {
    const file = join(dir, 'schema.db');
    const db = openSqlite(file);
    await migrate(db);
    await db.close();
    const reader = new Libsql(file);
    const rows = reader
      .prepare(
        `select sql from sqlite_master where sql is not null
         order by tbl_name, case type when 'table' then 0 when 'index' then 1 else 2 end, name`,
      )
      .all() as { sql: string }[];
    reader.close();
    return rows.map(({ sql }) => unindented(sql));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The lines of a statement in a migration are indented by what surrounds them. */
const unindented = (sql: string) => sql.replaceAll(/\n {4,}/g, '\n  ').replace(/\n\s*\)/g, '\n)');

async function dumpPostgres(): Promise<string[]> {
  const database = await createPostgresDatabase({ empty: true });
  const db = openPostgres(database.url, 1, silentLog);
  await migrate(db);
  await db.close();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const ask = async (sql: string) => (await client.query(sql)).rows as { relation: string; text: string }[];
    const columns = await ask(`
      select c.relname as relation,
        format('%s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
          case when co.collname is null or co.collname = 'default' then '' else format(' collate "%s"', co.collname) end
            || case when a.attnotnull then ' not null' else '' end,
          case when d.adbin is null then '' else ' default ' || pg_get_expr(d.adbin, d.adrelid) end) as text
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        left join pg_collation co on co.oid = a.attcollation
      where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`);
    const constraints = await ask(`
      select c.relname as relation, pg_get_constraintdef(k.oid) as text
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and k.contype <> 'n'
      order by c.relname, k.contype desc, k.conname`);
    const others = await ask(`
      select i.tablename as relation, i.indexdef as text from pg_indexes i
      where i.schemaname = 'public' and not exists (select from pg_constraint k where k.conname = i.indexname)
      union all
      select c.relname, pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
        join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and not t.tgisinternal
      order by 1, 2`);
    const tables = [...new Set(columns.map(({ relation }) => relation))];
    const of = (rows: { relation: string; text: string }[], table: string) =>
      rows.filter(({ relation }) => relation === table).map(({ text }) => text);
    const functions = await ask(`
      select p.proname as relation, pg_get_functiondef(p.oid) as text
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'public'
      order by 1`);
    const made = tables.flatMap((table) => [
      `create table ${table} (\n  ${[...of(columns, table), ...of(constraints, table)].join(',\n  ')}\n)`,
      ...of(others, table),
    ]);
    return [...functions.map(({ text }) => text.trim()), ...made];
  } finally {
    await client.end();
    await database.drop();
  }
}
