// A platform that has blocked an account, or the whole app: nothing is sent before the block is over. Then one post goes first,
// the probe, and only when the platform has accepted it do the others follow, in their order (docs/internals/publishing.md).
//
// Whether a probe is under way is read from its attempt. So two workers cannot both send one, and a probe whose process died
// ends like every interrupted attempt.
import { sql } from 'kysely';
import { type Block, type BlockColumns, blockOf, isRunning, runningBlock } from '../../../accounts/blocks.js';
import type { TxApp } from '../../../app/app.js';
import type { Reason } from '../../../core/reasons.js';
import type { Tx } from '../../../db/database.js';
import { isRow } from '../../../db/is-row.js';
import type { AccountRef, AttemptRow, PostRow, SocialAccountRow } from '../../../db/tables.js';
import { dueAt, postponeDuePosts, suspendDuePosts } from '../waiting.js';
import { QUEUE_WAIT_MS, resumePost, waitsBecause } from './waiting-posts.js';

/** A locked account. */
type BlockableAccount = AccountRef & Pick<SocialAccountRow, 'platform'> & BlockColumns;

export type Gate =
  | { kind: 'open' }
  /** Open for this one attempt: `recordProbe` must name it. */
  | { kind: 'probe' }
  /** `isRunning`: the block is not over yet. Otherwise another post is on its way. */
  | { kind: 'shut'; block: Block; isRunning: boolean };

const OPEN: Gate = { kind: 'open' };

/** Whether a post of the account may be sent now. `isQueued`: it has waited, so it goes out after those before it. */
export async function findGate(
  tx: Tx,
  account: BlockableAccount,
  now: number,
  isQueued = false,
): Promise<Gate> {
  const running = runningBlock(account, now);
  if (running) return { kind: 'shut', block: running, isRunning: true };
  if (account.blocked_until !== null || isQueued) {
    // An attempt that is being sent; it may be the probe.
    const open = await tx
      .selectFrom('dispatches')
      .select('id')
      .where('org_id', '=', account.org_id)
      .where('outcome', '=', 'started')
      .where('social_account_id', '=', account.id)
      .limit(1)
      .executeTakeFirst();
    if (open) return shutForQueue(now, blockOf(account));
  }
  return account.platform_blocked_until === null ? OPEN : platformGate(tx, account, now);
}

const shutForQueue = (now: number, block: Reason | null): Gate => ({
  kind: 'shut',
  block: { reason: block?.reason ?? '', code: block?.code ?? '', until: now + QUEUE_WAIT_MS },
  isRunning: false,
});

/** The platform's row is locked, after the account: one probe for all organizations. */
async function platformGate(tx: Tx, { platform }: BlockableAccount, now: number): Promise<Gate> {
  const row = await tx
    .selectFrom('platform_blocks')
    .selectAll()
    .where('platform', '=', platform)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return OPEN;
  const { probe_org_id, probe_id } = row;
  const block = { until: row.blocked_until, reason: row.reason, code: row.reason_code };
  if (isRunning(block, now)) return { kind: 'shut', block, isRunning: true };
  const isTaken = probe_org_id !== null && probe_id !== null && (await isOpen(tx, probe_org_id, probe_id));
  return isTaken ? shutForQueue(now, block) : { kind: 'probe' };
}

/** The attempt, or the one that has replaced it after a crash. */
async function isOpen(tx: Tx, orgId: string, id: string): Promise<boolean> {
  const attempt = await tx
    .selectFrom('dispatches')
    .select(['outcome', 'continued_by'])
    .where(isRow({ org_id: orgId, id }))
    .executeTakeFirst();
  if (attempt?.continued_by) return isOpen(tx, orgId, attempt.continued_by);
  return attempt?.outcome === 'started';
}

/** Call after `findGate` has answered `probe`, in the same transaction. */
export async function recordProbe(
  tx: Tx,
  { platform, org_id, id }: Pick<AttemptRow, 'platform' | 'org_id' | 'id'>,
): Promise<void> {
  await tx
    .updateTable('platform_blocks')
    .set({ probe_org_id: org_id, probe_id: id })
    .where('platform', '=', platform)
    .execute();
}

/**
 * The gate for a due post. If it is shut, all due posts of the account are moved together: otherwise each would be read again
 * and again, ahead of the posts of other accounts.
 */
export async function gateForDue(
  app: TxApp,
  tx: Tx,
  account: BlockableAccount,
  post: PostRow,
  now: number,
): Promise<Gate> {
  const hasWaited = post.wait_reason === 'block';
  const gate = await findGate(tx, account, now, hasWaited);
  if (gate.kind === 'shut') {
    const { until } = gate.block;
    if (gate.isRunning)
      await suspendDuePosts(app, tx, account, now, {
        wait_reason: 'block',
        error: waitsBecause(gate.block),
        eventCode: 'account_blocked',
        until,
      });
    else await postponeDuePosts(tx, account, now, until);
    return gate;
  }
  if (!hasWaited && account.blocked_until === null) return gate;
  const first = await findFirstDue(app, tx, account, now);
  if (first === undefined || first === post.id) return gate;
  await postponeDuePosts(tx, account, now, now + QUEUE_WAIT_MS);
  await resumePost(tx, account.org_id, first);
  return shutForQueue(now, blockOf(account));
}

/** The first of the account's posts whose slot has come. Posts that wait for something else are passed over. */
async function findFirstDue(
  { config }: TxApp,
  tx: Tx,
  { org_id, id }: AccountRef,
  now: number,
): Promise<string | undefined> {
  const first = await tx
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where(sql<boolean>`status = 'scheduled'`)
    .where('scheduled_at', '<=', now)
    .where('scheduled_at', '>=', now - config.publishing.maxLatenessMs)
    .where(dueAt, '<=', now + QUEUE_WAIT_MS)
    .orderBy('scheduled_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.id;
}
