// Which event, if any, the outcome of an attempt is recorded as.

import type { Updateable } from 'kysely';
import { findPlatform } from '../../accounts/accounts.js';
import { toTimestamp } from '../../core/clock.js';
import type { Reason } from '../../core/reasons.js';
import type { Tx } from '../../db/database.js';
import type { AttemptRow, PostRow, PostTable } from '../../db/tables.js';
import { type NewEvent, recordEvent } from '../../events/record.js';
import type { Platform } from '../../request/platforms.js';
import type { AttemptState } from './transition.js';

/** `changes` are the post's. Null if the outcome is not new, or needs no event. */
export function eventFor(
  {
    attempt: before,
    post,
    isReconnected,
    blockedUntil,
  }: Pick<AttemptState, 'attempt' | 'post' | 'isReconnected' | 'blockedUntil'>,
  after: AttemptRow,
  changes: Updateable<PostTable>,
): NewEvent | null {
  const about = {
    post_id: after.post_id,
    dispatch_id: after.id,
    social_account_id: after.social_account_id,
    platform: after.platform as Platform,
  };
  const { outcome, publish_id, post_url, platform_post_id } = after;
  // The post was reported as published when it reached the inbox, or before its address was known.
  const isPosted = before.outcome === 'in_inbox' && outcome === 'published'; // mutant: posted-from-inbox
  const wasKnown = before.post_url !== null || before.platform_post_id !== null;
  const isAddressNew = outcome === before.outcome && !wasKnown && platform_post_id !== null;
  if (isPosted || isAddressNew)
    return { type: 'post.public', data: { ...about, publish_id, post_url, platform_post_id } };
  if (outcome === before.outcome) return null;
  const trouble = { error_code: after.error_code, error_message: after.error_message };
  switch (outcome) {
    case 'published':
    case 'in_inbox':
      return { type: 'post.published', data: { ...about, outcome, publish_id, post_url } };
    case 'unknown':
      return { type: 'post.outcome_unknown', data: { ...about, ...trouble } };
    case 'failed': {
      // The post carries no error if another attempt has replaced this one, or if the waiting request was told instead.
      if (!('last_publish_error' in changes)) return null;
      const status = changes.status ?? post.status;
      const waitsForAccount = after.failure === 'reauthorize' && !isReconnected;
      const willMiss = (changes.wait_until ?? 0) < (blockedUntil ?? 0);
      const isRetried = status === 'scheduled' && !waitsForAccount && !willMiss;
      const retryAt = changes.wait_until ?? changes.scheduled_at ?? post.scheduled_at;
      const retry = isRetried && retryAt !== null ? toTimestamp(retryAt) : null;
      return {
        type: 'post.publish_failed',
        data: { ...about, ...trouble, post_status: status, will_retry: retry !== null, retry_at: retry },
      };
    }
    // Begun, or accepted by the platform and not visible yet.
    case 'started':
    case 'accepted':
      return null;
    default:
      return outcome satisfies never;
  }
}

/**
 * For a post that fails without an attempt: its slot was missed, its account is gone or blocked, its attempt was lost.
 * `retryAt`: when it is tried again, if that is known.
 */
export async function recordFailureWithoutAttempt(
  tx: Tx,
  { org_id, id, social_account_id }: Pick<PostRow, 'org_id' | 'id' | 'social_account_id'>,
  now: number,
  { code, reason }: Reason,
  status: 'draft' | 'scheduled',
  retryAt: number | null = null,
): Promise<void> {
  const account =
    social_account_id === null
      ? {}
      : { social_account_id, platform: await findPlatform(tx, org_id, social_account_id) };
  await recordEvent(tx, org_id, 'post.publish_failed', now, {
    post_id: id,
    dispatch_id: null,
    ...account,
    error_code: code,
    error_message: reason,
    post_status: status,
    will_retry: retryAt !== null,
    retry_at: retryAt === null ? null : toTimestamp(retryAt),
  });
}
