// Records that a caller booked, moved or gave up slots. What the engine does with them has events of its own.
import { platformOf } from '../accounts/accounts.js';
import type { TxApp } from '../api/app.js';
import type { ActingCaller } from '../api/caller.js';
import { type Act, byCaller, recordAudits } from '../audit/record.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import { type NewEvent, recordEvents } from '../events/record.js';
import { toTimestamp } from '../ground/clock.js';

interface Change {
  before: PostRow;
  after: PostRow;
}

/** Call it last in a transaction. */
export async function tellOfSlots(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  changes: readonly Change[],
  /** Recorded before those of the slots. */
  earlier: readonly NewEvent[] = [],
): Promise<void> {
  await recordAudits(app, tx, byCaller(caller), changes.flatMap(actOf));
  const events = [...earlier];
  for (const { org_id, id, scheduled_at, social_account_id } of changes.flatMap(newSlotOf)) {
    const platform = await platformOf(tx, org_id, social_account_id);
    const slot = { post_id: id, social_account_id, platform, scheduled_at: toTimestamp(scheduled_at) };
    events.push({ type: 'post.scheduled', data: slot });
  }
  await recordEvents(tx, caller.orgId, app.clock.now(), events);
}

function actOf(change: Change): Act[] {
  const { before, after } = change;
  const target = { id: after.id, name: after.title };
  const from = before.scheduled_at === null ? {} : { from: toTimestamp(before.scheduled_at) };
  if (before.status === 'scheduled' && after.status === 'draft')
    return [{ action: 'post.unscheduled', target, details: from }];
  return newSlotOf(change).map(({ scheduled_at, social_account_id }) => ({
    action: 'post.scheduled',
    target,
    details: {
      ...(before.status === 'scheduled' ? from : {}),
      scheduled_at: toTimestamp(scheduled_at),
      social_account_id,
    },
  }));
}

/** The post with its slot, if that is new. */
function newSlotOf({ before, after }: Change) {
  const { org_id, id, status, scheduled_at, social_account_id } = after;
  if (status !== 'scheduled' || scheduled_at === null || social_account_id === null) return [];
  if (before.status === status && before.scheduled_at === scheduled_at) return [];
  return [{ org_id, id, scheduled_at, social_account_id }];
}
