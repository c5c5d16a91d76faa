// The schema as the database itself describes it, for what must not forget a table: backups and moves.
import { type Kysely, sql } from 'kysely';
import type { Database, Reader } from './database.js';
import type { Tables } from './tables.js';

export interface IntrospectedTable {
  name: string;
  columns: string[];
  /** The columns of the primary key, in its order. */
  key: string[];
  /** The tables that its foreign keys name. */
  references: string[];
}

interface Column {
  table: string;
  column: string;
  /** The position in the primary key, from 1; 0 if it is no part of it. */
  key_position: number;
}

interface Reference {
  from: string;
  to: string;
}

const QUERIES = {
  sqlite: {
    columns: sql<Column>`select m.name as "table", c.name as "column", c.pk as "key_position"
      from sqlite_master m, pragma_table_info(m.name) c
      where m.type = 'table' and substr(m.name, 1, 7) <> 'sqlite_' order by m.name, c.cid`,
    references: sql<Reference>`select distinct m.name as "from", f."table" as "to"
      from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'`,
  },
  postgres: {
    columns: sql<Column>`select c.relname as "table", a.attname as "column",
        coalesce((select k.n from pg_index i, unnest(i.indkey) with ordinality as k (attnum, n)
          where i.indrelid = c.oid and i.indisprimary and k.attnum = a.attnum), 0) as "key_position"
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`,
    references: sql<Reference>`select distinct c.relname as "from", t.relname as "to"
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
      where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`,
  },
};

/** Every table, those that others refer to first: rows can be inserted in this order. */
export async function introspectTables(
  read: Reader,
  engine: Database['engine'],
): Promise<IntrospectedTable[]> {
  const connection = read as Kysely<Tables>;
  const { rows: columns } = await QUERIES[engine].columns.execute(connection);
  const { rows: references } = await QUERIES[engine].references.execute(connection);
  const names = [...new Set(columns.map(({ table }) => table))];
  const tables = names.map((name): IntrospectedTable => {
    const own = columns.filter(({ table }) => table === name);
    const key = own
      .filter(({ key_position }) => key_position > 0)
      .sort((a, b) => a.key_position - b.key_position);
    return {
      name,
      columns: own.map(({ column }) => column),
      key: key.map(({ column }) => column),
      references: references.filter(({ from, to }) => from === name && to !== name).map(({ to }) => to),
    };
  });
  return sortByReferences(tables);
}

function sortByReferences(tables: readonly IntrospectedTable[]): IntrospectedTable[] {
  const sorted: IntrospectedTable[] = [];
  const visit = (table: IntrospectedTable | undefined, path: readonly string[]): void => {
    if (!table || sorted.includes(table)) return;
    if (path.includes(table.name)) throw new Error(`the references of ${table.name} form a circle`);
    for (const name of table.references)
      visit(
        tables.find((one) => one.name === name),
        [...path, table.name],
      );
    sorted.push(table);
  };
  for (const table of tables) visit(table, []);
  return sorted;
}
