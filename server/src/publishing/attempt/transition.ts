// What is known of an attempt when an answer arrives, and what then changes in it and its post.
import type { Outcome, PlatformFailure } from '../../connectors/connector.js';
import type { Reason } from '../../core/reasons.js';
import type { AttemptRow, PostRow } from '../../db/tables.js';
import type { PostChanges } from '../../posts/rows.js';
import type { Snapshot } from './snapshot.js';

export interface AttemptState {
  readonly attempt: Readonly<AttemptRow>;
  readonly post: Readonly<PostRow>;
  readonly snapshot: Readonly<Snapshot>;
  /** Whether no later attempt exists. */
  readonly isLatest: boolean;
  /** Whether the account was reconnected since the attempt began. */
  readonly isReconnected?: boolean;
  /** When a block ends that the answer has told of. */
  readonly blockedUntil?: number;
}

export interface Policy {
  now: number;
  backoffMs: number;
  maxLatenessMs: number;
  reconcileIntervalMs: number;
  /** From 0 to before 1. */
  random: number;
}

export interface Transition {
  attempt: Partial<AttemptRow>;
  post: PostChanges;
}

export const isFailure = (outcome: Outcome): outcome is PlatformFailure =>
  outcome.kind !== 'accepted' && outcome.kind !== 'published' && outcome.kind !== 'in_inbox';

/** The columns of an attempt that has ended: no lease, no secrets, and nothing left to do. */
export const closedColumns = (now: number) =>
  ({
    phase: 'done',
    lease_until: null,
    next_at: null,
    upload: null,
    submission_ref: null,
    revoked_at: now, // mutant: closed-nonce
  }) as const;

export function closed({ code, reason }: Reason, failure: AttemptRow['failure'], now: number) {
  return {
    ...closedColumns(now),
    outcome: 'failed',
    failure,
    error_code: code,
    error_message: reason,
    finished_at: now,
  } as const satisfies Partial<AttemptRow>;
}
