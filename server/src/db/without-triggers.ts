// Fills tables with rows that are complete already. Triggers would count them a second time, so they do not run meanwhile.
import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from './database.js';
import type { IntrospectedTable } from './schema-introspection.js';
import type { Tables } from './tables.js';

/** In a transaction of `withMigrationLock`. Other processes wait, and never see the tables without their triggers. */
export async function withoutTriggers(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  run: (sql: string) => Promise<void>,
  tables: readonly IntrospectedTable[],
  work: () => Promise<void>,
): Promise<void> {
  if (engine === 'postgres') {
    // The owner of a table may do this. `session_replication_role` would need a superuser.
    for (const { name } of tables) await run(`alter table ${name} disable trigger user`);
    await work();
    for (const { name } of tables) await run(`alter table ${name} enable trigger user`);
    return;
  }
  // SQLite cannot disable triggers. It keeps their text, so they are made again exactly as they were.
  const { rows: triggers } = await sql<{ name: string; text: string }>`
    select name, sql as text from sqlite_master where type = 'trigger'`.execute(tx as Kysely<Tables>);
  for (const { name } of triggers) await run(`drop trigger ${name}`);
  await work();
  for (const { text } of triggers) await run(text);
  // One of them would have listed the texts that the search has to index.
  await run('insert into post_search_pending (n, org_id) select n, org_id from post_search');
}
