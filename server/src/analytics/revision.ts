// A number per organization that rises when old rows change, so that counts of past days can be cached (see
// analytics/days.ts). Changes to recent rows, which are nearly all, cost nothing.

import { sql } from 'kysely';
import { HOUR_MS } from '../core/durations.js';
import { prepareRead, prepareWrite } from '../db/prepared-statements.js';
import type { PostRow } from '../db/tables.js';

/** Days are cached only once they are twice as old as this. */
export const OLD_MS = HOUR_MS;

/** Called after all counters and before events, so that transactions cannot deadlock. */
export const raiseRevision = prepareWrite((tx, org_id: string) =>
  tx
    .insertInto('revisions')
    .values({ org_id, n: sql.lit(1) })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((eb) => ({ n: eb('revisions.n', '+', sql.lit(1)) })),
    ),
);

export const findRevision = prepareRead((read, orgId: string) =>
  read.selectFrom('revisions').select('n').where('org_id', '=', orgId),
);

/** Whether a time that days are counted by changes, and any of them is old. */
export function changesOldDays(
  now: number,
  startedAt: number,
  before: Pick<PostRow, 'posted_at'>,
  after: { posted_at?: number | null | undefined },
): boolean {
  const isMoved = after.posted_at !== undefined && after.posted_at !== before.posted_at;
  const times = isMoved ? [startedAt, before.posted_at, after.posted_at] : [startedAt];
  return times.some((ms) => ms != null && now - ms > OLD_MS);
}
