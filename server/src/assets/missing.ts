// Files that Airdate was asked to fetch belong to their post until they are removed or replaced. A scheduled post waits for those
// that are pending; what ends the waiting is in the transaction that settles or removes the file.

import type { TxApp } from '../app/app.js';
import { DAY_MS } from '../core/durations.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow, PostRow } from '../db/tables.js';
import { type MissingFiles, NOTHING_MISSING } from '../posts/readiness/findings.js';
import { updateWaits } from '../posts/unrecorded.js';

type KnownFile = Pick<AssetRow, 'state' | 'is_fetched' | 'filename' | 'reason'>;

export function missingOf(files: readonly KnownFile[]): MissingFiles {
  const fetched = files.filter(({ is_fetched }) => is_fetched === 1);
  const pending = fetched.filter(({ state }) => state === 'pending');
  const rejected = fetched.filter(({ state }) => state === 'rejected');
  return {
    ...NOTHING_MISSING,
    pending: pending.length,
    rejected: rejected.length,
    pendingName: pending[0]?.filename ?? '',
    rejectedName: rejected[0]?.filename ?? '',
    reason: rejected[0]?.reason ?? '',
  };
}

/** After a change of the files of a locked post: one that waited for them continues, unless it still has to wait. */
export async function resumeAfterFiles(
  app: TxApp,
  tx: Tx,
  { org_id, id, status, wait_reason }: Pick<PostRow, 'org_id' | 'id' | 'status' | 'wait_reason'>,
): Promise<void> {
  if (status !== 'scheduled' || wait_reason !== 'file') return;
  const files = await tx
    .selectFrom('assets')
    .select(['state', 'is_fetched', 'filename', 'reason'])
    .where('org_id', '=', org_id)
    .where('post_id', '=', id)
    .execute();
  const { pending, rejected } = missingOf(files);
  if (pending > 0 && rejected === 0) return;
  const ended = { wait_until: null, last_publish_error: null, updated_at: app.clock.now() };
  await updateWaits(tx, ended, (posts) =>
    posts.where(isRow({ org_id, id })).where('status', '=', 'scheduled'),
  );
}

/** A file was rejected: if the slot is less than a day ahead, a worker checks the post right away, not only an hour before. */
export async function checkSlotAgain(
  { clock }: TxApp,
  tx: Tx,
  { org_id, id }: Pick<PostRow, 'org_id' | 'id'>,
): Promise<void> {
  const now = clock.now();
  await tx
    .updateTable('booked_slots')
    .set({ check_at: now })
    .where('org_id', '=', org_id)
    .where('post_id', '=', id)
    .where('scheduled_at', '>', now)
    .where('scheduled_at', '<=', now + DAY_MS)
    .execute();
}
