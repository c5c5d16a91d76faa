// The known outcome of a post; polls the platform if that knowledge is old.
import { assertHasKey } from '../accounts/stored-tokens.js';
import type { App } from '../app/app.js';
import { toTimestamp } from '../core/clock.js';
import { toLogFields } from '../core/log.js';
import { AppError } from '../core/problems.js';
import type { AttemptRow } from '../db/tables.js';
import { getPostRow } from '../posts/posts.js';
import type { Caller } from '../request/caller.js';
import { acquireLeaseNow } from './attempt/lease.js';
import { pollAttempt } from './attempt/poll.js';
import { latestDispatch } from './history/dispatches.js';
import type { PublishStatus } from './schema.js';

/** How long an answer of the platform counts as fresh. */
const FRESH_MS = 5_000;

export async function publishStatus(app: App, caller: Caller, id: string): Promise<PublishStatus> {
  const post = await getPostRow(app, caller, id);
  const attempt = await latestDispatch(
    app,
    caller.orgId,
    post.id,
    // An attempt that was resolved as posted has no publish id.
    ({ publish_id, outcome }) => publish_id !== null || outcome === 'unknown' || outcome === 'published',
  );
  if (!attempt)
    throw new AppError('not_found', 'The post has no publish record: the platform has not accepted it yet.');
  return present(await pollIfStale(app, attempt));
}

/** Polls under the same lease as the worker, so the platform is not polled twice at the same time. */
async function pollIfStale(app: App, attempt: AttemptRow): Promise<AttemptRow> {
  const now = app.clock.now();
  const isAskable =
    attempt.publish_id !== null &&
    // A draft in the inbox is posted whenever its creator likes, and not every installation gets webhooks.
    (attempt.phase === 'observing' || attempt.outcome === 'in_inbox') &&
    attempt.lease_until === null &&
    app.safety.mode.kind !== 'unchecked';
  if (!isAskable || now - (attempt.checked_at ?? 0) <= FRESH_MS) return attempt;
  try {
    // Otherwise the poll would only be postponed, for those that have the key too.
    await assertHasKey(app, { org_id: attempt.org_id, id: attempt.social_account_id });
    const leased = await acquireLeaseNow(app, attempt);
    return (leased && (await pollAttempt(app, leased))) ?? attempt;
  } catch (err) {
    app.log.warn(toLogFields(err), 'the platform could not be polled; the last known status is returned');
    return attempt;
  }
}

const STATUSES: Record<AttemptRow['outcome'], PublishStatus['status']> = {
  started: 'processing',
  accepted: 'processing',
  published: 'published',
  in_inbox: 'in_inbox',
  failed: 'failed',
  unknown: 'unknown',
};

const present = (row: AttemptRow): PublishStatus => ({
  publish_id: row.publish_id,
  status: STATUSES[row.outcome],
  social_status: row.social_status,
  fail_reason: row.outcome === 'failed' ? row.error_code : null,
  post_url: row.post_url,
  updated_at: toTimestamp(row.checked_at ?? row.started_at),
});
