// Asks the platform what became of an attempt, and saves the answer. Polling never creates anything there.
import { findUsername } from '../../accounts/accounts.js';
import { callAsAccount, scheduleGrantCheck } from '../../accounts/platform-calls.js';
import type { App } from '../../app/app.js';
import type { Absent, Outcome } from '../../connectors/connector.js';
import { HOUR_MS } from '../../core/durations.js';
import type { AttemptRow } from '../../db/tables.js';
import { withLease } from '../../work/lease.js';
import { attemptLease } from './lease.js';
import { unsealUpload } from './sealed.js';
import { settleWithRetry } from './send.js';
import { accountOf } from './submit.js';

/** How long the platform waits for the bytes of a video. */
const UPLOAD_LIFE_MS = HOUR_MS;

export const pollAttempt = (app: App, leased: AttemptRow): Promise<AttemptRow | null> =>
  withLease(app, attemptLease, leased, () => ask(app, leased));

async function ask(app: App, leased: AttemptRow): Promise<AttemptRow | null> {
  const outcome = failIfUploadExpired(app, leased, await queryStatus(app, leased));
  // This is also how the platform reports a revoked grant. It may be an earlier one, if the account has been reconnected
  // since; then the new grant is still good.
  if (outcome.kind === 'refused' && outcome.code === 'auth_removed')
    await scheduleGrantCheck(app, accountOf(leased));
  return settleWithRetry(app, leased, outcome);
}

/** The platform waits no longer for the upload: what is incomplete by now stays incomplete. */
export const isUploadExpired = (app: App, { accepted_at }: AttemptRow): boolean =>
  app.clock.now() > (accepted_at ?? 0) + UPLOAD_LIFE_MS;

function failIfUploadExpired(app: App, leased: AttemptRow, outcome: Outcome): Outcome {
  if (outcome.kind !== 'accepted' || outcome.receivedBytes === undefined || !isUploadExpired(app, leased))
    return outcome;
  const upload = unsealUpload(app, leased);
  if (!upload || outcome.receivedBytes >= upload.plan.videoSize) return outcome;
  const reason = 'The video did not reach the platform in time (upload_expired)';
  return { kind: 'refused', code: 'upload_expired', reason, isRepeatable: true };
}

/** The platform accepted the post and does not know it: no answer, and no failure either. */
const MISSING: Outcome = {
  kind: 'unknown',
  code: 'not_found',
  reason: 'The platform does not know the post (not_found)',
};

export async function queryStatus(app: App, { publish_id, ...attempt }: AttemptRow): Promise<Outcome> {
  if (publish_id === null) throw new Error(`dispatch ${attempt.id} has no publish id to poll`);
  const { org_id, social_account_id: id } = attempt;
  const [account] = await findUsername(app.db.read, org_id, id);
  const query = { publishId: publish_id, username: account?.username ?? null };
  const seen = await callAsAccount<Outcome | Absent>(
    app,
    { org_id, id },
    (token, signal, connector) => connector.observe(token, query, signal), // mutant: poll-only
  );
  return seen.kind === 'absent' ? MISSING : seen;
}
