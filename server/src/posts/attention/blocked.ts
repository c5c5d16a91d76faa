// Posts that wait because the platform has blocked their account, or the app: one row for each, with the cause and the time.
import { type Block, blockColumns, blockOf, causeOf } from '../../accounts/blocks.js';
import type { Reader } from '../../db/database.js';
import type { SocialAccountRow } from '../../db/tables.js';
import { counted, type Group, groupBy } from './rows.js';
import type { WillFail } from './will-fail.js';

type BlockedAccount = Pick<SocialAccountRow, 'id' | 'username' | 'platform'> & {
  block: Block;
  isOfPlatform: boolean;
};

/** The blocked accounts, by id. There are hardly ever any. */
export async function blockedAccounts(read: Reader, orgId: string): Promise<Map<string, BlockedAccount>> {
  const accounts = await read
    .selectFrom('social_accounts')
    .select((eb) => ['id', 'username', 'platform', ...blockColumns(eb)])
    .where('org_id', '=', orgId)
    .where('status', '=', 'connected')
    .where((eb) =>
      eb.or([
        eb('blocked_until', 'is not', null),
        eb('platform', 'in', eb.selectFrom('platform_blocks').select('platform_blocks.platform')),
      ]),
    )
    .execute();
  return new Map(
    accounts.flatMap(({ id, username, ...account }) => {
      const block = blockOf(account);
      const { platform } = account;
      const isOfPlatform = block !== null && block.until > (account.blocked_until ?? 0);
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
