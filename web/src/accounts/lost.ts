// Accounts that were disconnected while posts still name them. The list of accounts no longer has them. Pure.
import type { Attention } from '../api/queries.js';

export type Waiting = Attention & { account: NonNullable<Attention['account']> };

/** Those that scheduled posts wait for. */
export const waitingIn = (rows: Attention[]): Waiting[] =>
  rows.filter((row): row is Waiting => row.cause === 'account_missing' && row.account != null);

export interface DisconnectedAccount {
  id: string;
  username: string | undefined;
}

/** For a draft, only the API's sentence has the name: "Connect city.notes again, or choose another account." */
export const usernameIn = (advice: string): string | undefined => /^Connect (\S+) again\b/.exec(advice)?.[1];

/** In a list of accounts. */
export const lostLabel = (username: string | undefined): string =>
  username === undefined ? 'Disconnected account' : `@${username} (disconnected)`;
