import type { QueryClient } from '@tanstack/react-query';
import { accountsQuery } from '../api/queries.js';
import { type Fields, onlyAccount } from './fields.js';

/** With the account's own hashtags. Waits for the accounts, so that a fast typist gets the same suggestion. */
export async function suggestedAccount(client: QueryClient): Promise<Partial<Fields>> {
  const accounts = await client.ensureQueryData({ ...accountsQuery, retry: false }).catch(() => []);
  const only = onlyAccount(accounts);
  if (!only) return {};
  return { social_account_id: only.id, hashtags: only.default_hashtags ?? '' };
}
