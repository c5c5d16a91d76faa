// What continues when an account is connected again.
import type { AccountRef } from '../../accounts/stored-tokens.js';
import type { Tx } from '../../db/database.js';
import { changeWaits } from '../../posts/unrecorded.js';

/** Runs in the transaction that connects the account: posts and polls that waited for it continue at once. */
export async function resumePostsOfAccount(tx: Tx, { org_id, id }: AccountRef, now: number): Promise<void> {
  await changeWaits(tx, { wait_until: null, last_publish_error: null }, (posts) =>
    posts
      .where('org_id', '=', org_id)
      .where('social_account_id', '=', id)
      .where('status', '=', 'scheduled')
      .where('wait_until', 'is not', null)
      // Others wait for a file, or for the end of a block, and a new consent changes neither.
      .where((eb) => eb.or([eb('wait_reason', 'is', null), eb('wait_reason', '=', 'account')])),
  );
  await tx
    .updateTable('dispatches')
    .set({ next_at: now })
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where('outcome', 'in', ['started', 'accepted', 'unknown'])
    .where('lease_until', 'is', null)
    .where('next_at', '>', now)
    .execute();
}
