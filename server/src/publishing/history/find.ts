// Which attempts a list or an export wants.
import { parseTimestamp } from '../../core/clock.js';
import type { Reader } from '../../db/database.js';
import { type LogBound, type LogFilter, newestScans } from '../../db/newest-scans.js';
import type { AttemptRow } from '../../db/tables.js';
import { MAX_REACHABLE } from '../../request/pagination.js';
import { OUTCOMES } from './schema.js';

/** By how few attempts a value usually has. Each has an index that goes on with the time of the start and the id. */
const FILTERS = ['error_code', 'social_account_id', 'outcome', 'trigger_kind'] as const;

export interface WantedAttempts {
  orgId: string;
  /** Of the start. */
  bounds: LogBound<number>[];
  filters: LogFilter<(typeof FILTERS)[number]>[];
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
  const filters = FILTERS.flatMap((column): WantedAttempts['filters'] => {
    const value = values[column];
    if (value === undefined) return [];
    if (column !== 'outcome') return [{ column, values: [value] }];
    const outcomes = OUTCOMES.filter((outcome) => value.split(',').includes(outcome));
    return outcomes.length === OUTCOMES.length ? [] : [{ column, values: outcomes }];
  });
  return { orgId, bounds: [...boundOf('>=', input.from), ...boundOf('<=', input.to)], filters };
}

function boundOf(side: LogBound[0], text: string | undefined): LogBound<number>[] {
  const at = text === undefined ? null : parseTimestamp(text);
  return at === null ? [] : [[side, at]];
}

/** Where a walk along the log, newest first, has come to. */
export type LogCursor = Pick<AttemptRow, 'started_at' | 'id'>;

/** The ids and times of wanted attempts, among the `limit` newest of each scan. */
export const attemptsIn = (read: Reader, { orgId, bounds, filters }: WantedAttempts, limit: number) =>
  newestScans(
    read,
    {
      table: 'dispatches',
      key: ['started_at', 'id'],
      orgIds: [orgId],
      bounds,
      filters,
      maxChecked: MAX_REACHABLE,
    },
    limit,
  );
