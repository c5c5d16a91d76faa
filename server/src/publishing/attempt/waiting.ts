// Due posts that have to wait: for their account's pace, or until the account is reconnected.
import { sql } from 'kysely';
import type { AccountRef } from '../../accounts/tokens.js';
import type { TxApp } from '../../api/app.js';
import { noteChange } from '../../db/changes.js';
import type { Tx } from '../../db/database.js';
import { tellWithoutAttempt } from './events.js';

/** When a scheduled post is due: at its slot, or later if it has to wait. */
export const dueAt = sql<number>`coalesce(wait_until, scheduled_at)`;

// The next two change all due posts of the account: otherwise each would be read again and again, ahead of the posts of
// other accounts. They run in the claim's transaction, which has locked the account: a reconnect comes before or after it.

/** They wait until the account's pace allows more. */
export async function delayForPacing(
  tx: Tx,
  { org_id, id }: AccountRef,
  now: number,
  until: number,
): Promise<void> {
  await tx
    .updateTable('posts')
    .set({ wait_until: until })
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where('status', '=', 'scheduled')
    .where(dueAt, '<=', now)
    .execute();
}

/** They wait for their account and say so; their slots are missed if it is not reconnected in time. */
export async function waitForReconnect(
  app: TxApp,
  tx: Tx,
  { org_id, id }: AccountRef,
  now: number,
  reason: string,
): Promise<void> {
  const { maxLatenessMs } = app.config.publishing;
  const last_publish_error = `The post waits for its account. ${reason}`;
  const held = await tx
    .updateTable('posts')
    .set({
      wait_until: sql<number>`scheduled_at + ${maxLatenessMs + 1}`,
      last_publish_error,
      updated_at: now,
    })
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where('status', '=', 'scheduled')
    .where(dueAt, '<=', now)
    .where(sql<boolean>`scheduled_at + ${maxLatenessMs} >= ${now}`)
    .returning(['org_id', 'id', 'social_account_id'])
    .execute();
  noteChange(tx, org_id, { posts: held.map((post) => post.id) });
  const told = { status: 'scheduled', last_publish_error } as const;
  for (const post of held) await tellWithoutAttempt(tx, post, now, 'reconnect_required', told);
}
