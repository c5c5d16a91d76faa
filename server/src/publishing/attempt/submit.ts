// The call that publishes, and what follows when its answer is lost: by the class that the connector declared for the post.

import {
  callAsAccount,
  callWith,
  callWithRenewed,
  isTokenTooOld,
  openAccess,
} from '../../accounts/platform-calls.js';
import { type AccountAccess, renewAccess } from '../../accounts/token-renewal.js';
import type { App } from '../../app/app.js';
import type { Absent, Connector, Outcome, PlatformFailure, Ready } from '../../connectors/connector.js';
import type { AttemptRow } from '../../db/tables.js';
import { findPost } from '../../posts/posts.js';
import type { SendRefusal } from '../../restore-safety/safety.js';
import { newNonce } from './claim.js';
import { isTooLate } from './lateness.js';
import { attemptLease, renewLease, replaceNonce } from './lease.js';
import { SEALED_ATTEMPTS } from './sealed.js';
import { policyOf } from './settle.js';
import { knowSlides } from './slide-server.js';
import { mediaOf, type Snapshot } from './snapshot.js';
import { isFailure } from './transition.js';

type NotOwner = { kind: 'not_owner' };

/** Found right before a call: nothing is sent by this worker any more. */
export type NotSubmitted = NotOwner | { kind: 'too_late' };

const NOT_OWNER: NotOwner = { kind: 'not_owner' };
const TOO_LATE: NotSubmitted = { kind: 'too_late' };

export const accountOf = ({ org_id, social_account_id }: AttemptRow) => ({ org_id, id: social_account_id });

/**
 * Sends the attempt. If its submit may have taken place already (`sent_at`), it is asked about, or repeated with the same memo,
 * so at most one post comes of it.
 */
export async function submitAttempt(
  app: App,
  attempt: AttemptRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
  if (snapshot.lost === 'revoke') return submitRevocable(app, attempt, snapshot);
  const account = accountOf(attempt);
  const media = mediaOf(app, snapshot, attempt.nonce ?? '');
  if (attempt.nonce !== null) knowSlides(app, attempt.nonce);
  if (attempt.sent_at === null) {
    // Nothing visible comes of preparing, so it may be repeated with a new token.
    const prepared = await callAsAccount<Ready | Outcome | NotSubmitted>(
      app,
      account,
      async (token, signal, connector) =>
        (await reasonNotToSubmit(app, attempt, snapshot)) ??
        connector.prepare(token, snapshot.draft, media, signal),
    );
    return prepared.kind === 'ready' ? submitMemo(app, attempt, snapshot, prepared.memo) : prepared;
  }
  if (attempt.submission_ref === null) throw new Error(`dispatch ${attempt.id} has no memo`);
  const memo = app.seal.unseal(attempt.submission_ref, SEALED_ATTEMPTS.contextOf(attempt, 'submission_ref'));
  if (snapshot.lost === 'ask') {
    const seen = await ask(app, attempt, memo);
    if (seen.kind !== 'absent') return seen;
    // Nothing yet. A worker that was paused in its call may still make it, so the attempt is not closed either.
    if (isTooLate(attempt, snapshot, policyOf(app))) return unknownAfter(NOTHING_IN_TIME);
  }
  const [post] = await findPost(app.db.read, attempt.org_id, attempt.post_id);
  if (post?.status === 'archived') return unknownAfter(ARCHIVED);
  return submitMemo(app, attempt, snapshot, memo);
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
async function submitRevocable(
  app: App,
  attempt: AttemptRow,
  snapshot: Snapshot,
): Promise<Outcome | NotSubmitted> {
  // No memo tells what has become of an earlier call.
  if (attempt.sent_at !== null) throw new Error(`dispatch ${attempt.id} has no memo`);
  const access = await openAccess(app, accountOf(attempt));
  if ('kind' in access) return access;
  const withheld = await reasonNotToSubmit(app, attempt, snapshot);
  if (withheld) return withheld;
  const answer = await callWith(app, access, submitWith(app, snapshot, attempt.nonce, null));
  if (!isTokenTooOld(answer)) return answer;
  const renewed = await renewAccess(app, access.row);
  if ('kind' in renewed) return renewed;
  // Repeated only with new slide URLs, once the old ones are dead and nothing was fetched from them.
  const nonce = await replaceNonce(app, attempt, newNonce()); // mutant: new-nonce
  if (nonce === null) return unknownAfter(answer);
  // That nothing was fetched is known only of a database that has lost nothing.
  const refusal = await app.safety.checkBeforeSend();
  return refusal ? notSent(refusal) : callWithRenewed(app, renewed, submitWith(app, snapshot, nonce, null));
}

/** The call that publishes what was prepared. A memo that was submitted before is submitted again. */
async function submitMemo(
  app: App,
  attempt: AttemptRow,
  snapshot: Snapshot,
  memo: string,
): Promise<Outcome | NotSubmitted> {
  const isRepeated = attempt.sent_at !== null;
  const access = await openAccess(app, accountOf(attempt));
  if ('kind' in access) return isRepeated ? unknownIfOpen(access) : access;
  if (isRepeated) {
    if (!(await confirmLease(app, attempt))) return NOT_OWNER;
  } else {
    const withheld = await writeAhead(app, attempt, snapshot, memo);
    if (withheld) return withheld;
  }
  const submit = submitWith(app, snapshot, attempt.nonce, memo);
  const first = await callWith(app, access, submit);
  const outcome = isTokenTooOld(first)
    ? await submitAgain(app, attempt, snapshot, submit, access.row, first)
    : first;
  if (outcome.kind === 'not_owner') return outcome;
  // mutant: ask-platform
  if (snapshot.lost === 'ask' && isFailure(outcome)) {
    // No failure is believed while the platform can tell whether it took the post.
    const seen = await ask(app, attempt, memo);
    if (seen.kind !== 'absent') return seen;
  }
  // An answer to a repetition says nothing about the earlier submit: a limit may even have been reached by it. Repeating the same
  // memo is always safe, and beginning with a new one only if nothing was taken for certain.
  const isDoubtful =
    isRepeated || isTokenTooOld(first) || (snapshot.lost === 'repeat' && outcome.kind === 'later');
  return isDoubtful ? unknownIfOpen(outcome) : outcome;
}

/** With a new token, and the same memo: that the first was too old does not prove that the platform took nothing. */
async function submitAgain(
  app: App,
  attempt: AttemptRow,
  snapshot: Snapshot,
  submit: Submit,
  row: AccountAccess['row'],
  tooOld: PlatformFailure,
): Promise<Outcome | NotOwner> {
  const renewed = await renewAccess(app, row);
  if ('kind' in renewed) return renewed;
  if (snapshot.lost === 'never' || isTooLate(attempt, snapshot, policyOf(app))) return unknownAfter(tooOld);
  return (await confirmLease(app, attempt)) ? callWithRenewed(app, renewed, submit) : NOT_OWNER;
}

type Submit = (token: string, signal: AbortSignal, connector: Connector) => Promise<Outcome>;

function submitWith(app: App, snapshot: Snapshot, nonce: string | null, memo: string | null): Submit {
  if (nonce !== null) knowSlides(app, nonce);
  const media = mediaOf(app, snapshot, nonce ?? '');
  return (token, signal, connector) => connector.submit(token, snapshot.draft, media, memo, signal);
}

/** From here on the visible act may take place; the memo is what it is cleared up with. Returns why it may not. */
async function writeAhead(
  app: App,
  attempt: AttemptRow,
  snapshot: Snapshot,
  memo: string,
): Promise<Outcome | NotSubmitted | null> {
  const withheld = await reasonNotToSubmit(app, attempt, snapshot);
  if (withheld) return withheld;
  const sealed = app.seal.seal(memo, SEALED_ATTEMPTS.contextOf(attempt, 'submission_ref'));
  const written = { sent_at: app.clock.now(), submission_ref: sealed };
  if (!(await writeSubmit(app, attempt, written))) return NOT_OWNER; // mutant: submit-written-ahead
  const refusal = await app.safety.checkBeforeSend();
  if (!refusal) return null;
  await writeSubmit(app, attempt, { sent_at: null, submission_ref: null });
  return notSent(refusal);
}

async function reasonNotToSubmit(
  app: App,
  attempt: AttemptRow,
  snapshot: Snapshot,
): Promise<NotSubmitted | null> {
  if (!(await confirmLease(app, attempt))) return NOT_OWNER;
  if (isTooLate(attempt, snapshot, policyOf(app))) return TOO_LATE; // mutant: lateness-at-submit
  return null;
}

/**
 * Checked directly before a call, because the process may have been paused. A lease that is younger than its first heartbeat needs no
 * check: no other worker can have taken it, by this clock. One that has not begun yet says nothing about its age: the clock was set back.
 */
async function confirmLease(app: App, attempt: AttemptRow): Promise<boolean> {
  const { lease_until } = attempt;
  const { leaseMs } = app.config.publishing;
  const ageMs = lease_until === null ? leaseMs : app.clock.now() - (lease_until - leaseMs);
  return (ageMs >= 0 && ageMs < leaseMs / 4) || (await renewLease(app, attempt));
}

/** False if another worker owns the attempt. */
const writeSubmit = (
  app: App,
  attempt: AttemptRow,
  written: Pick<AttemptRow, 'sent_at' | 'submission_ref'>,
): Promise<boolean> => app.db.transact((tx) => attemptLease.update(tx, attempt, written));

/** What has become of the memo. A question without an answer tells nothing about the post. */
async function ask(app: App, attempt: AttemptRow, memo: string): Promise<Outcome | Absent> {
  const seen = await callAsAccount<Outcome | Absent>(app, accountOf(attempt), (token, signal, connector) =>
    connector.observe(token, { publishId: null, memo, username: null }, signal),
  );
  return seen.kind === 'later' || seen.kind === 'reauthorize' ? unknownAfter(seen) : seen;
}

/** What says that nothing came of this call leaves open what came of an earlier one. */
const unknownIfOpen = (outcome: Outcome): Outcome =>
  outcome.kind === 'later' || outcome.kind === 'reauthorize' || outcome.kind === 'blocked'
    ? unknownAfter(outcome)
    : outcome;

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
