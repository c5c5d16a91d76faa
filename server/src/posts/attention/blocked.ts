// Posts that wait because the platform has blocked their account, or the app: one row for each, with the cause and the time.
import { type Block, blockOf, causeOf, readPlatformBlocks } from '../../accounts/blocks.js';
import type { Reader } from '../../db/database.js';
import type { SocialAccountRow } from '../../db/tables.js';
import { counted, type Group, groupBy } from './rows.js';
import type { WillFail } from './will-fail.js';

type BlockedAccount = Pick<SocialAccountRow, 'id' | 'username' | 'platform'> & {
  block: Block;
  isOfPlatform: boolean;
};

/** By id. There are hardly ever any. */
export async function blockedAccounts(read: Reader, orgId: string): Promise<Map<string, BlockedAccount>> {
  const platforms = await readPlatformBlocks(read);
  const accounts = await read
    .selectFrom('social_accounts')
    .select(['id', 'username', 'platform', 'blocked_until', 'block_reason'])
    .where('org_id', '=', orgId)
    .where('status', '=', 'connected')
    .where((eb) =>
      platforms.size === 0
        ? eb('blocked_until', 'is not', null)
        : eb.or([eb('blocked_until', 'is not', null), eb('platform', 'in', [...platforms.keys()])]),
    )
    .execute();
  return new Map(
    accounts.flatMap(({ id, username, ...account }) => {
      const block = blockOf(account, platforms);
      const { platform } = account;
      const isOfPlatform = block === platforms.get(platform);
      return block ? [[id, { id, username, platform, block, isOfPlatform }]] : [];
    }),
  );
}

export const BLOCKED = 'account_blocked';

export function groupBlocked(
  failing: readonly WillFail[],
  accounts: ReadonlyMap<string, BlockedAccount>,
): Group[] {
  const waiting = failing.flatMap(({ post, problems }) => {
    const account = accounts.get(post.social_account_id ?? '');
    return account && problems.some(({ code }) => code === BLOCKED) ? [{ ...post, account }] : [];
  });
  const keyOf = ({ account }: (typeof waiting)[number]) =>
    account.isOfPlatform ? `the app on ${account.platform}` : account.id;
  return groupBy(waiting, keyOf).map((posts) => {
    const [{ account }] = posts;
    const { block, isOfPlatform } = account;
    const isOneAccount = posts.every((post) => post.account.id === account.id);
    const cause = causeOf(block);
    const what = isOfPlatform
      ? `${cause.charAt(0).toUpperCase()}${cause.slice(1)}`
      : `${account.username}: ${cause}`;
    return {
      cause: 'account_blocked',
      account: isOneAccount ? account : undefined,
      blockedUntil: block.until,
      count: posts.length,
      posts,
      message: `${what}. ${counted(posts.length, 'post waits.', 'posts wait.')}`,
    };
  });
}
