// Who may see a post, in the words of the platform's own app.
import type { Post } from '@airdate/sdk/core';

type PrivacyLevel = NonNullable<Post['privacy_level']>;

export const ONLY_ME: PrivacyLevel = 'SELF_ONLY';

const AUDIENCES: Record<string, string> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only me',
};

export const AUDIENCE_LEVELS: readonly string[] = Object.keys(AUDIENCES);

/** A level that is not known yet, by its own name. */
export const audienceOf = (level: string): string => AUDIENCES[level] ?? level;
