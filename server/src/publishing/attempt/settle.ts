// Writes the outcome of an attempt: the attempt, its post and all counters in one commit, guarded by the fence. The post's
// status is no guard, because the post may have been archived meanwhile.

import { countDispatches } from '../../analytics/dispatch-counters.js';
import { changesOldDays, raiseRevision } from '../../analytics/revision.js';
import type { Outcome } from '../../connectors/connector.js';
import { markChanged } from '../../db/changes.js';
import type { Tx } from '../../db/database.js';
import { prepareWrite } from '../../db/prepared-statements.js';
import type { DispatchRow, PostRow } from '../../db/tables.js';
import { recordEvent } from '../../events/record.js';
import { changePost } from '../../posts/write.js';
import type { App, TxApp } from '../../request/app.js';
import { lockAccount } from './claim.js';
import { decide } from './decide.js';
import { eventFor } from './events.js';
import { expireTransition } from './lateness.js';
import { attemptLease, type LeasedAttempt, lockUnanswered } from './lease.js';
import { findAndLockPost } from './locked-post.js';
import { reportAttempt } from './report.js';
import { sealUpload } from './sealed.js';
import { applyToOthers, type PlatformChange, settleBlock } from './settle-block.js';
import { readSnapshot } from './snapshot.js';
import { type AttemptState, isSetback, type Policy, type Transition } from './transition.js';

/** The attempt as it is now; null if the post is gone, or if another worker has the fence and this is no late acceptance. */
export async function settle(app: App, leased: LeasedAttempt, outcome: Outcome): Promise<DispatchRow | null> {
  let platformChange: PlatformChange = null;
  const settled = await app.db.transact(async (tx) => {
    const state =
      (await lockAttempt(tx, leased)) ?? (isSetback(outcome) ? null : await lockLateAttempt(tx, leased)); // mutant: late-acceptance
    if (state && outcome.kind === 'reauthorize')
      state.isReconnected = await isReconnected(tx, state.dispatch);
    platformChange = state && (await settleBlock(app, tx, state, outcome));
    return state && applyTransition(app, tx, state, decide(state, outcome, policyOf(app)), outcome);
  });
  if (settled) await applyToOthers(app, settled, platformChange);
  return settled;
}

/** Ends a leased attempt that is too late to be sent; null if another worker has the fence. */
export function expire(app: App, leased: LeasedAttempt): Promise<DispatchRow | null> {
  return app.db.transact(async (tx) => {
    const state = await lockAttempt(tx, leased);
    return state && applyTransition(app, tx, state, expireTransition(state, policyOf(app)));
  });
}

/** The attempt and its post, locked, if the fence is still ours. Posts are locked before attempts everywhere. */
export async function lockAttempt(tx: Tx, leased: LeasedAttempt): Promise<AttemptState | null> {
  const post = await findAndLockPost(tx, leased.org_id, leased.post_id);
  const dispatch = post && (await attemptLease.lockIfOwner(tx, leased));
  return post && dispatch && stateWith(tx, post, dispatch);
}

/**
 * The same for an acceptance that arrives after another worker has taken the attempt over, and could only call it unknown. It
 * answers the attempt's own submit, so it counts, unless the attempt was closed (then nothing comes of it) or a newer one has
 * begun.
 */
async function lockLateAttempt(tx: Tx, leased: LeasedAttempt): Promise<AttemptState | null> {
  const post = await findAndLockPost(tx, leased.org_id, leased.post_id);
  const dispatch = post && (await lockUnanswered(tx, leased));
  const state = post && dispatch && (await stateWith(tx, post, dispatch));
  return state?.isLatest ? state : null;
}

async function stateWith(tx: Tx, post: PostRow, dispatch: DispatchRow): Promise<AttemptState> {
  const newer = await findNewer(tx, dispatch.org_id, dispatch.post_id, dispatch.attempt);
  return { dispatch, post, snapshot: readSnapshot(dispatch.snapshot), isLatest: newer.rows.length === 0 };
}

const findNewer = prepareWrite((tx, orgId: string, postId: string, attempt: number) =>
  tx
    .selectFrom('dispatches')
    .select('id')
    .where('org_id', '=', orgId)
    .where('post_id', '=', postId)
    .where('attempt', '>', attempt),
);

/** The account is locked, so a concurrent reconnect commits before this, or finds the post waiting. */
async function isReconnected(tx: Tx, dispatch: DispatchRow): Promise<boolean> {
  const account = await lockAccount(tx, { org_id: dispatch.org_id, id: dispatch.social_account_id });
  return account?.status === 'connected' && account.updated_at > dispatch.started_at;
}

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
): Promise<DispatchRow> {
  const { dispatch, post } = state;
  const upload = outcome?.kind === 'accepted' ? outcome.upload : undefined;
  const changes = onlyNew(dispatch, {
    ...transition.dispatch,
    ...(upload ? { upload: sealUpload(app, dispatch, upload) } : {}),
    // Releasing the lease raises the fence: a heartbeat that is on its way must not renew it.
    fence: dispatch.fence + 1, // mutant: fence-of-settling
  });
  // The row is locked, so this is what a read would return.
  const after: DispatchRow = { ...dispatch, ...changes };
  // The post first: the trigger on attempts then finds its last outcome right, and writes nothing.
  const isLast = state.isLatest && after.outcome !== dispatch.outcome;
  const postChanges = { ...transition.post, ...(isLast ? { last_outcome: after.outcome } : {}) };
  if (Object.keys(postChanges).length > 0) await changePost(app, tx, post, postChanges);
  const isWritten = await attemptLease.update(tx, dispatch, changes);
  if (!isWritten) throw new Error(`dispatch ${dispatch.id} was not locked`);
  await countDispatches(tx, dispatch.org_id, [{ before: dispatch.outcome, after: after.outcome }]);
  // A change of the post is noted where it is counted. Most polls end in "not yet", which clients need not fetch.
  const isTold = Object.keys(changes).some((column) => !UNTOLD.has(column));
  if (isTold && changesOldDays(app.clock.now(), dispatch.started_at, post, transition.post))
    await raiseRevision(tx, dispatch.org_id);
  if (isTold) markChanged(tx, dispatch.org_id, { posts: [dispatch.post_id] });
  reportAttempt(app, tx, dispatch, after);
  const events = eventFor(state, after, transition.post);
  if (events) await recordEvent(tx, dispatch.org_id, events.type, app.clock.now(), events.data);
  return after;
}

/** Columns of the engine. Clients can read when it polled last, but are not notified of it. */
const UNTOLD: ReadonlySet<string> = new Set<keyof DispatchRow>([
  ...(['fence', 'lease_until', 'next_at', 'phase', 'upload', 'submission_ref'] as const),
  ...(['checks', 'checked_at', 'revoked_at'] as const),
]);

/** Without the columns that keep their value. */
const onlyNew = (row: DispatchRow, changes: Partial<DispatchRow>): Partial<DispatchRow> =>
  Object.fromEntries(
    Object.entries(changes).filter(([column, value]) => row[column as keyof DispatchRow] !== value),
  );
