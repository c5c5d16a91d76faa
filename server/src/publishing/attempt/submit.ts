// The call that publishes, and what follows when its answer is lost: by the class that the connector declared for the post.
import { asAccount } from '../../accounts/tokens.js';
import type { App } from '../../api/app.js';
import type { Absent, Outcome, Ready, Setback } from '../../connectors/connector.js';
import { writeOnce } from '../../db/compiled-once.js';
import type { DispatchRow } from '../../db/tables.js';
import type { Refusal } from '../../safety/safety.js';
import { newNonce } from './claim.js';
import { isTooLate } from './lateness.js';
import { isYoung, renew, replaceNonce } from './lease.js';
import { openMemo, sealMemo } from './sealed.js';
import { policyOf } from './settle.js';
import { knowSlides } from './slide-server.js';
import { mediaOf, type Snapshot } from './snapshot.js';
import { isSetback } from './transition.js';

/** Thrown when nothing is sent after all. */
export class Withheld extends Error {
  readonly verdict: Outcome | 'too late' | null;
  constructor(verdict: Withheld['verdict']) {
    super('the post was not sent');
    this.verdict = verdict;
  }
}

export const accountOf = ({ org_id, social_account_id }: DispatchRow) => ({ org_id, id: social_account_id });

/** Checked directly before a call, because the process may have been paused. A young lease needs no check. */
async function mustBeOwner(app: App, dispatch: DispatchRow): Promise<void> {
  if (!isYoung(app, dispatch) && !(await renew(app, dispatch))) throw new Withheld(null);
}

async function mustStillSend(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<void> {
  await mustBeOwner(app, dispatch);
  if (isTooLate(dispatch, snapshot, policyOf(app))) throw new Withheld('too late');
}

/** The first time that the attempt is sent. */
export function publish(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<Outcome> {
  return snapshot.lost === 'revoke'
    ? submitRevocable(app, dispatch, snapshot)
    : prepareAndSubmit(app, dispatch, snapshot);
}

/**
 * An answer that the token is too old does not prove that the platform took nothing. The call is repeated with a new token
 * only with new slide URLs, once the old ones are dead and nothing was fetched from them.
 */
function submitRevocable(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<Outcome> {
  let refused: Setback | null = null;
  return asAccount<Outcome>(app, accountOf(dispatch), async (token, signal, connector) => {
    if (refused === null) await mustStillSend(app, dispatch, snapshot);
    const nonce = refused ? await replaceNonce(app, dispatch, newNonce()) : dispatch.nonce;
    if (refused && nonce === null) return lostAfter(refused);
    // That nothing was fetched is known only of a database that has lost nothing.
    const refusal = refused && (await app.safety.confirm());
    if (refusal) return notSent(refusal);
    const media = mediaOf(app, snapshot, nonce ?? '');
    if (nonce !== null) knowSlides(app, nonce);
    const outcome = await connector.submit(token, snapshot.draft, media, null, signal);
    if (outcome.kind === 'reauthorize') refused = outcome;
    return outcome;
  });
}

async function prepareAndSubmit(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<Outcome> {
  const media = mediaOf(app, snapshot, dispatch.nonce ?? '');
  if (dispatch.nonce !== null) knowSlides(app, dispatch.nonce);
  // Nothing visible comes of preparing, so it may be repeated with a new token.
  const prepared = await asAccount<Ready | Outcome>(
    app,
    accountOf(dispatch),
    async (token, signal, connector) => {
      await mustStillSend(app, dispatch, snapshot);
      return connector.prepare(token, snapshot.draft, media, signal);
    },
  );
  if (prepared.kind !== 'ready') return prepared;
  return submit(app, dispatch, snapshot, prepared.memo, async () => {
    await mustStillSend(app, dispatch, snapshot);
    await beginSubmit(app, dispatch, prepared.memo);
    const refusal = await app.safety.confirm();
    if (!refusal) return;
    await withdrawSubmit(app, dispatch);
    throw new Withheld(notSent(refusal));
  });
}

/** Continues an attempt whose submit may have taken place: with the same memo, so at most one post comes of it. */
export async function submitAgain(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<Outcome> {
  const memo = openMemo(app, dispatch);
  if (memo === null) throw new Error(`dispatch ${dispatch.id} has no memo`);
  if (snapshot.lost === 'ask') {
    const seen = await ask(app, dispatch, memo);
    if (seen.kind !== 'absent') return seen;
    // Nothing yet. A worker that was paused in its call may still make it, so the attempt is not closed either.
    if (isTooLate(dispatch, snapshot, policyOf(app))) return lostAfter(TOO_LATE);
  }
  const [post] = await app.reads.postById(dispatch.org_id, dispatch.post_id);
  if (post?.status === 'archived') return lostAfter(ARCHIVED);
  const outcome = await submit(app, dispatch, snapshot, memo, () => mustBeOwner(app, dispatch));
  // Says nothing about the earlier submit. A limit may even have been reached by it.
  return saysNothingOfEarlierCalls(outcome) ? lostAfter(outcome) : outcome;
}

const TOO_LATE = {
  code: 'too_late',
  reason: 'The platform has nothing yet, and it is too late to send the post again (too_late)',
};

const ARCHIVED = {
  code: 'archived',
  reason: 'No answer was recorded, and the post was archived, so it is not sent again (archived)',
};

/** `begin` runs right before the first call; nothing has been called if it throws. */
async function submit(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
  memo: string,
  begin: () => Promise<void>,
): Promise<Outcome> {
  const { draft, lost } = snapshot;
  const media = mediaOf(app, snapshot, dispatch.nonce ?? '');
  let wasCalled = false;
  /** The answer that the token is too old, which does not prove that the platform took nothing. */
  let denied: Setback | null = null;
  const outcome = await asAccount<Outcome>(app, accountOf(dispatch), async (token, signal, connector) => {
    if (denied && (lost === 'never' || isTooLate(dispatch, snapshot, policyOf(app))))
      return lostAfter(denied);
    await (wasCalled ? mustBeOwner(app, dispatch) : begin());
    wasCalled = true;
    const answer = await connector.submit(token, draft, media, memo, signal);
    if (answer.kind === 'reauthorize' && answer.cure === 'refresh') denied = answer;
    return answer;
  });
  if (!wasCalled) return outcome;
  if (lost === 'ask' && isSetback(outcome)) {
    // No setback is believed while the platform can tell whether it took the post.
    const seen = await ask(app, dispatch, memo);
    if (seen.kind !== 'absent') return seen;
  }
  // Repeating the same memo is always safe, and beginning with a new one only if nothing was taken for certain.
  const isDoubtful = denied !== null || (lost === 'repeat' && outcome.kind === 'later');
  return isDoubtful && saysNothingOfEarlierCalls(outcome) ? lostAfter(outcome) : outcome;
}

/** Commits that the visible act may take place from here on, and what it is cleared up with. */
async function beginSubmit(app: App, dispatch: DispatchRow, memo: string): Promise<void> {
  const sealed = sealMemo(app, dispatch, memo);
  const { numAffectedRows } = await app.db.transact((tx) =>
    setSent(tx, app.clock.now(), sealed, dispatch.org_id, dispatch.id, dispatch.turn),
  );
  if ((numAffectedRows ?? 0n) === 0n) throw new Withheld(null);
}

const setSent = writeOnce((tx, sent_at: number, memo: string, orgId: string, id: string, fence: number) =>
  tx
    .updateTable('dispatches')
    .set({ sent_at, memo })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('turn', '=', fence),
);

/** The visible act has not taken place: nothing was called since `beginSubmit`. */
async function withdrawSubmit(app: App, dispatch: DispatchRow): Promise<void> {
  await app.db.transact((tx) =>
    tx
      .updateTable('dispatches')
      .set({ sent_at: null, memo: null })
      .where('org_id', '=', dispatch.org_id)
      .where('id', '=', dispatch.id)
      .where('turn', '=', dispatch.turn)
      .execute(),
  );
}

/** What has become of the memo. A question without an answer tells nothing about the post. */
async function ask(app: App, dispatch: DispatchRow, memo: string): Promise<Outcome | Absent> {
  const seen = await asAccount<Outcome | Absent>(app, accountOf(dispatch), (token, signal, connector) =>
    connector.observe(token, { publishId: null, memo, username: null }, signal),
  );
  return seen.kind === 'later' || seen.kind === 'reauthorize' ? lostAfter(seen) : seen;
}

/** Says that this call took nothing, and nothing about an earlier one. */
const saysNothingOfEarlierCalls = (outcome: Outcome): outcome is Setback =>
  outcome.kind === 'later' || outcome.kind === 'reauthorize' || outcome.kind === 'blocked';

/** Why our own safety kept us from calling the platform. */
export const notSent = ({ code, reason }: Refusal): Setback => ({
  kind: 'later',
  code,
  reason:
    code === 'safe_mode' ? 'The service went into safe mode before the post was sent (safe_mode)' : reason,
  isUnsent: true,
});

export const lostAfter = ({ code, reason }: Pick<Setback, 'code' | 'reason'>): Setback => ({
  kind: 'unknown',
  code,
  reason,
});
