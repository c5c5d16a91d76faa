import type { SocialAccount } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { accountsQuery, attentionQuery } from '../api/queries.js';
import { awaitedAccounts } from './disconnected.js';

/** What a post shows of its account. */
export type ShownAccount = Pick<SocialAccount, 'id' | 'username' | 'display_name' | 'avatar_url'> & {
  isDisconnected?: true;
};

/** In words, beside its picture. */
export const shownName = ({ username, isDisconnected }: ShownAccount): string =>
  isDisconnected ? `${username} (disconnected)` : username;

/** By id: the accounts, and those that were disconnected while posts wait for them. Undefined until they are known. */
export function useKnownAccounts(): ReadonlyMap<string, ShownAccount> | undefined {
  const accounts = useQuery(accountsQuery).data;
  const attention = useQuery(attentionQuery).data;
  return useMemo(() => {
    const disconnected = awaitedAccounts(attention ?? []).map(
      ({ account: { id, username } }): ShownAccount => ({
        ...{ id, username, isDisconnected: true },
        ...{ display_name: null, avatar_url: null },
      }),
    );
    return accounts && new Map([...disconnected, ...accounts].map((account) => [account.id, account]));
  }, [accounts, attention]);
}
