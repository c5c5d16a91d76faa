// A number per organization that rises when something old is changed, so that what was counted of days that are over can
// be remembered (see analytics/days.ts). What people and the engine do to what is new, which is nearly all, costs nothing.

import { sql } from 'kysely';
import { writeOnce } from '../db/compiled-once.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';

/** Nothing is remembered before it is twice as old as this. */
export const OLD_MS = 3_600_000;

/** After all counters and before events, like everywhere, so that nobody waits in a circle. */
export async function raiseRevision(tx: Tx, orgId: string): Promise<void> {
  await raise(tx, orgId);
}

const raise = writeOnce((tx, org_id: string) =>
  tx
    .insertInto('revisions')
    .values({ org_id, n: sql.lit(1) })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((eb) => ({ n: eb('revisions.n', '+', sql.lit(1)) })),
    ),
);

/** Whether moments that the days are counted by have changed, and any of them is old. */
export function changesOldDays(
  now: number,
  startedAt: number,
  before: Pick<PostRow, 'posted_at'>,
  after: { posted_at?: number | null | undefined },
): boolean {
  const isOld = (ms: number | null | undefined) => ms != null && now - ms > OLD_MS;
  const isMoved = after.posted_at !== undefined && after.posted_at !== before.posted_at;
  return isOld(startedAt) || (isMoved && (isOld(before.posted_at) || isOld(after.posted_at)));
}
