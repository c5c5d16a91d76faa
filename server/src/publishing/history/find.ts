// Which attempts a list or an export wants, and how they are found.
//
// One filter leads: its index gives the attempts in order. The others are checked on the newest attempts of the leading one only,
// up to a limit, which `from` and `to` move back in time.

import { parseTimestamp } from '../../core/clock.js';
import type { Reader } from '../../db/database.js';
import type { DispatchRow } from '../../db/tables.js';
import { MAX_REACHABLE } from '../../request/pagination.js';
import { OUTCOMES } from './schema.js';

/** By how few attempts a value usually has. Each has an index that goes on with the time of the start and the id. */
const FILTERS = ['error_code', 'social_account_id', 'outcome', 'trigger_kind'] as const;

interface Filter {
  column: (typeof FILTERS)[number];
  values: readonly string[];
}

export interface WantedAttempts {
  orgId: string;
  /** Inclusive. Null: no limit. */
  from: number | null;
  to: number | null;
  lead: Filter | null;
  others: Filter[];
}

interface AttemptQuery {
  error_code?: string;
  social_account_id?: string;
  outcome?: string;
  trigger?: string;
  from?: string;
  to?: string;
}

export function wantedAttempts(orgId: string, input: AttemptQuery): WantedAttempts {
  const values = {
    error_code: input.error_code,
    social_account_id: input.social_account_id?.toLowerCase(),
    outcome: input.outcome,
    trigger_kind: input.trigger,
  };
  const given = FILTERS.flatMap((column): Filter[] => {
    const value = values[column];
    if (value === undefined) return [];
    if (column !== 'outcome') return [{ column, values: [value] }];
    const outcomes = OUTCOMES.filter((outcome) => value.split(',').includes(outcome));
    return outcomes.length === OUTCOMES.length ? [] : [{ column, values: outcomes }];
  });
  const [lead = null, ...others] = given;
  return { orgId, from: timeOf(input.from), to: timeOf(input.to), lead, others };
}

/** The schema has checked the format. */
const timeOf = (text: string | undefined) => (text === undefined ? null : parseTimestamp(text));

/** Where a walk along the log, newest first, has come to. */
export type LogCursor = Pick<DispatchRow, 'started_at' | 'id'>;

/** The ids and times of wanted attempts, among the `limit` newest of each scan. */
export function attemptsIn(read: Reader, wanted: WantedAttempts, limit: number) {
  const walked = wanted.others.length > 0 ? MAX_REACHABLE : limit;
  const values = wanted.lead?.values ?? [null];
  const scans = values.map((value) => scan(read, wanted, value, walked));
  const [first, ...more] = scans as [Scan, ...Scan[]];
  const merged = more.reduce((all, one) => all.unionAll(one), first);
  return read.selectFrom(merged.as('scans')).select(['id', 'started_at']);
}

type Scan = ReturnType<typeof scan>;

/** Along one index, and limited in itself: otherwise an engine may sort all rows of all scans. */
function scan(
  read: Reader,
  { orgId, from, to, lead, others }: WantedAttempts,
  value: string | null,
  limit: number,
) {
  let rows = read
    .selectFrom('dispatches')
    .select(['id', 'started_at', ...others.map(({ column }) => column)])
    .where('org_id', '=', orgId);
  if (lead && value !== null) rows = rows.where(lead.column, '=', value);
  if (from !== null) rows = rows.where('started_at', '>=', from);
  if (to !== null) rows = rows.where('started_at', '<=', to);
  const newest = rows.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit);
  let found = read.selectFrom(newest.as('scan')).select(['id', 'started_at']);
  for (const { column, values } of others) found = found.where(column, 'in', values);
  return found;
}
