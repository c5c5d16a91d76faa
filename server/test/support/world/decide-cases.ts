// Shared by the tests of `decide`: an attempt and its post at each stage, and every outcome by name.

import type { Outcome } from '../../../src/connectors/connector.js';
import type { AttemptRow, PostRow } from '../../../src/db/tables.js';
import { decide } from '../../../src/publishing/attempt/decide.js';
import type { Snapshot } from '../../../src/publishing/attempt/snapshot.js';
import type { AttemptState, Policy } from '../../../src/publishing/attempt/transition.js';

export const NOW = Date.UTC(2026, 6, 1, 12);
export const HOUR_MS = 3_600_000;
export const POLICY: Policy = {
  now: NOW,
  backoffMs: 30_000,
  maxLatenessMs: 6 * HOUR_MS,
  reconcileIntervalMs: 2_000,
  random: 0,
};

export const OUTCOMES = {
  accepted: { kind: 'accepted', publishId: 'p_1', socialStatus: 'PROCESSING_DOWNLOAD' },
  published: { kind: 'published', socialStatus: 'PUBLISH_COMPLETE', postId: '7', postUrl: 'https://x/7' },
  in_inbox: { kind: 'in_inbox', socialStatus: 'SEND_TO_USER_INBOX' },
  refused: { kind: 'refused', code: 'spam_risk', reason: 'Too risky (spam_risk)', isRepeatable: false },
  broken: { kind: 'refused', code: 'internal', reason: 'It broke (internal)', isRepeatable: true },
  reauthorize: { kind: 'reauthorize', code: 'gone', reason: 'Access has ended (gone)', cure: 'consent' },
  later: { kind: 'later', code: 'not_reached', reason: 'Not reached (not_reached)' },
  blocked: {
    kind: 'blocked',
    code: 'too_many',
    reason: 'Too many posts (too_many)',
    scope: 'account',
    windowMs: 4 * HOUR_MS,
    isRolling: true,
  },
  lost: { kind: 'unknown', code: 'no_answer', reason: 'No answer (no_answer)' },
} as const satisfies Record<string, Outcome>;
export type Name = keyof typeof OUTCOMES;
export const NAMES = Object.keys(OUTCOMES) as Name[];

export const TRIGGERS = ['api', 'dashboard', 'schedule', 'retry'] as const;
export const isByPerson = (trigger: string) => trigger === 'api' || trigger === 'dashboard';

export const SNAPSHOT: Snapshot = {
  draft: {
    type: 'slides',
    mode: 'direct',
    title: 'A title',
    caption: null,
    hashtags: null,
    privacyLevel: 'SELF_ONLY',
    disableComment: true,
    disableDuet: false,
    disableStitch: false,
    isBrandedContent: false,
    isOwnBrand: true,
  },
  slides: [{ object_key: 'a.png' }],
  video: null,
  lost: 'revoke',
  from: 'draft',
  interruptions: 0,
};

export interface Given {
  attempt?: Partial<AttemptRow>;
  post?: Partial<PostRow>;
  snapshot?: Partial<Snapshot>;
  isLatest?: boolean;
}

/** An attempt that is being sent. */
export function sending(
  trigger: AttemptRow['trigger_kind'],
  { attempt, post, snapshot, isLatest }: Given = {},
): AttemptState {
  const slot = isByPerson(trigger) ? null : NOW - 1_000;
  return {
    attempt: {
      org_id: 'org',
      id: 'dispatch',
      post_id: 'post',
      social_account_id: 'account',
      platform: 'tiktok',
      trigger_kind: trigger,
      attempt: 1,
      mode: 'direct',
      outcome: 'started',
      phase: 'sending',
      publish_id: null,
      social_status: null,
      post_url: null,
      platform_post_id: null,
      failure: null,
      error_code: null,
      error_message: null,
      retry_after_ms: null,
      scheduled_for: slot,
      started_at: NOW - 500,
      accepted_at: null,
      finished_at: null,
      checked_at: null,
      continued_by: null,
      snapshot: '',
      nonce: 'nonce',
      fetched_at: null,
      revoked_at: null,
      upload: null,
      sent_at: null,
      submission_ref: null,
      fence: 1,
      lease_until: NOW + 60_000,
      next_at: NOW + 60_000,
      checks: 0,
      ...attempt,
    },
    post: {
      org_id: 'org',
      id: 'post',
      post_type: 'slides',
      title: 'A title',
      caption: null,
      hashtags: null,
      status: 'publishing',
      scheduled_at: slot,
      last_slot: null,
      posted_at: null,
      social_account_id: null,
      publish_mode: 'direct',
      publish_retries: trigger === 'retry' ? 1 : 0,
      last_publish_error: null,
      last_publish_error_code: null,
      wait_reason: null,
      last_outcome: null,
      privacy_level: null,
      disable_comment: 0,
      disable_duet: 0,
      disable_stitch: 0,
      brand_content_toggle: 0,
      brand_organic_toggle: 0,
      labels: null,
      cover_index: null,
      cover_ms: null,
      created_at: 0,
      updated_at: 0,
      version: 1,
      ...post,
    },
    snapshot: { ...SNAPSHOT, from: isByPerson(trigger) ? 'draft' : 'scheduled', ...snapshot },
    isLatest: isLatest ?? true,
  };
}

/** An attempt that the platform accepted an hour ago. */
export const observing = (trigger: AttemptRow['trigger_kind'], given: Given = {}): AttemptState =>
  sending(trigger, {
    ...given,
    attempt: {
      outcome: 'accepted',
      phase: 'observing',
      publish_id: 'p_1',
      accepted_at: NOW - HOUR_MS,
      started_at: NOW - HOUR_MS - 500,
      lease_until: NOW + 60_000,
      ...given.attempt,
    },
    post: { status: 'posted', posted_at: NOW - HOUR_MS, ...given.post },
  });

export const decideOn = (state: AttemptState, name: Name, policy: Partial<Policy> = {}) =>
  decide(state, OUTCOMES[name], { ...POLICY, ...policy });
