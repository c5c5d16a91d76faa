// The call that publishes, and what follows when its answer is lost: by the class that the connector declared for the post.
import { callAsAccount } from '../../accounts/platform-calls.js';
import type { Absent, Outcome, PlatformFailure, Ready } from '../../connectors/connector.js';
import type { DispatchRow } from '../../db/tables.js';
import type { App } from '../../request/app.js';
import type { SendRefusal } from '../../restore-safety/safety.js';
import { newNonce } from './claim.js';
import { isTooLate } from './lateness.js';
import { attemptLease, renewLease, replaceNonce } from './lease.js';
import { openMemo, sealMemo } from './sealed.js';
import { policyOf } from './settle.js';
import { knowSlides } from './slide-server.js';
import { mediaOf, type Snapshot } from './snapshot.js';
import { isFailure } from './transition.js';

/** Found right before a call: nothing is sent by this worker any more. */
export type NotSubmitted = { kind: 'not_owner' } | { kind: 'too_late' };

const NOT_OWNER: NotSubmitted = { kind: 'not_owner' };
const TOO_LATE: NotSubmitted = { kind: 'too_late' };

export const accountOf = ({ org_id, social_account_id }: DispatchRow) => ({ org_id, id: social_account_id });

/**
 * Sends the attempt. If its submit may have taken place already (`sent_at`), it is asked about, or repeated with the same memo,
 * so at most one post comes of it.
 */
export async function submitAttempt(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
  if (snapshot.lost === 'revoke') return submitRevocable(app, dispatch, snapshot);
  const account = accountOf(dispatch);
  const media = mediaOf(app, snapshot, dispatch.nonce ?? '');
  if (dispatch.nonce !== null) knowSlides(app, dispatch.nonce);
  if (dispatch.sent_at === null) {
    // Nothing visible comes of preparing, so it may be repeated with a new token.
    const prepared = await callAsAccount<Ready | Outcome | NotSubmitted>(
      app,
      account,
      (token, signal, connector) => connector.prepare(token, snapshot.draft, media, signal),
      () => reasonNotToSubmit(app, dispatch, snapshot),
    );
    return prepared.kind === 'ready' ? submitMemo(app, dispatch, snapshot, prepared.memo) : prepared;
  }
  const memo = openMemo(app, dispatch);
  if (memo === null) throw new Error(`dispatch ${dispatch.id} has no memo`);
  if (snapshot.lost === 'ask') {
    const seen = await ask(app, dispatch, memo);
    if (seen.kind !== 'absent') return seen;
    // Nothing yet. A worker that was paused in its call may still make it, so the attempt is not closed either.
    if (isTooLate(dispatch, snapshot, policyOf(app))) return unknownAfter(NOTHING_IN_TIME);
  }
  const [post] = await app.reads.postById(dispatch.org_id, dispatch.post_id);
  if (post?.status === 'archived') return unknownAfter(ARCHIVED);
  return submitMemo(app, dispatch, snapshot, memo);
}

const NOTHING_IN_TIME = {
  code: 'too_late',
  reason: 'The platform has nothing yet, and it is too late to send the post again (too_late)',
};

const ARCHIVED = {
  code: 'archived',
  reason: 'No answer was recorded, and the post was archived, so it is not sent again (archived)',
};

/** The call that publishes slides, whose URLs can be revoked until something is fetched from them. */
function submitRevocable(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
  // No memo tells what has become of an earlier call.
  if (dispatch.sent_at !== null) throw new Error(`dispatch ${dispatch.id} has no memo`);
  let { nonce } = dispatch;
  return callAsAccount<Outcome | NotSubmitted>(
    app,
    accountOf(dispatch),
    (token, signal, connector) => {
      if (nonce !== null) knowSlides(app, nonce);
      return connector.submit(token, snapshot.draft, mediaOf(app, snapshot, nonce ?? ''), null, signal);
    },
    async (tooOld) => {
      if (tooOld === null) return reasonNotToSubmit(app, dispatch, snapshot);
      // Repeated only with new slide URLs, once the old ones are dead and nothing was fetched from them.
      nonce = await replaceNonce(app, dispatch, newNonce()); // mutant: new-nonce
      if (nonce === null) return unknownAfter(tooOld);
      // That nothing was fetched is known only of a database that has lost nothing.
      const refusal = await app.safety.checkBeforeSend();
      return refusal && notSent(refusal);
    },
  );
}

/** The call that publishes what was prepared. A memo that was submitted before is submitted again. */
async function submitMemo(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
  memo: string,
): Promise<Outcome | NotSubmitted> {
  const { draft, lost } = snapshot;
  const isRepeated = dispatch.sent_at !== null;
  const media = mediaOf(app, snapshot, dispatch.nonce ?? '');
  let firstAnswer = null as Outcome | null;
  const outcome = await callAsAccount<Outcome | NotSubmitted>(
    app,
    accountOf(dispatch),
    async (token, signal, connector) => {
      const answer = await connector.submit(token, draft, media, memo, signal);
      firstAnswer ??= answer;
      return answer;
    },
    async (tooOld) => {
      if (tooOld && (lost === 'never' || isTooLate(dispatch, snapshot, policyOf(app))))
        return unknownAfter(tooOld);
      if (tooOld || isRepeated) return (await isOwner(app, dispatch)) ? null : NOT_OWNER;
      const withheld = await reasonNotToSubmit(app, dispatch, snapshot);
      if (withheld) return withheld;
      // From here on the visible act may take place; the memo is what it is cleared up with.
      const written = { sent_at: app.clock.now(), submission_ref: sealMemo(app, dispatch, memo) };
      if (!(await writeSubmit(app, dispatch, written))) return NOT_OWNER; // mutant: submit-written-ahead
      const refusal = await app.safety.checkBeforeSend();
      if (!refusal) return null;
      await writeSubmit(app, dispatch, { sent_at: null, submission_ref: null });
      return notSent(refusal);
    },
  );
  if (outcome.kind === 'not_owner' || outcome.kind === 'too_late') return outcome;
  // mutant: ask-platform
  if (lost === 'ask' && firstAnswer !== null && isFailure(outcome)) {
    // No failure is believed while the platform can tell whether it took the post.
    const seen = await ask(app, dispatch, memo);
    if (seen.kind !== 'absent') return seen;
  }
  // An answer to a repetition says nothing about the earlier submit: a limit may even have been reached by it. Repeating the same
  // memo is always safe, and beginning with a new one only if nothing was taken for certain.
  const wasTooOld = firstAnswer?.kind === 'reauthorize' && firstAnswer.cure === 'refresh';
  const isDoubtful =
    isRepeated || wasTooOld || (lost === 'repeat' && firstAnswer !== null && outcome.kind === 'later');
  const isInconclusive =
    outcome.kind === 'later' || outcome.kind === 'reauthorize' || outcome.kind === 'blocked';
  return isDoubtful && isInconclusive ? unknownAfter(outcome) : outcome;
}

async function reasonNotToSubmit(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<NotSubmitted | null> {
  if (!(await isOwner(app, dispatch))) return NOT_OWNER;
  if (isTooLate(dispatch, snapshot, policyOf(app))) return TOO_LATE; // mutant: lateness-at-submit
  return null;
}

/**
 * Checked directly before a call, because the process may have been paused. A lease that is younger than its first heartbeat needs no
 * check: no other worker can have taken it, by this clock. One that has not begun yet says nothing about its age: the clock was set back.
 */
async function isOwner(app: App, dispatch: DispatchRow): Promise<boolean> {
  const { lease_until } = dispatch;
  const { leaseMs } = app.config.publishing;
  const ageMs = lease_until === null ? leaseMs : app.clock.now() - (lease_until - leaseMs);
  return (ageMs >= 0 && ageMs < leaseMs / 4) || (await renewLease(app, dispatch));
}

/** False if another worker owns the attempt. */
const writeSubmit = (
  app: App,
  dispatch: DispatchRow,
  written: Pick<DispatchRow, 'sent_at' | 'submission_ref'>,
): Promise<boolean> => app.db.transact((tx) => attemptLease.update(tx, dispatch, written));

/** What has become of the memo. A question without an answer tells nothing about the post. */
async function ask(app: App, dispatch: DispatchRow, memo: string): Promise<Outcome | Absent> {
  const seen = await callAsAccount<Outcome | Absent>(app, accountOf(dispatch), (token, signal, connector) =>
    connector.observe(token, { publishId: null, memo, username: null }, signal),
  );
  return seen.kind === 'later' || seen.kind === 'reauthorize' ? unknownAfter(seen) : seen;
}

/** Why our own safety kept us from calling the platform. */
export const notSent = ({ code, reason }: SendRefusal): PlatformFailure => ({
  kind: 'later',
  code,
  reason:
    code === 'safe_mode' ? 'The service went into safe mode before the post was sent (safe_mode)' : reason,
  isUnsent: true,
});

export const unknownAfter = ({
  code,
  reason,
}: Pick<PlatformFailure, 'code' | 'reason'>): PlatformFailure => ({
  kind: 'unknown',
  code,
  reason,
});
