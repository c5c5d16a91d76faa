// Accounts that were disconnected while posts still name them. The list of accounts no longer has them. Pure.

import type { SocialAccount } from '@airdate/sdk/core';
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

const NEEDED = [
  { scope: 'video.publish', meaning: 'Posts can only go to the inbox, not straight to the profile.' },
  {
    scope: 'video.upload',
    meaning: 'Posts can only go straight to the profile, not to the inbox.',
  },
] as const;

/** The scopes that were not granted at consent, and what is missing without them. */
export const missingScopes = ({ scopes }: Pick<SocialAccount, 'scopes'>) =>
  NEEDED.filter(({ scope }) => !scopes.includes(scope));

/** The permission is renewed weeks before its end; one this close to it was not. */
const EXPIRING_MS = 14 * 86_400_000;

export const isExpiring = (
  { authorization_expires_at: end }: Pick<SocialAccount, 'authorization_expires_at'>,
  now: number,
): boolean => end !== null && Date.parse(end) < now + EXPIRING_MS;
