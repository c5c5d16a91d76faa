// Rows as lines of JSON, the same on both engines: times and flags are numbers, ids and everything else are texts.
import { type Kysely, sql } from 'kysely';
import type { Reader } from '../../db/database.js';
import type { IntrospectedTable } from '../../db/schema-introspection.js';
import type { Tables } from '../../db/tables.js';

type Row = Record<string, string | number | null>;

/** Few enough for one statement and for the memory of a process that reads for SQLite. */
const PAGE = 200;

/** All rows of a table in pages, in the order of its key. */
export async function* linesOfTable(
  read: Reader,
  { name, columns, key }: IntrospectedTable,
): AsyncGenerator<string[], void> {
  const order = sql.join(key.map((column) => sql.ref(column)));
  for (let last: Row | undefined; ; ) {
    const after = last;
    const rest = after ? sql`where (${order}) > (${sql.join(key.map((column) => after[column]))})` : sql``;
    const page = sql<Row>`select * from ${sql.table(name)} ${rest} order by ${order} limit ${sql.lit(PAGE)}`;
    const { rows } = await page.execute(read as Kysely<Tables>);
    // The list of columns leaves out an engine's own numbers, and gives all lines the same order.
    if (rows.length > 0) yield rows.map((row) => JSON.stringify(row, columns));
    if (rows.length < PAGE) return;
    last = rows.at(-1);
  }
}

export const rowOf = (line: string): Row => JSON.parse(line) as Row;
