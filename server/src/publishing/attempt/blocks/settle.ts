// What the answer to an attempt says about its account: blocked, or accepted again. Runs in the transaction that settles it.
import { lockAccount } from '../../../accounts/accounts.js';
import { blockColumns } from '../../../accounts/blocks.js';
import type { App, TxApp } from '../../../app/app.js';
import type { Outcome, PlatformFailure } from '../../../connectors/connector.js';
import { markChanged } from '../../../db/changes.js';
import type { Tx } from '../../../db/database.js';
import { isRow } from '../../../db/is-row.js';
import { prepareRead } from '../../../db/prepared-statements.js';
import type { AccountRef, AttemptRow } from '../../../db/tables.js';
import { type AttemptState, isFailure } from '../transition.js';
import { resumeNextAfterBlock, resumeUnblocked } from './waiting-posts.js';

type Blocked = PlatformFailure & { kind: 'blocked' };

/** Capacity is freed in quick succession if posts were published like that; not every bit of it is worth a separate attempt. */
const MIN_BLOCK_MS = 900_000;

/** What must follow the commit, for the other organizations. */
export type PlatformChange = 'platform blocked' | 'platform released' | null;

interface BlockAfterAnswer {
  /** Until when the account is blocked, if the answer says that it is. */
  blockedUntil?: number;
  platformChange: PlatformChange;
}

/** Call before the attempt is settled: events must be the last writes of the transaction. */
export async function settleBlock(
  app: TxApp,
  tx: Tx,
  { attempt, post }: AttemptState,
  outcome: Outcome,
): Promise<BlockAfterAnswer> {
  const now = app.clock.now();
  const account = { org_id: attempt.org_id, id: attempt.social_account_id };
  const isFirstAnswer = attempt.outcome === 'started';
  const after: BlockAfterAnswer = { platformChange: null };
  if (outcome.kind === 'blocked' && (isFirstAnswer || attempt.outcome === 'accepted')) {
    const [locked] = await lockAccount(tx, account.org_id, account.id);
    const running = outcome.scope === 'account' ? locked?.blocked_until : locked?.platform_blocked_until;
    // Known already: attempts that were under way together say the same.
    const isKnown = running != null && running > now;
    const until = isKnown ? running : await endOfBlock(tx, attempt, outcome, now);
    after.blockedUntil = until;
    if (!isKnown) after.platformChange = await block(tx, attempt, outcome, until, now);
  } else if (isFirstAnswer && !isFailure(outcome)) after.platformChange = await lift(tx, attempt);
  if (isFirstAnswer && post.wait_reason === 'block') await resumeNextAfterBlock(tx, account, now);
  return after;
}

/** After the commit. If the process dies before, the safety net resumes the posts. */
export async function applyToOthers(
  app: App,
  { platform }: AttemptRow,
  platformChange: PlatformChange,
): Promise<void> {
  if (platformChange === null) return;
  if (platformChange === 'platform released') await resumeUnblocked(app);
  await app.db.transact(async (tx) => {
    const accounts = await tx
      .selectFrom('social_accounts')
      .select('org_id')
      .distinct()
      .where('platform', '=', platform)
      .where('status', '<>', 'disconnected')
      .execute();
    for (const { org_id } of accounts) markChanged(tx, org_id, { accounts: true });
    const block = await tx
      .selectFrom('platform_blocks')
      .select('blocked_until as until')
      .where('platform', '=', platform)
      .executeTakeFirst();
    if (block) await scheduleSlotChecks(tx, app.clock.now(), { platform, until: block.until });
  });
}

/**
 * When the platform takes the next post: as soon as the oldest of what the platform counts is out of its window. Others may publish through
 * the account as well, so this is the latest time, and at the earliest a quarter of an hour from now.
 */
async function endOfBlock(
  tx: Tx,
  { org_id, social_account_id, platform, mode }: AttemptRow,
  { scope, windowMs, isRolling }: Blocked,
  now: number,
): Promise<number> {
  if (!isRolling) return now + windowMs;
  const since = now - windowMs;
  const ofAccount = tx
    .selectFrom('dispatches')
    .select((eb) => eb.fn.min<number | null>('accepted_at').as('oldest'))
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', social_account_id)
    .where('started_at', '>', since)
    .where('mode', '=', mode)
    .where('outcome', 'in', ACCEPTED_OR_UNKNOWN);
  // The app's cap counts accounts, of all organizations: each until its last post is a day old.
  const lastOfEach = tx
    .selectFrom('social_accounts')
    .select((eb) =>
      eb
        .selectFrom('dispatches')
        .select((of) => of.fn.max<number | null>('accepted_at').as('last'))
        .whereRef('dispatches.org_id', '=', 'social_accounts.org_id')
        .whereRef('dispatches.social_account_id', '=', 'social_accounts.id')
        .where('started_at', '>', since)
        .where('mode', '=', 'direct')
        .where('outcome', 'in', ACCEPTED_OR_UNKNOWN)
        .as('last'),
    )
    .where('social_accounts.platform', '=', platform);
  const ofPlatform = tx
    .selectFrom(lastOfEach.as('accounts'))
    .select((eb) => eb.fn.min<number | null>('last').as('oldest'));
  const { oldest } =
    scope === 'account'
      ? await ofAccount.executeTakeFirstOrThrow()
      : await ofPlatform.executeTakeFirstOrThrow();
  return Math.max(now + MIN_BLOCK_MS, Math.min(oldest ?? now, now) + windowMs);
}

const ACCEPTED_OR_UNKNOWN: AttemptRow['outcome'][] = ['accepted', 'published', 'in_inbox', 'unknown'];

async function block(
  tx: Tx,
  { platform, org_id, social_account_id }: AttemptRow,
  { scope, reason, code }: Blocked,
  blocked_until: number,
  now: number,
): Promise<PlatformChange> {
  if (scope === 'platform') {
    const row = { platform, blocked_until, reason, reason_code: code, probe_org_id: null, probe_id: null };
    await tx
      .insertInto('platform_blocks')
      .values(row)
      .onConflict((conflict) => conflict.column('platform').doUpdateSet(row))
      .execute();
    return 'platform blocked';
  }
  await tx
    .updateTable('social_accounts')
    .set({ blocked_until, block_reason: reason, block_reason_code: code })
    .where(isRow({ org_id, id: social_account_id }))
    .execute();
  markChanged(tx, org_id, { accounts: true });
  const account = { org_id, id: social_account_id };
  await scheduleSlotChecks(tx, now, { platform, until: blocked_until, account });
  return null;
}

/** Accepted after the block was over: it has ended. An attempt that was under way before says nothing about it. */
async function lift(tx: Tx, attempt: AttemptRow): Promise<PlatformChange> {
  const { org_id, social_account_id, platform, started_at } = attempt;
  const [found] = await findBlocks(tx, org_id, social_account_id);
  if (found?.blocked_until != null && found.blocked_until <= started_at) {
    await tx
      .updateTable('social_accounts')
      .set({ blocked_until: null, block_reason: null, block_reason_code: null })
      .where(isRow({ org_id, id: social_account_id }))
      .where('blocked_until', '<=', started_at)
      .execute();
    markChanged(tx, org_id, { accounts: true });
  }
  if (found?.platform_blocked_until == null || found.platform_blocked_until > started_at) return null;
  await tx
    .deleteFrom('platform_blocks')
    .where('platform', '=', platform)
    .where('blocked_until', '<=', started_at)
    .execute();
  return 'platform released';
}

const findBlocks = prepareRead((read, orgId: string, id: string) =>
  read
    .selectFrom('social_accounts')
    .select(blockColumns)
    .where(isRow({ org_id: orgId, id })),
);

/** The event `post.at_risk` tells of the posts whose slot lies within the block: now, and not only an hour before the slot. */
async function scheduleSlotChecks(
  tx: Tx,
  now: number,
  { platform, until, account }: { platform: string; until: number; account?: AccountRef },
): Promise<void> {
  await tx
    .updateTable('booked_slots')
    .set({ check_at: now })
    .where('booked_slots.scheduled_at', '>', now)
    .where('booked_slots.scheduled_at', '<', until)
    .$if(account !== undefined, (of) => of.where('booked_slots.org_id', '=', account?.org_id ?? ''))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('posts')
          .innerJoin('social_accounts', (join) =>
            join
              .onRef('social_accounts.org_id', '=', 'posts.org_id')
              .onRef('social_accounts.id', '=', 'posts.social_account_id'),
          )
          .select('posts.id')
          .whereRef('posts.org_id', '=', 'booked_slots.org_id')
          .whereRef('posts.id', '=', 'booked_slots.post_id')
          .where('social_accounts.platform', '=', platform)
          .$if(account !== undefined, (of) => of.where('posts.social_account_id', '=', account?.id ?? '')),
      ),
    )
    .execute();
}
