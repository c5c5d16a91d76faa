// What is filled in for an account when a member writes for it or publishes to it. Audience and interactions have no default:
// a person chooses them for each post.
import type { Post, SocialAccount } from '@airdate/sdk/core';

type Mode = Post['publish_mode'];

const SCOPES: Record<Mode, string> = { direct: 'video.publish', inbox: 'video.upload' };

/** Whether the account has allowed this delivery. Accounts from before scopes were stored have none. */
export const allowsMode = ({ scopes }: Pick<SocialAccount, 'scopes'>, mode: Mode): boolean =>
  scopes.length === 0 || scopes.includes(SCOPES[mode]);

/** The wanted delivery, else the default of the account; the other one if the account does not allow it. */
export function modeFor(account: SocialAccount | undefined, wanted: Mode | null): Mode {
  const mode = wanted ?? account?.default_mode ?? 'direct';
  const other = mode === 'direct' ? 'inbox' : 'direct';
  return account && !allowsMode(account, mode) && allowsMode(account, other) ? other : mode;
}

/** The account that goes without saying. */
export function onlyUsable<A extends Pick<SocialAccount, 'status'>>(accounts: readonly A[]): A | undefined {
  const usable = accounts.filter(({ status }) => status === 'connected');
  return usable.length === 1 ? usable[0] : undefined;
}

/** For a new post; empty if the account has none. */
export const defaultHashtagsOf = (account: Pick<SocialAccount, 'default_hashtags'> | undefined): string =>
  account?.default_hashtags ?? '';
