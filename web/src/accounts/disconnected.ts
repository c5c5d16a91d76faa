// Accounts that were disconnected while scheduled posts wait for them. The list of accounts no longer has them.
import { useQuery } from '@tanstack/react-query';
import { attentionQuery } from '../api/queries.js';
import type { Attention } from '../shell/attention.js';

export type Waiting = Attention & { account: NonNullable<Attention['account']> };

export const waitingIn = (rows: Attention[]): Waiting[] =>
  rows.filter((row): row is Waiting => row.cause === 'account_missing' && row.account != null);

/** Undefined until it is known. */
export function useDisconnected(): Waiting[] | undefined {
  const { data, isError } = useQuery(attentionQuery);
  return data ? waitingIn(data) : isError ? [] : undefined;
}
