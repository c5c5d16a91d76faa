// The newest rows of a log that pass its filters.
//
// The first filter leads: its index gives the rows in order, without a look at the rows. The others are checked on the newest rows
// of the leading one only, up to a limit, which bounds of time move back.
import type { Selectable, SelectQueryBuilder } from 'kysely';
import { anyTable } from './any-table.js';
import type { Reader } from './database.js';
import type { Tables } from './tables.js';

export interface LogFilter<Column extends string = string> {
  readonly column: Column;
  readonly values: readonly string[];
}

export type LogBound<Value = string | number> = readonly [side: '>=' | '<=' | '<', value: Value];

type NameOf<Table extends keyof Tables> = keyof Selectable<Tables[Table]> & string;

interface LogScans<Table extends keyof Tables, Key extends NameOf<Table>> {
  readonly table: Table;
  /** What the log is sorted by, newest first. */
  readonly key: readonly Key[];
  /** Null: rows of the installation. */
  readonly orgIds: readonly (string | null)[];
  /** Of the first column of the key. */
  readonly bounds: readonly LogBound[];
  readonly filters: readonly LogFilter[];
  /** How many rows of the leading filter the others are checked on. */
  readonly maxChecked: number;
}

/** The keys of those among the `limit` newest rows of each organization and value of the leading filter, in no order. */
export function newestScans<Table extends keyof Tables, Key extends NameOf<Table>>(
  read: Reader,
  { table, key, orgIds, bounds, filters, maxChecked }: LogScans<Table, Key>,
  limit: number,
) {
  const [lead, ...others] = filters;
  const handle = anyTable(read);
  const columns: readonly string[] = key;
  /** Along one index, and limited in itself: otherwise an engine may sort all rows of all scans. */
  const scan = (orgId: string | null, value: string | null) => {
    let rows = handle
      .selectFrom(table as string)
      .select([...columns, ...others.map(({ column }) => column)])
      .where('org_id', orgId === null ? 'is' : '=', orgId);
    for (const [side, at] of bounds) rows = rows.where(columns[0] as string, side, at);
    if (lead) rows = rows.where(lead.column, '=', value);
    for (const column of columns) rows = rows.orderBy(column, 'desc');
    const newest = rows.limit(others.length > 0 ? maxChecked : limit);
    let found = handle.selectFrom(newest.as('scan')).select(columns);
    for (const { column, values } of others) found = found.where(column, 'in', values);
    return found;
  };
  const scans = orgIds.flatMap((orgId) => (lead?.values ?? [null]).map((value) => scan(orgId, value)));
  const merged = scans.reduce((all, one) => all.unionAll(one));
  const keys: unknown = handle.selectFrom(merged.as('scans')).select(columns);
  return keys as SelectQueryBuilder<Tables, never, Pick<Selectable<Tables[Table]>, Key>>;
}
