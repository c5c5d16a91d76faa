import { useQuery } from '@tanstack/react-query';
import { accountsQuery, attentionQuery, preflightQuery } from '../api/queries.js';
import { type AwaitedAccount, awaitedAccounts, type DisconnectedAccount } from './disconnected.js';

/** Undefined until it is known. */
export function useAwaitedAccounts(): AwaitedAccount[] | undefined {
  const { data, isError } = useQuery(attentionQuery);
  return data ? awaitedAccounts(data) : isError ? [] : undefined;
}

/** The account that a post names although it was disconnected; undefined if there is none. */
export function useDisconnectedAccount(
  postId: string | undefined,
  accountId: string,
): DisconnectedAccount | undefined {
  const accounts = useQuery(accountsQuery).data;
  const awaited = useAwaitedAccounts()?.map(({ account }) => account) ?? [];
  const checks = useQuery({ ...preflightQuery(postId ?? ''), enabled: postId !== undefined }).data;
  if (accountId === '' || !accounts || accounts.some(({ id }) => id === accountId)) return undefined;
  const known = [...awaited, checks?.account].find((account) => account?.id === accountId);
  return { id: accountId, username: known?.username };
}
