// Writes the outcome of an attempt: the attempt, its post and all counters in one commit, guarded by the fence. The post's
// status is no guard, because the post may have been archived meanwhile.

import { lockAccount } from '../../accounts/accounts.js';
import { countDispatches } from '../../analytics/dispatch-counters.js';
import { changesOldDays, raiseRevision } from '../../analytics/revision.js';
import type { App, TxApp } from '../../app/app.js';
import type { Outcome } from '../../connectors/connector.js';
import { markChanged } from '../../db/changes.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { prepareRead } from '../../db/prepared-statements.js';
import { type AttemptRow, POST_COLUMNS } from '../../db/tables.js';
import { recordEvent } from '../../events/record.js';
import { updatePostsByEngine } from '../../posts/write.js';
import { applyToOthers, type PlatformChange, settleBlock } from './blocks/settle.js';
import { decide } from './decide.js';
import { eventFor } from './events.js';
import { expireTransition } from './lateness.js';
import { attemptLease, type LeasedAttempt } from './lease.js';
import { reportAttempt } from './report.js';
import { sealUpload } from './sealed.js';
import { readSnapshot } from './snapshot.js';
import { type AttemptState, isFailure, type Policy, type Transition } from './transition.js';

/**
 * The attempt as it is now; null if the post is gone, or if another worker has the fence and this is no late acceptance.
 * `too_late`: the attempt was not sent, and ends.
 */
export async function settle(
  app: App,
  leased: LeasedAttempt,
  outcome: Outcome | { kind: 'too_late' },
): Promise<AttemptRow | null> {
  const settled = await app.db.transact((tx) => settleLocked(app, tx, leased, outcome));
  if (settled === null) return null;
  await applyToOthers(app, settled.attempt, settled.platformChange);
  return settled.attempt;
}

async function settleLocked(
  app: TxApp,
  tx: Tx,
  leased: LeasedAttempt,
  outcome: Outcome | { kind: 'too_late' },
): Promise<{ attempt: AttemptRow; platformChange: PlatformChange } | null> {
  const isTooLate = outcome.kind === 'too_late';
  const locked = await lockAttempt(tx, leased, !isTooLate && !isFailure(outcome));
  if (locked === null) return null;
  if (isTooLate) {
    const expired = expireTransition(locked, policyOf(app));
    return { attempt: await applyTransition(app, tx, locked, expired), platformChange: null };
  }
  const { org_id, social_account_id, started_at } = locked.attempt;
  // Locked, so a concurrent reconnect commits before this, or finds the post waiting.
  const [account] = outcome.kind === 'reauthorize' ? await lockAccount(tx, org_id, social_account_id) : [];
  const isReconnected = account?.status === 'connected' && account.updated_at > started_at;
  const { platformChange, ...block } = await settleBlock(app, tx, locked, outcome);
  const state = { ...locked, ...block, isReconnected };
  const transition = decide(state, outcome, policyOf(app));
  return { attempt: await applyTransition(app, tx, state, transition, outcome), platformChange };
}

/**
 * The attempt and its post, locked, if the fence is still ours. Posts are locked before attempts everywhere.
 *
 * An acceptance may arrive after another worker has taken the attempt over, and could only call it unknown. It answers the
 * attempt's own submit, so it counts, unless the attempt was closed (then nothing comes of it) or a newer one has begun.
 */
export async function lockAttempt(
  tx: Tx,
  leased: LeasedAttempt,
  isAcceptance = false,
): Promise<AttemptState | null> {
  const { org_id, id, post_id } = leased;
  const [post] = await lockPostRow(tx, org_id, post_id);
  if (!post) return null;
  const own = await attemptLease.lockIfOwner(tx, leased);
  const unanswered = isAcceptance && own === null ? (await lockUnanswered(tx, org_id, id))[0] : null;
  const attempt = own ?? unanswered; // mutant: late-acceptance
  if (!attempt) return null;
  const newer = await findNewer(tx, org_id, post_id, attempt.attempt);
  const isLatest = newer.length === 0;
  if (own === null && !isLatest) return null;
  return { attempt, post, snapshot: readSnapshot(attempt.snapshot), isLatest };
}

const lockPostRow = prepareRead((tx: Tx, orgId: string, id: string) =>
  tx
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where(isRow({ org_id: orgId, id }))
    .forUpdate(),
);

/** Whichever worker owns it: without a publish id, and with slide URLs that are not revoked. */
const lockUnanswered = prepareRead((tx: Tx, orgId: string, id: string) =>
  tx
    .selectFrom('dispatches')
    .selectAll()
    .where(isRow({ org_id: orgId, id }))
    .where('publish_id', 'is', null)
    .where('revoked_at', 'is', null)
    .forUpdate(),
);

const findNewer = prepareRead((tx, orgId: string, postId: string, number: number) =>
  tx
    .selectFrom('dispatches')
    .select('id')
    .where('org_id', '=', orgId)
    .where('post_id', '=', postId)
    .where('attempt', '>', number),
);

export const policyOf = (app: Pick<App, 'clock' | 'config'>): Policy => ({
  now: app.clock.now(),
  ...app.config.publishing,
  random: Math.random(),
});

export async function applyTransition(
  app: TxApp,
  tx: Tx,
  state: AttemptState,
  transition: Transition,
  outcome?: Outcome,
): Promise<AttemptRow> {
  const { attempt, post } = state;
  const upload = outcome?.kind === 'accepted' ? outcome.upload : undefined;
  const wanted: Partial<AttemptRow> = {
    ...transition.attempt,
    ...(upload ? { upload: sealUpload(app, attempt, upload) } : {}),
    // Releasing the lease raises the fence: a heartbeat that is on its way must not renew it.
    ...attemptLease.raised(attempt),
  };
  // Without the columns that keep their value.
  const changes: Partial<AttemptRow> = Object.fromEntries(
    Object.entries(wanted).filter(([column, value]) => attempt[column as keyof AttemptRow] !== value),
  );
  // The row is locked, so this is what a read would return.
  const after: AttemptRow = { ...attempt, ...changes };
  // The post first: the trigger on attempts then finds its last outcome right, and writes nothing.
  const isLast = state.isLatest && after.outcome !== attempt.outcome;
  const postChanges = { ...transition.post, ...(isLast ? { last_outcome: after.outcome } : {}) };
  if (Object.keys(postChanges).length > 0)
    await updatePostsByEngine(app, tx, [{ post, changes: postChanges }]);
  const isWritten = await attemptLease.update(tx, attempt, changes);
  if (!isWritten) throw new Error(`dispatch ${attempt.id} was not locked`);
  await countDispatches(tx, attempt.org_id, [{ before: attempt.outcome, after: after.outcome }]);
  // A change of the post is noted where it is counted. Most polls end in "not yet", which clients need not fetch.
  const isTold = Object.keys(changes).some((column) => !UNTOLD.has(column));
  if (isTold && changesOldDays(app.clock.now(), attempt.started_at, post, transition.post))
    await raiseRevision(tx, attempt.org_id);
  if (isTold) markChanged(tx, attempt.org_id, { posts: [attempt.post_id] });
  reportAttempt(app, tx, attempt, after);
  const events = eventFor(state, after, transition.post);
  if (events) await recordEvent(tx, attempt.org_id, events.type, app.clock.now(), events.data);
  return after;
}

/** Columns of the engine. Clients can read when it polled last, but are not notified of it. */
const UNTOLD: ReadonlySet<string> = new Set<keyof AttemptRow>([
  ...(['fence', 'lease_until', 'next_at', 'phase', 'upload', 'submission_ref'] as const),
  ...(['checks', 'checked_at', 'revoked_at'] as const),
]);
