import { useQuery } from '@tanstack/react-query';
import { accountsQuery, attentionQuery, preflightQuery } from '../api/queries.js';
import { type DisconnectedAccount, usernameIn, type Waiting, waitingIn } from './lost.js';

/** Undefined until it is known. */
export function useDisconnected(): Waiting[] | undefined {
  const { data, isError } = useQuery(attentionQuery);
  return data ? waitingIn(data) : isError ? [] : undefined;
}

/** The account that a post names although it was disconnected; undefined if there is none. */
export function useLostAccount(
  postId: string | undefined,
  accountId: string,
): DisconnectedAccount | undefined {
  const accounts = useQuery(accountsQuery).data;
  const waiting = useDisconnected();
  const checks = useQuery({ ...preflightQuery(postId ?? ''), enabled: postId !== undefined }).data;
  if (accountId === '' || !accounts || accounts.some(({ id }) => id === accountId)) return undefined;
  const row = waiting?.find(({ account }) => account.id === accountId);
  const said = checks?.problems.find(({ code }) => code === 'reconnect_required')?.detail;
  return { id: accountId, username: row?.account.username ?? usernameIn(said ?? '') };
}
