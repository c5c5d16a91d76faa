import type { SocialAccount } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
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

/** What a post shows of its account. */
export type ShownAccount = Pick<SocialAccount, 'id' | 'username' | 'display_name' | 'avatar_url'> & {
  isLost?: true;
};

/** In words, beside its picture. */
export const shownName = ({ username, isLost }: ShownAccount): string =>
  isLost ? `${username} (disconnected)` : username;

/** By id: the accounts, and those that were disconnected while posts wait for them. Undefined until they are known. */
export function useKnownAccounts(): ReadonlyMap<string, ShownAccount> | undefined {
  const accounts = useQuery(accountsQuery).data;
  const attention = useQuery(attentionQuery).data;
  return useMemo(() => {
    const lost = waitingIn(attention ?? []).map(
      ({ account: { id, username } }): ShownAccount => ({
        ...{ id, username, isLost: true },
        ...{ display_name: null, avatar_url: null },
      }),
    );
    return accounts && new Map([...lost, ...accounts].map((account) => [account.id, account]));
  }, [accounts, attention]);
}
