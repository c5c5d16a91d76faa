// One log line and one count for each attempt that ends, after the commit that ends it.

import type { TxApp } from '../../app/app.js';
import { PROBLEMS } from '../../core/problems.js';
import { afterCommit } from '../../db/after-commit.js';
import type { Tx } from '../../db/database.js';
import type { AttemptRow, PostRow } from '../../db/tables.js';

type Outcome = AttemptRow['outcome'];

/** `unknown` is an end, because the engine does nothing more. If it is cleared up later, the attempt ends again. */
const ENDS: readonly Outcome[] = ['published', 'in_inbox', 'failed', 'unknown'];

/** Codes that the engine itself gives. Those of checks before a call are the codes of problems. */
const OWN_CODES: ReadonlySet<string> = new Set([
  'archived',
  'interrupted',
  'key_unknown',
  'no_final_status',
  'reconnect_required',
  'resolved_not_posted',
  'restored',
  'slot_missed',
  'store_unavailable',
  'tokens_busy',
  'tokens_unsaved',
  'too_late',
  'upload_expired',
]);

/** The same attempt before and after a transaction. */
export function reportAttempt(app: TxApp, tx: Tx, before: AttemptRow, after: AttemptRow): void {
  if (after.outcome === before.outcome) return;
  const now = app.clock.now();
  afterCommit(tx, () => {
    const { scheduled_for: slot, accepted_at } = after;
    if (slot !== null && before.accepted_at === null && accepted_at !== null)
      app.meters.acceptedAfter(accepted_at - slot);
    if (!ENDS.includes(after.outcome)) return;
    const code = after.error_code ?? '';
    const { codes } = app.connector(after.platform);
    const isKnown = code === '' || OWN_CODES.has(code) || Object.hasOwn(PROBLEMS, code) || codes.has(code);
    // Keeps the number of time series bounded, whatever the platform answers.
    app.meters.attemptEnded(after.outcome, isKnown ? code : 'other');
    app.log[after.outcome === 'unknown' ? 'warn' : 'info'](
      {
        org_id: after.org_id,
        post_id: after.post_id,
        dispatch_id: after.id,
        attempt: after.attempt,
        outcome: after.outcome,
        code: after.error_code,
        lateness_ms: slot === null ? null : (accepted_at ?? now) - slot,
      },
      'an attempt ended',
    );
  });
}

/** A slot that passed before any attempt could begin. */
export function reportMissed(app: TxApp, tx: Tx, post: PostRow, slot: number): void {
  const lateness_ms = app.clock.now() - slot;
  afterCommit(tx, () => {
    app.meters.attemptEnded('missed', 'slot_missed');
    app.log.warn(
      {
        org_id: post.org_id,
        post_id: post.id,
        dispatch_id: null,
        outcome: 'missed',
        code: 'slot_missed',
        lateness_ms,
      },
      'a slot was missed without an attempt',
    );
  });
}
