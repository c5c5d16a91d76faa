// The columns of an attempt that has ended.
import type { Setback } from '../../connectors/connector.js';
import type { DispatchRow } from '../../db/tables.js';

/** No lease, no secrets, and nothing left to do. */
export const closedColumns = (now: number) =>
  ({
    phase: 'done',
    lease_until: null,
    next_at: null,
    upload: null,
    memo: null,
    revoked_at: now, // mutant: closed-nonce
  }) as const;

export function closed(
  { code, reason }: Pick<Setback, 'code' | 'reason'>,
  setback: DispatchRow['setback'],
  now: number,
) {
  return {
    ...closedColumns(now),
    outcome: 'failed',
    setback,
    error_code: code,
    error_message: reason,
    finished_at: now,
  } as const satisfies Partial<DispatchRow>;
}
