// Opens an attempt: one commit makes the post `publishing` and writes the attempt with its first lease. Nothing is sent
// before that commit is on disk. If two workers try, one finds nothing to claim.

import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { lockAccount, reconnectReason } from '../../accounts/accounts.js';
import { countDispatches } from '../../analytics/dispatch-counters.js';
import type { TxApp } from '../../app/app.js';
import { findAssets } from '../../assets/assets.js';
import { type Actor, bySystem, recordAudit } from '../../audit/record.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { prepareColumnWrite, prepareRead } from '../../db/prepared-statements.js';
import { type AttemptRow, POST_COLUMNS, type PostRow } from '../../db/tables.js';
import { errorColumns, type PostChanges } from '../../posts/rows.js';
import { TRANSITIONS } from '../../posts/state.js';
import { updatePostsByEngine } from '../../posts/write.js';
import { gateForDue, recordProbe } from './blocks/gate.js';
import { recordFailureWithoutAttempt } from './events.js';
import { missedSlot } from './lateness.js';
import { attemptLease } from './lease.js';
import { findNextAllowedTime } from './pacing.js';
import { reportMissed } from './report.js';
import { awaitedFiles, type Contents, type Snapshot, snapshotOf } from './snapshot.js';
import { dueAt, postponeDuePosts, suspendDuePosts, suspendForFiles } from './waiting.js';

export type Claimed =
  | { kind: 'claimed'; attempt: AttemptRow }
  /** Another worker was faster, the slot was moved, or nothing may be sent at the moment. */
  | { kind: 'none' }
  | { kind: 'missed' }
  /** The post waits: for its account, which has reached its pace, must be reconnected or is blocked, or for a file. */
  | { kind: 'paced' }
  | { kind: 'waiting' };

/** Claims a scheduled post whose time has come. */
export async function claimDue(
  app: TxApp,
  tx: Tx,
  { org_id, id }: Pick<PostRow, 'org_id' | 'id'>,
): Promise<Claimed> {
  if (await app.safety.refusal(tx)) return { kind: 'none' }; // mutant: claim-in-safe-mode
  const now = app.clock.now();
  const [post] = await lockDuePost(tx, org_id, id, now);
  if (!post || post.scheduled_at === null || post.social_account_id === null) return { kind: 'none' };
  if (post.scheduled_at + app.config.publishing.maxLatenessMs < now) {
    await miss(app, tx, post, post.scheduled_at);
    return { kind: 'missed' };
  }
  const ref = { org_id, id: post.social_account_id };
  const [account] = await lockAccount(tx, org_id, ref.id);
  if (account?.status !== 'connected') {
    const { reason, code } = reconnectReason(account);
    await suspendDuePosts(app, tx, ref, now, {
      wait_reason: 'account',
      error: { code, reason: `The post waits for its account. ${reason}` },
      eventCode: 'reconnect_required',
      until: null,
    });
    return { kind: 'waiting' };
  }
  const gate = await gateForDue(app, tx, account, post, now);
  if (gate.kind === 'shut') return { kind: 'waiting' };
  const until = await findNextAllowedTime(app, tx, account, now);
  if (until > now) {
    await postponeDuePosts(tx, ref, now, until);
    return { kind: 'paced' };
  }
  const assets = await findAssets(tx, org_id, id);
  // mutant: claim-awaits-files
  if (awaitedFiles(assets)) {
    await suspendForFiles(app, tx, post, post.scheduled_at, now);
    return { kind: 'waiting' };
  }
  const snapshot = snapshotOf(post, post, assets);
  const attempt = await openAttempt(app, tx, bySystem(org_id), post, snapshot, {
    social_account_id: post.social_account_id,
    platform: account.platform,
    trigger_kind: post.publish_retries > 0 ? 'retry' : 'schedule',
    scheduled_for: post.scheduled_at,
  });
  if (gate.kind === 'probe') await recordProbe(tx, attempt);
  return { kind: 'claimed', attempt };
}

const lockDuePost = prepareRead((tx: Tx, orgId: string, id: string, now: number) =>
  tx
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where(isRow({ org_id: orgId, id }))
    .where(
      'status',
      'in',
      TRANSITIONS.due.from.map((status) => sql.lit(status)), // mutant: claim-status
    )
    .where(dueAt, '<=', now)
    .forUpdate()
    .skipLocked(),
);

/** A post that is too late is not sent: it returns to draft with the reason. */
async function miss(app: TxApp, tx: Tx, post: PostRow, slot: number): Promise<void> {
  const missed = missedSlot(post);
  const changes: PostChanges = {
    status: TRANSITIONS.miss.to,
    scheduled_at: null,
    last_slot: slot,
    wait_until: null,
    ...errorColumns(missed),
  };
  await updatePostsByEngine(app, tx, [{ post, changes }]);
  await recordFailureWithoutAttempt(tx, post, app.clock.now(), missed, TRANSITIONS.miss.to);
  reportMissed(app, tx, post, slot);
}

type Opening = Pick<AttemptRow, 'social_account_id' | 'platform' | 'trigger_kind' | 'scheduled_for'>;

/** Writes the write-ahead row and makes the post `publishing`. The post must be locked. */
export async function openAttempt(
  app: TxApp,
  tx: Tx,
  actor: Actor,
  post: PostRow,
  contents: Contents,
  opening: Opening,
  postChanges: PostChanges = {},
): Promise<AttemptRow> {
  const now = app.clock.now();
  const [counted] = await findLastNumber(tx, post.org_id, post.id);
  const leaseEnd = now + attemptLease.ms(app);
  const { draft } = contents;
  const snapshot: Snapshot = { ...contents, lost: app.connector(opening.platform).lostAnswerPolicy(draft) };
  const attempt: AttemptRow = {
    ...untouched,
    ...opening,
    org_id: post.org_id,
    id: app.newId(),
    post_id: post.id,
    attempt: (counted?.last ?? 0) + 1,
    mode: draft.mode,
    outcome: 'started',
    phase: 'sending',
    started_at: now,
    snapshot: JSON.stringify(snapshot),
    nonce: draft.type === 'slides' ? newNonce() : null,
    lease_until: leaseEnd,
    next_at: leaseEnd,
  };
  // The post first: the trigger on attempts then finds its last outcome right, and writes nothing.
  const begun = { status: TRANSITIONS.publish.to, last_outcome: attempt.outcome, wait_until: null };
  await updatePostsByEngine(app, tx, [{ post, changes: { ...postChanges, ...begun } }]);
  await insertAttempt(tx, attempt);
  await countDispatches(tx, post.org_id, [{ after: 'started' }]);
  await recordAudit(app, tx, actor, {
    action: 'post.publish_started',
    target: { id: post.id, name: post.title },
    details: {
      dispatch_id: attempt.id,
      trigger: attempt.trigger_kind,
      social_account_id: attempt.social_account_id,
    },
  });
  return attempt;
}

/** The secret in the slide URLs of an attempt. */
export const newNonce = (): string => randomBytes(24).toString('base64url');

/** Columns that are still empty when an attempt begins. */
const untouched = {
  publish_id: null,
  social_status: null,
  post_url: null,
  platform_post_id: null,
  failure: null,
  error_code: null,
  error_message: null,
  retry_after_ms: null,
  accepted_at: null,
  finished_at: null,
  checked_at: null,
  continued_by: null,
  fetched_at: null,
  revoked_at: null,
  upload: null,
  sent_at: null,
  submission_ref: null,
  fence: 1,
  checks: 0,
} as const satisfies Partial<AttemptRow>;

const insertAttempt = prepareColumnWrite((tx, row: AttemptRow) => tx.insertInto('dispatches').values(row));

const findLastNumber = prepareRead((read, orgId: string, postId: string) =>
  read
    .selectFrom('dispatches')
    .select((eb) => eb.fn.max('attempt').as('last'))
    .where('org_id', '=', orgId)
    .where('post_id', '=', postId),
);
