import type { QueryClient } from '@tanstack/react-query';
import { accountsQuery } from '../api/queries.js';
import { type Fields, onlyAccount } from './fields.js';

/** The accounts are waited for: who types quickly means the same one as who has seen it suggested. */
export async function suggestedAccount(client: QueryClient): Promise<Partial<Fields>> {
  const accounts = await client.ensureQueryData({ ...accountsQuery, retry: false }).catch(() => []);
  const only = onlyAccount(accounts);
  return only ? { social_account_id: only.id } : {};
}
