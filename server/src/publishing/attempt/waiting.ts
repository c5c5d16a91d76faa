// Due posts that have to wait: for their account's pace, or until the account is reconnected.
import { sql } from 'kysely';
import type { AccountRef } from '../../accounts/stored-tokens.js';
import type { Tx } from '../../db/database.js';
import { changeWaits, type PostUpdates } from '../../posts/unrecorded.js';
import type { TxApp } from '../../request/app.js';
import { recordFailureWithoutAttempt } from './events.js';

/** When a scheduled post is due: at its slot, or later if it has to wait. */
export const dueAt = sql<number>`coalesce(wait_until, scheduled_at)`;

// The next two change all due posts of the account: otherwise each would be read again and again, ahead of the posts of
// other accounts. They run in the claim's transaction, which has locked the account: a reconnect comes before or after it.

const dueOf = (posts: PostUpdates, { org_id, id }: AccountRef, now: number) =>
  posts
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where('status', '=', 'scheduled')
    .where(dueAt, '<=', now);

/** They wait until the account's pace allows more. */
export async function delayForPacing(tx: Tx, account: AccountRef, now: number, until: number): Promise<void> {
  await changeWaits(tx, { wait_until: until }, (posts) => dueOf(posts, account, now));
}

/** They wait for their account and say so; their slots are missed if it is not reconnected in time. */
export async function waitForReconnect(
  app: TxApp,
  tx: Tx,
  account: AccountRef,
  now: number,
  reason: string,
): Promise<void> {
  const { maxLatenessMs } = app.config.publishing;
  const last_publish_error = `The post waits for its account. ${reason}`;
  const wait_until = sql<number>`scheduled_at + ${maxLatenessMs + 1}`;
  const told = { wait_until, last_publish_error, wait_reason: 'account', updated_at: now } as const;
  const leased = await changeWaits(tx, told, (posts) =>
    dueOf(posts, account, now).where(sql<boolean>`scheduled_at + ${maxLatenessMs} >= ${now}`),
  );
  const after = { status: 'scheduled', last_publish_error } as const;
  for (const post of leased) await recordFailureWithoutAttempt(tx, post, now, 'reconnect_required', after);
}
