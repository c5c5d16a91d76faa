// Due posts that have to wait: for their account's pace, until the account is reconnected, or for a file. `postpone…` moves them silently,
// `suspend…` writes the reason into the post and an event, `resume…` ends a wait.
import { sql } from 'kysely';
import type { TxApp } from '../../app/app.js';
import type { Reason } from '../../core/reasons.js';
import type { Tx } from '../../db/database.js';
import type { AccountRef, PostRow } from '../../db/tables.js';
import { WAITS_FOR_FILE } from '../../posts/readiness/findings.js';
import { errorColumns } from '../../posts/rows.js';
import { updateWaits } from '../../posts/unrecorded.js';
import { updatePostsByEngine } from '../../posts/write.js';
import { recordFailureWithoutAttempt } from './events.js';
import { OPEN_OUTCOMES } from './open-outcomes.js';

/** When a scheduled post is due: at its slot, or later if it has to wait. */
export const dueAt = sql<number>`coalesce(wait_until, scheduled_at)`;

/** Posts that one statement moves: an account may have more due than a statement can name. The next claim moves the rest. */
const MAX_MOVED = 500;

/**
 * All due posts of the account are moved together: otherwise each would be read again and again, ahead of the posts of other
 * accounts. Runs in the claim's transaction, which has locked the account: a reconnect comes before or after it.
 */
async function lockDue(tx: Tx, { org_id, id }: AccountRef, now: number): Promise<string[]> {
  const due = await tx
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where('status', '=', 'scheduled')
    .where(dueAt, '<=', now)
    .orderBy(dueAt)
    .limit(MAX_MOVED)
    .forUpdate()
    // Another claim has them: it waits for the account, and then does the same.
    .skipLocked()
    .execute();
  return due.map(({ id }) => id);
}

/** The account's due posts wait until its pace allows more, or until the post before them is through. */
export async function postponeDuePosts(
  tx: Tx,
  account: AccountRef,
  now: number,
  wait_until: number,
): Promise<void> {
  const due = await lockDue(tx, account, now);
  if (due.length === 0) return;
  await updateWaits(tx, { wait_until }, (posts) =>
    posts.where('org_id', '=', account.org_id).where('id', 'in', due),
  );
}

export interface Wait {
  wait_reason: 'account' | 'block';
  error: Reason;
  /** The event names the kind of the wait; the error may end with a code of the platform. */
  eventCode: string;
  /** When it ends, if that is known. */
  until: number | null;
}

/** The account's due posts wait, and say why. A post for which that is too late misses its slot. */
export async function suspendDuePosts(
  app: TxApp,
  tx: Tx,
  account: AccountRef,
  now: number,
  { wait_reason, error, eventCode, until }: Wait,
): Promise<void> {
  const { maxLatenessMs } = app.config.publishing;
  const due = await lockDue(tx, account, now);
  if (due.length === 0) return;
  const last = sql<number>`scheduled_at + ${maxLatenessMs + 1}`;
  const wait_until =
    until === null ? last : sql<number>`case when ${last} < ${until} then ${last} else ${until} end`;
  const waits = { ...errorColumns(error), wait_reason, wait_until, updated_at: now };
  const waiting = await updateWaits(tx, waits, (posts) =>
    posts
      .where('org_id', '=', account.org_id)
      .where('id', 'in', due)
      .where(sql<boolean>`last_publish_error is distinct from ${error.reason}`)
      .where(sql<boolean>`scheduled_at + ${maxLatenessMs} >= ${now}`),
  );
  // The rest: posts that say so already, and posts whose slot is missed, which the next claim records.
  await updateWaits(tx, { wait_until }, (posts) =>
    posts.where('org_id', '=', account.org_id).where('id', 'in', due).where(dueAt, '<=', now),
  );
  for (const post of waiting) {
    const isInTime = until !== null && until <= (post.scheduled_at ?? 0) + maxLatenessMs;
    const failure = { code: eventCode, reason: error.reason };
    await recordFailureWithoutAttempt(tx, post, now, failure, 'scheduled', isInTime ? until : null);
  }
}

/** Runs in the transaction that connects the account: posts and polls that waited for it continue immediately. */
export async function resumeAfterReconnect(tx: Tx, { org_id, id }: AccountRef, now: number): Promise<void> {
  await updateWaits(tx, { wait_until: null, last_publish_error: null }, (posts) =>
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
    .where('outcome', 'in', OPEN_OUTCOMES)
    .where('lease_until', 'is', null)
    .where('next_at', '>', now)
    .execute();
}

/**
 * Until a file arrives that Airdate was asked to fetch. The transaction that settles or removes the file ends the waiting
 * (assets/missing.ts); a slot that is too old by then is missed. The post must be locked: a file that settles meanwhile then finds
 * it waiting.
 */
export async function suspendForFiles(
  app: TxApp,
  tx: Tx,
  post: PostRow,
  slot: number,
  now: number,
): Promise<void> {
  const wait_until = slot + app.config.publishing.maxLatenessMs + 1;
  const changes = { wait_until, ...errorColumns(WAITS_FOR_FILE), wait_reason: 'file' } as const;
  await updatePostsByEngine(app, tx, [{ post, changes }]);
  await recordFailureWithoutAttempt(tx, post, now, WAITS_FOR_FILE, 'scheduled');
}
