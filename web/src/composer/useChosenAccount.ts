import type { Post, SocialAccount } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import type { DisconnectedAccount } from '../accounts/disconnected.js';
import { useDisconnectedAccount } from '../accounts/useDisconnected.js';
import { accountsQuery } from '../api/queries.js';
import type { DraftView } from './draft-state.js';
import { onlyAccount } from './fields.js';
import { likelyMode, type Mode } from './sent-text.js';

export interface ChosenAccount {
  account: SocialAccount | undefined;
  /** The one that the post names, if it was disconnected. */
  disconnected: DisconnectedAccount | undefined;
  mode: Mode;
  /** Shown until the first save fills them in. */
  suggestedHashtags: string;
}

/** The account that the post goes to, and what follows from it. For a new post, the only account is as good as chosen. */
export function useChosenAccount(
  { id, fields, hasOwnHashtags }: DraftView,
  post: Post | undefined,
): ChosenAccount {
  const accounts = useQuery(accountsQuery).data ?? [];
  const account =
    accounts.find((each) => each.id === fields.social_account_id) ??
    (id === undefined ? onlyAccount(accounts) : undefined);
  return {
    account,
    disconnected: useDisconnectedAccount(id, fields.social_account_id),
    mode: likelyMode(post, account),
    suggestedHashtags: id === undefined && !hasOwnHashtags ? (account?.default_hashtags ?? '') : '',
  };
}
