// Accounts that were disconnected while posts still name them. The list of accounts no longer has them. Pure.

import type { Attention } from '../api/queries.js';

export interface DisconnectedAccount {
  id: string;
  username: string | undefined;
}

/** In a list of accounts. */
export const disconnectedLabel = (username: string | undefined): string =>
  username === undefined ? 'Disconnected account' : `@${username} (disconnected)`;

/** One that scheduled posts wait for. */
export type AwaitedAccount = Attention & { account: NonNullable<Attention['account']> };

export const awaitedAccounts = (rows: Attention[]): AwaitedAccount[] =>
  rows.filter((row): row is AwaitedAccount => row.cause === 'account_missing' && row.account != null);
