// "Try again": a person says that a block may be over. The next post goes first, as it would at the end of the block; nothing
// else is sent before the platform has accepted it.

import { lockAccount, readAccount } from '../../../accounts/accounts.js';
import { runningBlock } from '../../../accounts/blocks.js';
import type { SocialAccount } from '../../../accounts/schema.js';
import type { TxApp } from '../../../app/app.js';
import { byCaller, recordAudit } from '../../../audit/record.js';
import { asUuid } from '../../../core/ids.js';
import { notFound } from '../../../core/problems.js';
import { markChanged } from '../../../db/changes.js';
import type { Tx } from '../../../db/database.js';
import { isRow } from '../../../db/is-row.js';
import type { CallerWithAddress } from '../../../request/caller.js';
import { resumeAllAfterBlock, resumeFirstOfPlatform } from './waiting-posts.js';

export async function unblockAccount(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
): Promise<SocialAccount> {
  const before = await readAccount(tx, caller, id);
  const [account] = await lockAccount(tx, caller.orgId, asUuid(id) ?? '');
  if (!account) throw notFound('account');
  const now = app.clock.now();
  const block = runningBlock(account, now);
  if (block === null) return before;
  await tx
    .updateTable('social_accounts')
    .set({ blocked_until: now })
    .where(isRow(account))
    .where('blocked_until', '>', now)
    .execute();
  const ofPlatform = await tx
    .updateTable('platform_blocks')
    .set({ blocked_until: now })
    .where('platform', '=', account.platform)
    .where('blocked_until', '>', now)
    .returning('platform')
    .executeTakeFirst();
  await resumeAllAfterBlock(tx, account);
  // The account may have no post that could go first.
  if (ofPlatform) await resumeFirstOfPlatform(tx, account.platform);
  markChanged(tx, account.org_id, { accounts: true });
  await recordAudit(app, tx, byCaller(caller), {
    action: 'account.unblocked',
    target: { id: account.id, name: before.username },
    details: { reason: block.reason },
  });
  return readAccount(tx, caller, id);
}
