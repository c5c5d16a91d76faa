// Which columns of a table hold sealed texts. Each part of the service declares its own, beside the code that seals them; from
// that, a rotation of the encryption key finds what is still sealed with an old key, and seals it again.
import type { Expression, RawBuilder, Selectable, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Seal } from '../core/seal.js';
import { anyTable } from './any-table.js';
import type { Database, Reader, Tx } from './database.js';
import type { Tables } from './tables.js';

export interface SealedTable<Named = Row, Column extends string = string> {
  readonly table: keyof Tables;
  /** The columns that name a row. */
  readonly key: readonly string[];
  /** The columns of a unique index, by which all rows that can have secrets are read, page by page. */
  readonly order: readonly string[];
  /** Restricts the pages to rows that can have secrets, in the words of that index. */
  readonly among: Expression<SqlBool> | undefined;
  /** A row is left alone until this time has passed: a process is about to replace its secrets. */
  readonly busyUntil: string | undefined;
  readonly columns: readonly Column[];
  /** What a column of a row is sealed for. */
  contextOf(row: Named, column: Column): readonly string[];
}

type Row = Readonly<Record<string, string | number>>;

type NameOf<Table extends keyof Tables> = keyof Selectable<Tables[Table]> & string;

interface Plan<Table extends keyof Tables, Key extends NameOf<Table>, Column extends NameOf<Table>> {
  key: readonly Key[];
  columns: readonly Column[];
  /** The context of each text, unless it is the key of the row and the name of the column. */
  contextOf?: (row: Pick<Selectable<Tables[Table]>, Key>, column: Column) => readonly string[];
  /** The columns to page by, unless they are the key. */
  order?: readonly NameOf<Table>[];
  among?: Expression<SqlBool>;
  busyUntil?: NameOf<Table>;
}

export const sealedTable = <
  Table extends keyof Tables,
  Key extends NameOf<Table>,
  Column extends NameOf<Table>,
>(
  table: Table,
  {
    key,
    columns,
    contextOf = (row, column) => [...key.map((name) => String(row[name])), `${table}.${column}`],
    order = key,
    among,
    busyUntil,
  }: Plan<Table, Key, Column>,
): SealedTable<Pick<Selectable<Tables[Table]>, Key>, Column> => ({
  table,
  key,
  columns,
  contextOf,
  order,
  among,
  busyUntil,
});

/** Proves at each start that the process has the key of the database. */
export const KEY_CHECK_CONTEXT = ['key_check'];
export const KEY_CHECK = sealedTable('key_check', {
  key: ['id'],
  columns: ['sealed'],
  contextOf: () => KEY_CHECK_CONTEXT,
});

export interface ResealedPage {
  /** Where its last row is in the order; null if no rows follow. */
  last: readonly string[] | null;
  resealed: number;
  /** Still sealed with an old key, because another process has just changed the row or is about to. */
  left: number;
  /** Texts whose key is known, and that do not open all the same. */
  damaged: number;
}

/** One page is one short transaction: on SQLite it stops every other writer. */
const PAGE_SIZE = 200;

/** Seals again with the current key what is sealed with an old one. What is sealed with an unknown key stays as it is. */
export async function resealPage(
  db: Database,
  seal: Seal,
  sealed: SealedTable,
  after: readonly string[] | null,
  now: number,
): Promise<ResealedPage> {
  const rows = await readPage(db.read, seal.keyIds.slice(1), sealed, after);
  const last = rows.length < PAGE_SIZE ? null : sealed.order.map((column) => rows.at(-1)?.[column] as string);
  const page: ResealedPage = { last, resealed: 0, left: 0, damaged: 0 };
  const changes = rows.flatMap((row) => {
    const old = sealed.columns.filter((column) => row[column] !== null);
    if (old.length === 0) return [];
    const renewed = renewedColumns(seal, sealed, row as Row, old);
    if (renewed === null) page.damaged++;
    return renewed === null ? [] : [{ row: row as Row, renewed }];
  });
  if (changes.length === 0) return page;
  page.resealed = await db.transact(async (tx) => {
    let n = 0;
    for (const { row, renewed } of changes) if (await replace(tx, sealed, row, renewed, now)) n++;
    return n;
  });
  page.left = changes.length - page.resealed;
  return page;
}

/** Whether this process has the keys of these columns, by the ids that their texts begin with. */
export const hasKeysOf = (seal: Seal, ...columns: string[]): RawBuilder<SqlBool> => {
  const ids = sql.join(seal.keyIds.map((id) => sql.lit(id)));
  const each = columns.map((column) => {
    const ref = sql.ref(column);
    return sql`(${ref} is null or substr(${ref}, 1, ${sql.lit(KEY_ID_LENGTH)}) in (${ids}))`;
  });
  return sql<SqlBool>`(${sql.join(each, sql` and `)})`;
};

/** How many secrets are sealed with each key, by its id. Reads all rows that can have secrets, page by page. */
export async function countByKey(
  read: Reader,
  { table, order, among, columns }: SealedTable,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let page = anyTable(read)
    .selectFrom(table)
    .select([...order])
    .orderBy(refs(order))
    .limit(COUNTED_PAGE_SIZE);
  for (const name of columns)
    page = page.select(
      sql<string | null>`substr(${sql.ref(name)}, 1, ${sql.lit(KEY_ID_LENGTH)})`.as(keyIdOf(name)),
    );
  if (among !== undefined) page = page.where(among);
  for (let next = page; ; ) {
    const rows = (await next.execute()) as Record<string, string | null>[];
    for (const row of rows)
      for (const name of columns) {
        const id = row[keyIdOf(name)] ?? null;
        if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    const last = rows.at(-1);
    if (!last || rows.length < COUNTED_PAGE_SIZE) return counts;
    next = page.where(
      isAfter(
        order,
        order.map((column) => last[column] as string),
      ),
    );
  }
}

const keyIdOf = (column: string) => `key_id_of_${column}`;

const KEY_ID_LENGTH = 8;
const COUNTED_PAGE_SIZE = 1_000;

/** All rows of the page, with those of their secrets that are sealed with an old key: the others may be long, and stay behind. */
function readPage(
  read: Reader,
  oldIds: readonly string[],
  { table, key, order, among, columns }: SealedTable,
  after: readonly string[] | null,
): Promise<Record<string, string | null>[]> {
  const names = [...new Set([...key, ...order])];
  let query = anyTable(read).selectFrom(table).select(names);
  for (const column of columns)
    query = query.select((eb) =>
      eb
        .case()
        .when(eb.or(oldIds.map((id) => eb(column, 'like', `${id}.%`))))
        .then(eb.ref(column))
        .end()
        .as(column),
    );
  if (among !== undefined) query = query.where(among);
  if (after !== null) query = query.where(isAfter(order, after));
  return query.orderBy(refs(order)).limit(PAGE_SIZE).execute() as Promise<Record<string, string | null>[]>;
}

const isAfter = (order: readonly string[], last: readonly string[]) =>
  sql<SqlBool>`(${refs(order)}) > (${sql.join([...last])})`;

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

/** Null if one of them does not open. */
function renewedColumns(seal: Seal, sealed: SealedTable, row: Row, old: string[]): Row | null {
  try {
    const renew = (column: string) => seal.renew(row[column] as string, sealed.contextOf(row, column));
    return Object.fromEntries(old.map((column) => [column, renew(column)]));
  } catch {
    return null;
  }
}

/** Only over the texts that were read: a secret that another process has written meanwhile is newer. */
async function replace(
  tx: Tx,
  { table, key, busyUntil }: SealedTable,
  row: Row,
  renewed: Row,
  now: number,
): Promise<boolean> {
  let query = anyTable(tx).updateTable(table).set(renewed);
  for (const column of [...key, ...Object.keys(renewed)]) query = query.where(column, '=', row[column] ?? '');
  if (busyUntil !== undefined)
    query = query.where((eb) => eb.or([eb(busyUntil, 'is', null), eb(busyUntil, '<=', now)]));
  const { numUpdatedRows } = await query.executeTakeFirst();
  return numUpdatedRows > 0n;
}
