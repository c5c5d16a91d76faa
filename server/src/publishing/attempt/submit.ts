// The call that publishes, and what follows when its answer is lost: by the class that the connector declared for the post.
import {
  callAsAccount,
  callWith,
  isTokenTooOld,
  judgeAnswer,
  openAccess,
  renewAccess,
} from '../../accounts/tokens.js';
import type { Absent, Outcome, PlatformFailure, Ready } from '../../connectors/connector.js';
import type { DispatchRow } from '../../db/tables.js';
import type { App } from '../../request/app.js';
import type { Refusal } from '../../restore-safety/safety.js';
import { newNonce } from './claim.js';
import { isTooLate } from './lateness.js';
import { attemptLease, isFreshLease, renewLease, replaceNonce } from './lease.js';
import { openMemo, sealMemo } from './sealed.js';
import { policyOf } from './settle.js';
import { knowSlides } from './slide-server.js';
import { mediaOf, type Snapshot } from './snapshot.js';
import { isSetback } from './transition.js';

/** Found right before a call: nothing is sent by this worker any more. */
export type NotSubmitted = { kind: 'not_owner' } | { kind: 'too_late' };

const NOT_OWNER: NotSubmitted = { kind: 'not_owner' };
const TOO_LATE: NotSubmitted = { kind: 'too_late' };

export const accountOf = ({ org_id, social_account_id }: DispatchRow) => ({ org_id, id: social_account_id });

/** Checked directly before a call, because the process may have been paused. A young lease needs no check. */
const isOwner = async (app: App, dispatch: DispatchRow): Promise<boolean> =>
  isFreshLease(app, dispatch) || (await renewLease(app, dispatch));

async function reasonNotToSubmit(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<NotSubmitted | null> {
  if (!(await isOwner(app, dispatch))) return NOT_OWNER;
  if (isTooLate(dispatch, snapshot, policyOf(app))) return TOO_LATE; // mutant: lateness-at-submit
  return null;
}

/** The first time that the attempt is sent. */
export function submitFirst(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
  return snapshot.lost === 'revoke'
    ? submitRevocable(app, dispatch, snapshot)
    : prepareAndSubmit(app, dispatch, snapshot);
}

async function submitRevocable(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
  const access = await openAccess(app, accountOf(dispatch));
  if ('kind' in access) return access;
  const withheld = await reasonNotToSubmit(app, dispatch, snapshot);
  if (withheld) return withheld;
  const submitWith = (by: typeof access, nonce: string | null) => {
    const media = mediaOf(app, snapshot, nonce ?? '');
    if (nonce !== null) knowSlides(app, nonce);
    return callWith<Outcome>(app, by, (token, signal, connector) =>
      connector.submit(token, snapshot.draft, media, null, signal),
    );
  };
  const answer = await submitWith(access, dispatch.nonce);
  if (!isTokenTooOld(answer)) return judgeAnswer(app, access, answer);
  const renewed = await renewAccess(app, access.row);
  if ('kind' in renewed) return renewed;
  // That the token was too old does not prove that the platform took nothing. So the call is repeated only with new slide
  // URLs, once the old ones are dead and nothing was fetched from them.
  const nonce = await replaceNonce(app, dispatch, newNonce()); // mutant: new-nonce
  if (nonce === null) return unknownAfter(answer);
  // That nothing was fetched is known only of a database that has lost nothing.
  const refusal = await app.safety.checkBeforeSend();
  if (refusal) return notSent(refusal);
  return judgeAnswer(app, renewed, await submitWith(renewed, nonce));
}

async function prepareAndSubmit(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
  const media = mediaOf(app, snapshot, dispatch.nonce ?? '');
  if (dispatch.nonce !== null) knowSlides(app, dispatch.nonce);
  // Nothing visible comes of preparing, so it may be repeated with a new token.
  const prepared = await callAsAccount<Ready | Outcome | NotSubmitted>(
    app,
    accountOf(dispatch),
    async (token, signal, connector) =>
      (await reasonNotToSubmit(app, dispatch, snapshot)) ??
      connector.prepare(token, snapshot.draft, media, signal),
  );
  if (prepared.kind !== 'ready') return prepared;
  return submit(app, dispatch, snapshot, prepared.memo, async () => {
    const withheld = await reasonNotToSubmit(app, dispatch, snapshot);
    if (withheld) return withheld;
    if (!(await beginSubmit(app, dispatch, prepared.memo))) return NOT_OWNER; // mutant: submit-written-ahead
    const refusal = await app.safety.checkBeforeSend();
    if (!refusal) return null;
    await withdrawSubmit(app, dispatch);
    return notSent(refusal);
  });
}

/** Continues an attempt whose submit may have taken place: with the same memo, so at most one post comes of it. */
export async function resumeSubmit(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
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
  const outcome = await submit(app, dispatch, snapshot, memo, async () =>
    (await isOwner(app, dispatch)) ? null : NOT_OWNER,
  );
  // Says nothing about the earlier submit. A limit may even have been reached by it.
  return isInconclusive(outcome) ? unknownAfter(outcome) : outcome;
}

const NOTHING_IN_TIME = {
  code: 'too_late',
  reason: 'The platform has nothing yet, and it is too late to send the post again (too_late)',
};

const ARCHIVED = {
  code: 'archived',
  reason: 'No answer was recorded, and the post was archived, so it is not sent again (archived)',
};

/** `begin` runs right before the first call. Nothing is called if it returns something. */
async function submit(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
  memo: string,
  begin: () => Promise<Outcome | NotSubmitted | null>,
): Promise<Outcome | NotSubmitted> {
  const { draft, lost } = snapshot;
  const access = await openAccess(app, accountOf(dispatch));
  if ('kind' in access) return access;
  const withheld = await begin();
  if (withheld) return withheld;
  const media = mediaOf(app, snapshot, dispatch.nonce ?? '');
  const submitWith = (by: typeof access) =>
    callWith<Outcome>(app, by, (token, signal, connector) =>
      connector.submit(token, draft, media, memo, signal),
    );

  const repeat = async (tooOld: PlatformFailure): Promise<Outcome | NotSubmitted> => {
    const renewed = await renewAccess(app, access.row);
    if ('kind' in renewed) return renewed;
    // That the token was too old does not prove that the platform took nothing.
    if (lost === 'never' || isTooLate(dispatch, snapshot, policyOf(app))) return unknownAfter(tooOld);
    if (!(await isOwner(app, dispatch))) return NOT_OWNER;
    return judgeAnswer(app, renewed, await submitWith(renewed));
  };
  const answer = await submitWith(access);
  const wasTooOld = isTokenTooOld(answer);
  const outcome = wasTooOld ? await repeat(answer) : await judgeAnswer(app, access, answer);
  if (isNotSubmitted(outcome)) return outcome;

  // mutant: ask-platform
  if (lost === 'ask' && isSetback(outcome)) {
    // No setback is believed while the platform can tell whether it took the post.
    const seen = await ask(app, dispatch, memo);
    if (seen.kind !== 'absent') return seen;
  }
  // Repeating the same memo is always safe, and beginning with a new one only if nothing was taken for certain.
  const isDoubtful = wasTooOld || (lost === 'repeat' && outcome.kind === 'later');
  return isDoubtful && isInconclusive(outcome) ? unknownAfter(outcome) : outcome;
}

/**
 * Commits that the visible act may take place from here on, and what it is cleared up with. False if another worker owns the
 * attempt.
 */
async function beginSubmit(app: App, dispatch: DispatchRow, memo: string): Promise<boolean> {
  const sealed = sealMemo(app, dispatch, memo);
  return app.db.transact((tx) =>
    attemptLease.update(tx, dispatch, { sent_at: app.clock.now(), submission_ref: sealed }),
  );
}

/** The visible act has not taken place: nothing was called since `beginSubmit`. */
async function withdrawSubmit(app: App, dispatch: DispatchRow): Promise<void> {
  await app.db.transact((tx) => attemptLease.update(tx, dispatch, { sent_at: null, submission_ref: null }));
}

/** What has become of the memo. A question without an answer tells nothing about the post. */
async function ask(app: App, dispatch: DispatchRow, memo: string): Promise<Outcome | Absent> {
  const seen = await callAsAccount<Outcome | Absent>(app, accountOf(dispatch), (token, signal, connector) =>
    connector.observe(token, { publishId: null, memo, username: null }, signal),
  );
  return seen.kind === 'later' || seen.kind === 'reauthorize' ? unknownAfter(seen) : seen;
}

const isNotSubmitted = (outcome: Outcome | NotSubmitted): outcome is NotSubmitted =>
  outcome.kind === 'not_owner' || outcome.kind === 'too_late';

/** Says that this call took nothing, and nothing about an earlier one. */
const isInconclusive = (outcome: Outcome | NotSubmitted): outcome is PlatformFailure =>
  outcome.kind === 'later' || outcome.kind === 'reauthorize' || outcome.kind === 'blocked';

/** Why our own safety kept us from calling the platform. */
export const notSent = ({ code, reason }: Refusal): PlatformFailure => ({
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
