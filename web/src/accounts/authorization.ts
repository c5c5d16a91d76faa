// What the owner of an account has granted, and until when. Pure.

import type { SocialAccount } from '@airdate/sdk/core';

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
