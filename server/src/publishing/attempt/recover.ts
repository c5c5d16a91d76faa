// Continues an attempt whose process stopped, or lost the database, while sending.

import { lockAccount, reconnectReason } from '../../accounts/accounts.js';
import { runningBlock } from '../../accounts/blocks.js';
import type { App } from '../../app/app.js';
import { bySystem } from '../../audit/record.js';
import { isRow } from '../../db/is-row.js';
import type { AttemptRow } from '../../db/tables.js';
import { openAttempt } from './claim.js';
import { decideInterrupted } from './decide-interrupted.js';
import { applyTransition, lockAttempt, policyOf } from './settle.js';

/** The attempt to send: the interrupted one, if its submit may be cleared up, or one that replaces it. Null if none may. */
export function recoverAttempt(app: App, interrupted: AttemptRow): Promise<AttemptRow | null> {
  return app.db.transact(async (tx) => {
    if (await app.safety.refusal(tx)) return null;
    const locked = await lockAttempt(tx, interrupted);
    if (!locked) return null;
    const { attempt, post } = locked;
    const { org_id, id, social_account_id, platform, trigger_kind, scheduled_for } = attempt;
    const [account] = await lockAccount(tx, org_id, social_account_id);
    const reconnect = account?.status === 'connected' ? null : reconnectReason(account);
    const block = account ? runningBlock(account, app.clock.now()) : null;
    const state = block ? { ...locked, blockedUntil: block.until } : locked;
    const recovery = decideInterrupted(state, reconnect, policyOf(app), block);
    const after = await applyTransition(app, tx, state, recovery.transition);
    if (recovery.kind === 'end') return null;
    if (recovery.kind === 'resume') return after;
    const opening = { social_account_id, platform, trigger_kind, scheduled_for };
    const successor = await openAttempt(app, tx, bySystem(org_id), post, recovery.snapshot, opening);
    await tx
      .updateTable('dispatches')
      .set({ continued_by: successor.id })
      .where(isRow({ org_id, id }))
      .execute();
    return successor;
  });
}
