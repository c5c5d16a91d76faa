import type { Post, SocialAccount } from '@airdate/sdk/core';
import { onlyUsable } from '../accounts/defaults.js';
import { hasMedia, isFetching, isUploading } from '../text/readiness.js';
import { statusOf } from '../text/status.js';

type Account = Pick<SocialAccount, 'id' | 'status'>;

/** What a draft still lacks before it can go out, in a few words each. `accounts` are undefined until they are known. */
export function missingParts(post: Post, accounts: Account[] | undefined): string[] {
  const file = hasMedia(post) ? null : fileGap(post);
  const gaps = [file, accounts ? accountGap(post, accounts) : null].filter((gap) => gap !== null);
  if (gaps.length > 0) return gaps;
  const { tone, label } = statusOf(post);
  return tone === 'attention' ? [label] : [];
}

function fileGap(post: Post): string {
  if (isFetching(post)) return 'Fetching its files';
  if (isUploading(post)) return 'Upload not finished';
  return post.post_type === 'video' ? 'No video yet' : 'No slides yet';
}

function accountGap({ social_account_id }: Post, accounts: Account[]): string | null {
  // A single connected account need not be chosen.
  if (social_account_id === null) return onlyUsable(accounts) ? null : 'No account yet';
  const account = accounts.find(({ id }) => id === social_account_id);
  if (!account) return 'Account disconnected';
  return account.status === 'connected' ? null : 'Reconnect account';
}
