import type { SocialAccount } from '@airdate/sdk';

const NEEDED = [
  { scope: 'video.publish', meaning: 'Nothing can be published directly: posts can only go to the inbox.' },
  {
    scope: 'video.upload',
    meaning: 'Nothing can be sent to the inbox: posts can only be published directly.',
  },
] as const;

/** What was not allowed at consent, and what that means. */
export const lacksOf = ({ scopes }: Pick<SocialAccount, 'scopes'>) =>
  NEEDED.filter(({ scope }) => !scopes.includes(scope));

/** The permission is prolonged weeks before its end; what is so close to it was not. */
const EXPIRING_MS = 14 * 86_400_000;

export const isExpiring = (
  { authorization_expires_at: end }: Pick<SocialAccount, 'authorization_expires_at'>,
  now: number,
): boolean => end !== null && Date.parse(end) < now + EXPIRING_MS;
