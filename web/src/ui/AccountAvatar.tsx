import type { SocialAccount } from '@airdate/sdk/core';
import { Avatar } from '@mantine/core';
import classes from './AccountTag.module.css';

export type Pictured = Pick<SocialAccount, 'username' | 'display_name' | 'avatar_url'>;

/** The account's picture, or its initials; nothing else shows `avatar_url`. Decoration: its name is beside it. */
export function AccountAvatar({
  account,
  size = 40,
  className = '',
}: {
  account: Pictured;
  size?: number;
  className?: string | undefined;
}) {
  return (
    <Avatar
      src={isOurs(account.avatar_url) ? account.avatar_url : null}
      alt=""
      aria-hidden
      size={size}
      className={className}
      radius="xl"
      name={nameFor(size, account.display_name ?? account.username)}
      color="gray"
    />
  );
}

/** Two initials cannot be read in a very small circle. */
const nameFor = (size: number, name: string) => (size < 20 ? name.slice(0, 1) : name);

/** Pictures of other hosts are not fetched: they would tell the platform who looks at this page, and when. */
function isOurs(url: string | null): boolean {
  return url !== null && URL.parse(url, window.location.href)?.origin === window.location.origin;
}

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
      <span className={classes.name} dir="auto">
        {name}
      </span>
    </span>
  );
}
