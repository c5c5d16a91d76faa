// Scheduled posts that wait because the platform has blocked their account or the app.
import { sql } from 'kysely';
import type { Block } from '../../accounts/blocks.js';
import type { AccountRef } from '../../accounts/stored-tokens.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { changeWaits } from '../../posts/unrecorded.js';
import type { App, TxApp } from '../../request/app.js';
import { recordFailureWithoutAttempt } from './events.js';
import { dueAt } from './waiting.js';

export const waitsBecause = (reason: string): string =>
  `The post waits until the platform accepts more. ${reason}`;

/** How long a post waits for the one before it, unless that ends sooner. */
export const QUEUE_WAIT_MS = 30_000;

/** Posts that one statement moves: an account may have more due than a statement can name. The next claim moves the rest. */
const MAX_MOVED = 500;

const dueOf = (tx: Tx, { org_id, id }: AccountRef, now: number) =>
  tx
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
    .skipLocked();

/** The due posts of the account wait until the block is over; their slots are missed if that is too late for them. */
export async function waitForBlock(
  app: TxApp,
  tx: Tx,
  account: AccountRef,
  now: number,
  { until, reason }: Block,
): Promise<void> {
  const { maxLatenessMs } = app.config.publishing;
  const last = sql<number>`scheduled_at + ${maxLatenessMs + 1}`;
  const wait_until = sql<number>`case when ${last} < ${until} then ${last} else ${until} end`;
  const last_publish_error = waitsBecause(reason);
  const due = (await dueOf(tx, account, now).execute()).map(({ id }) => id);
  if (due.length === 0) return;
  const wait = { wait_until, last_publish_error, wait_reason: 'block', updated_at: now } as const;
  const told = await changeWaits(tx, wait, (posts) =>
    posts
      .where('org_id', '=', account.org_id)
      .where('id', 'in', due)
      .where(sql<boolean>`last_publish_error is distinct from ${last_publish_error}`)
      .where(sql<boolean>`scheduled_at + ${maxLatenessMs} >= ${now}`),
  );
  // Those that have said so before, and those whose slot is missed, which the next claim tells.
  await changeWaits(tx, { wait_until }, (posts) =>
    posts.where('org_id', '=', account.org_id).where('id', 'in', due).where(dueAt, '<=', now),
  );
  for (const post of told) {
    const isInTime = until <= (post.scheduled_at ?? 0) + maxLatenessMs;
    const after = { status: 'scheduled', last_publish_error } as const;
    await recordFailureWithoutAttempt(tx, post, now, 'account_blocked', after, isInTime ? until : null);
  }
}

/** Another post of the account, or the probe of the platform, is on its way. */
export async function waitInQueue(tx: Tx, account: AccountRef, now: number): Promise<void> {
  const due = (await dueOf(tx, account, now).execute()).map(({ id }) => id);
  if (due.length === 0) return;
  await changeWaits(tx, { wait_until: now + QUEUE_WAIT_MS }, (posts) =>
    posts.where('org_id', '=', account.org_id).where('id', 'in', due),
  );
}

/** Not one that a claim has locked: that claim waits for the account, and would be waited for. */
export async function wake(tx: Tx, orgId: string, postId: string): Promise<void> {
  const asleep = await tx
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', postId)
    .where('status', '=', 'scheduled')
    .where('wait_until', 'is not', null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!asleep) return;
  await changeWaits(tx, { wait_until: null }, (posts) => posts.where(isRow({ org_id: orgId, id: postId })));
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

/** The attempt before it has ended. */
export async function wakeNext(tx: Tx, account: AccountRef, now: number): Promise<void> {
  const next = await waitingOf(tx, account)
    .where('wait_until', '<=', now + QUEUE_WAIT_MS)
    .orderBy('scheduled_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (next) await wake(tx, account.org_id, next.id);
}

/** They are due now: one of them goes first, and the others find that it does. */
export async function wakeAll(tx: Tx, account: AccountRef): Promise<void> {
  for (;;) {
    const waiting = await waitingOf(tx, account).limit(MAX_MOVED).forUpdate().skipLocked().execute();
    const ids = waiting.map(({ id }) => id);
    if (ids.length === 0) return;
    await changeWaits(tx, { wait_until: null }, (posts) =>
      posts.where('org_id', '=', account.org_id).where('id', 'in', ids),
    );
  }
}

/** The first post that waits for the platform, of whichever organization: it tries for all. */
export async function wakeFirst(tx: Tx, platform: string): Promise<void> {
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
  if (first) await wake(tx, first.org_id, first.id);
}

/** Posts of all organizations whose block is gone. Returns how many there were. */
export async function releaseUnblocked(app: App): Promise<number> {
  return app.db.transact(async (tx) => {
    const released = await changeWaits(tx, { wait_until: null }, (posts) =>
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
    return released.length;
  });
}
