// Goes on where a process stopped in the middle of sending, or lost the database. Whether its call had left is written
// nowhere; what can be known is whether anything can still come of it.

import type { App, TxApp } from '../../api/app.js';
import type { Tx } from '../../db/database.js';
import type { DispatchRow } from '../../db/tables.js';
import { lockAccount, openDispatch, reconnectReason } from './claim.js';
import { decide } from './decide.js';
import { askedAt, expired, isTooLate } from './lateness.js';
import { applyTransition, lockAttempt, policyOf } from './settle.js';
import type { AttemptState } from './transition.js';

/** A post that stops every process that sends it must not do so for ever: from here on it counts as a failure. */
const MOST_INTERRUPTIONS = 4;

/** The attempt that takes the place of the interrupted one, or null if none may. */
export function takeOver(app: App, held: DispatchRow): Promise<DispatchRow | null> {
  return app.db.transact(async (tx) => {
    if (await app.safety.refusal(tx)) return null;
    const state = await lockAttempt(tx, held);
    return state && goOn(app, tx, state);
  });
}

async function goOn(app: TxApp, tx: Tx, state: AttemptState): Promise<DispatchRow | null> {
  const { dispatch, post, snapshot } = state;
  const policy = policyOf(app);
  const interrupted = {
    kind: 'unknown',
    code: 'interrupted',
    reason:
      'No answer was recorded before the lease ended: the process that was sending the post stopped, or could not reach the database (interrupted)',
    // A video without its bytes is nothing. Slides are nothing if none was fetched and none can be any more.
    isHarmless: snapshot.draft.type === 'video',
  } as const;
  // Nobody waits for an answer any more, so the post has to tell.
  const next = {
    ...snapshot,
    interruptions: snapshot.interruptions + 1,
    asked_at: askedAt(dispatch, snapshot),
  };
  const transition = decide({ ...state, snapshot: next }, interrupted, policy);
  const isUndecided = snapshot.draft.type === 'slides' && dispatch.fetched_at !== null;
  if (isUndecided || post.status !== 'publishing' || snapshot.interruptions >= MOST_INTERRUPTIONS) {
    await applyTransition(app, tx, state, transition);
    return null;
  }
  // A new attempt needs what every attempt needs: an account that is connected, and a time that is not too long ago.
  const account = await lockAccount(tx, { org_id: dispatch.org_id, id: dispatch.social_account_id });
  if (account?.status !== 'connected') {
    const gone = {
      kind: 'reauthorize',
      code: 'interrupted',
      reason: reconnectReason(account),
      cure: 'consent',
    } as const;
    await applyTransition(app, tx, state, decide({ ...state, snapshot: next }, gone, policy));
    return null;
  }
  if (isTooLate(dispatch, snapshot, policy)) {
    await applyTransition(app, tx, state, expired(state, policy));
    return null;
  }
  // The attempt is closed and its addresses are dead. The post stays where it is, and the next attempt begins at once.
  await applyTransition(app, tx, state, { dispatch: transition.dispatch, post: {} });
  const successor = await openDispatch(app, tx, post, next, {
    social_account_id: dispatch.social_account_id,
    trigger_kind: dispatch.trigger_kind,
    scheduled_for: dispatch.scheduled_for,
  });
  await tx
    .updateTable('dispatches')
    .set({ continued_by: successor.id })
    .where('org_id', '=', dispatch.org_id)
    .where('id', '=', dispatch.id)
    .execute();
  return successor;
}
