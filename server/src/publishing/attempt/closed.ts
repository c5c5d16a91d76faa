// The columns of an attempt that has ended.
import type { PlatformFailure } from '../../connectors/connector.js';
import type { DispatchRow } from '../../db/tables.js';

/** No lease, no secrets, and nothing left to do. */
export const closedColumns = (now: number) =>
  ({
    phase: 'done',
    lease_until: null,
    next_at: null,
    upload: null,
    submission_ref: null,
    revoked_at: now, // mutant: closed-nonce
  }) as const;

export function closed(
  { code, reason }: Pick<PlatformFailure, 'code' | 'reason'>,
  failure: DispatchRow['failure'],
  now: number,
) {
  return {
    ...closedColumns(now),
    outcome: 'failed',
    failure,
    error_code: code,
    error_message: reason,
    finished_at: now,
  } as const satisfies Partial<DispatchRow>;
}
