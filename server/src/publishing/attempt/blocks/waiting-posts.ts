// Scheduled posts that wait because the platform has blocked their account or the app.

import { sql } from 'kysely';
import type { App } from '../../../app/app.js';
import type { Reason } from '../../../core/reasons.js';
import type { Tx } from '../../../db/database.js';
import { isRow } from '../../../db/is-row.js';
import type { AccountRef } from '../../../db/tables.js';
import { updateWaits } from '../../../posts/unrecorded.js';

export const waitsBecause = ({ reason, code }: Reason): Reason => ({
  code,
  reason: `The post waits until the platform accepts more. ${reason}`,
});

/** How long a post waits for the one before it, unless that ends sooner. */
export const QUEUE_WAIT_MS = 30_000;

/** Posts that one statement resumes: an account may have more than a statement can name. */
const MAX_RESUMED = 500;

/**
 * Lets a waiting post continue now. Passes over a post that a claim has locked: that claim waits for the account, which this
 * transaction has locked, so waiting for it would be a deadlock.
 */
export async function resumePost(tx: Tx, orgId: string, postId: string): Promise<void> {
  const waiting = await tx
    .selectFrom('posts')
    .select('id')
    .where(isRow({ org_id: orgId, id: postId }))
    .where('status', '=', 'scheduled')
    .where('wait_until', 'is not', null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!waiting) return;
  await updateWaits(tx, { wait_until: null }, (posts) => posts.where(isRow({ org_id: orgId, id: postId })));
}

const waitingOf = (tx: Tx, { org_id, id }: AccountRef) =>
  tx
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where(sql<boolean>`status = 'scheduled'`)
    .where('wait_until', 'is not', null)
    .where('wait_reason', '=', 'block');

/** Lets the next waiting post continue, because the attempt before it has ended. */
export async function resumeNextAfterBlock(tx: Tx, account: AccountRef, now: number): Promise<void> {
  const next = await waitingOf(tx, account)
    .where('wait_until', '<=', now + QUEUE_WAIT_MS)
    .orderBy('scheduled_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (next) await resumePost(tx, account.org_id, next.id);
}

/** Makes all waiting posts of the account due now: one of them goes first, and the others find that it does. */
export async function resumeAllAfterBlock(tx: Tx, account: AccountRef): Promise<void> {
  for (;;) {
    const waiting = await waitingOf(tx, account).limit(MAX_RESUMED).forUpdate().skipLocked().execute();
    const ids = waiting.map(({ id }) => id);
    if (ids.length === 0) return;
    await updateWaits(tx, { wait_until: null }, (posts) =>
      posts.where('org_id', '=', account.org_id).where('id', 'in', ids),
    );
  }
}

/** The first post that waits for the platform, of whichever organization: it tries for all. */
export async function resumeFirstOfPlatform(tx: Tx, platform: string): Promise<void> {
  const first = await tx
    .selectFrom('posts')
    .innerJoin('social_accounts', (join) =>
      join
        .onRef('social_accounts.org_id', '=', 'posts.org_id')
        .onRef('social_accounts.id', '=', 'posts.social_account_id'),
    )
    .select(['posts.org_id', 'posts.id'])
    .where('posts.status', '=', 'scheduled')
    .where('social_accounts.platform', '=', platform)
    .where('wait_reason', '=', 'block')
    .orderBy('posts.scheduled_at')
    .limit(1)
    .executeTakeFirst();
  if (first) await resumePost(tx, first.org_id, first.id);
}

/** Posts of all organizations whose block is gone. Returns how many there were. */
export async function resumeUnblocked(app: App): Promise<number> {
  return app.db.transact(async (tx) => {
    const resumed = await updateWaits(tx, { wait_until: null }, (posts) =>
      posts
        .where('status', '=', 'scheduled')
        .where('wait_until', '>', app.clock.now() + QUEUE_WAIT_MS)
        .where('wait_reason', '=', 'block')
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('social_accounts')
              .leftJoin('platform_blocks', 'platform_blocks.platform', 'social_accounts.platform')
              .select('social_accounts.id')
              .whereRef('social_accounts.org_id', '=', 'posts.org_id')
              .whereRef('social_accounts.id', '=', 'posts.social_account_id')
              .where('social_accounts.blocked_until', 'is', null)
              .where('platform_blocks.platform', 'is', null),
          ),
        ),
    );
    return resumed.length;
  });
}
