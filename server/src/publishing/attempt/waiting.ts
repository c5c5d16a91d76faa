// Due posts that have to wait: for their account's pace, until the account is reconnected, or for a file.
import { sql } from 'kysely';
import type { AccountRef } from '../../accounts/stored-tokens.js';
import type { Tx } from '../../db/database.js';
import type { PostRow } from '../../db/tables.js';
import { WAITS_FOR_FILE } from '../../posts/readiness/findings.js';
import { changeWaits, type PostUpdates } from '../../posts/unrecorded.js';
import { changePost } from '../../posts/write.js';
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

/**
 * Until a file arrives that Airdate was asked to fetch. The transaction that settles or removes the file ends the waiting
 * (assets/missing.ts); a slot that is too old by then is missed. The post must be locked: a file that settles meanwhile then finds
 * it waiting.
 */
export async function waitForFiles(
  app: TxApp,
  tx: Tx,
  post: PostRow,
  slot: number,
  now: number,
): Promise<void> {
  const wait_until = slot + app.config.publishing.maxLatenessMs + 1;
  await changePost(app, tx, post, { wait_until, last_publish_error: WAITS_FOR_FILE, wait_reason: 'file' });
  const told = { status: 'scheduled', last_publish_error: WAITS_FOR_FILE } as const;
  await recordFailureWithoutAttempt(tx, post, now, 'uploads_pending', told);
}
