import type { SocialAccount } from '@airdate/sdk/core';
import { AccountAvatar } from './AccountAvatar.js';
import classes from './AccountTag.module.css';

type Named = Pick<SocialAccount, 'username' | 'display_name' | 'avatar_url'>;

/** Which account: its picture or initials, and its name. */
export function AccountTag({
  account,
  name = account.username,
  size = 18,
}: {
  account: Named;
  name?: string;
  size?: number;
}) {
  return (
    <span className={classes.tag}>
      <AccountAvatar account={account} size={size} className={classes.avatar} />
      <span className={classes.name}>{name}</span>
    </span>
  );
}
