// What posts need of their publish attempts: whether one is open, or being sent.

import type { TxApp } from '../app/app.js';
import { AppError } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import type { AttemptRow, PostRow } from '../db/tables.js';

/**
 * Locks the attempts of a post that is to be deleted; fails if one is being sent right now. Returns their outcomes, for the
 * counters.
 */
export async function assertNotSending(
  app: TxApp,
  tx: Tx,
  { org_id, id }: Pick<PostRow, 'org_id' | 'id'>,
): Promise<AttemptRow['outcome'][]> {
  const rows = await tx
    .selectFrom('dispatches')
    .select(['outcome', 'phase', 'lease_until'])
    .where('org_id', '=', org_id)
    .where('post_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute();
  const now = app.clock.now();
  const isBeingSent = rows.some(
    ({ phase, lease_until }) =>
      (phase === 'sending' || phase === 'transferring') && lease_until !== null && lease_until > now,
  );
  if (isBeingSent)
    throw new AppError(
      'publish_in_progress',
      'The post is being sent to the platform right now. Delete it in a few seconds.',
      { headers: { 'retry-after': '2' } },
    );
  return rows.map(({ outcome }) => outcome);
}

/** Which of these posts have an open attempt, or one whose outcome is unknown. */
export async function postsWithOpenAttempts(tx: Tx, orgId: string, postIds: string[]): Promise<Set<string>> {
  if (postIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom('dispatches')
    .select('post_id')
    .where('org_id', '=', orgId)
    .where('post_id', 'in', postIds)
    .where('outcome', 'in', ['started', 'unknown'])
    .execute();
  return new Set(rows.map((row) => row.post_id));
}
