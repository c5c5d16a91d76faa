// Times at which work is next due. Each was set to the present plus an interval of ours, so a time further ahead than that
// interval was set before the clock was set back: the work would stand still until the clock gets there again.
//
// The rows tell, not the clock: a clock that never goes back would follow a host that was a year ahead by mistake, and
// publish a year's posts early.
import type { Expression, SqlBool } from 'kysely';
import { anyTable } from './any-table.js';
import type { Reader, Tx } from './database.js';
import type { Tables } from './tables.js';

/** What finds such times in a column. Each part of the service declares its own, beside the code that sets them. */
export interface ClockCheck {
  readonly table: keyof Tables;
  /** The columns that name a row, the organization first. */
  readonly key: readonly [string, string];
  readonly column: string;
  /** Which rows have a time that the present clock cannot have set. */
  isImpossible(now: number): Expression<SqlBool>;
  /** How long it must stand unchanged before it counts: the owner of a lease may be alive, and renews it or ends meanwhile. */
  readonly standsMs: number;
  /** The columns of work that is due now. */
  reset(now: number): Readonly<Record<string, number | null>>;
}

/** Clocks of several hosts, and the moment between reading a clock and writing the row, differ by less. */
export const CLOCK_SLACK_MS = 1_000;

/** What says that it was written this far ahead was written before the clock was set back. */
export const WRITTEN_AHEAD_MS = 60_000;

export interface ImpossibleTime {
  readonly org: string;
  readonly id: string;
  readonly at: number;
}

const MAX_ROWS = 1_000;

export async function findImpossibleTimes(
  read: Reader,
  check: ClockCheck,
  now: number,
): Promise<ImpossibleTime[]> {
  const [org, id] = check.key;
  const rows = await anyTable(read)
    .selectFrom(check.table)
    .select([`${org} as org`, `${id} as id`, `${check.column} as at`])
    .where(check.isImpossible(now))
    .limit(MAX_ROWS)
    .execute();
  return rows as unknown as ImpossibleTime[];
}

/** Whether it was still impossible, and is due now. */
export async function resetImpossibleTime(
  tx: Tx,
  check: ClockCheck,
  { org, id, at }: ImpossibleTime,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await anyTable(tx)
    .updateTable(check.table)
    .set(check.reset(now))
    .where(check.key[0], '=', org)
    .where(check.key[1], '=', id)
    .where(check.column, '=', at)
    .where(check.isImpossible(now))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
