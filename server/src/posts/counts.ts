// How many posts of each status there are, read from counters: the cost does not depend on the number of posts.
import { accountMustBeKnown } from '../accounts/accounts.js';
import type { App } from '../api/app.js';
import type { Caller } from '../api/caller.js';
import { findWanted } from './list/index-scans.js';
import type { CountPosts, PostCounts } from './list/schema.js';

export async function countPosts(app: App, caller: Caller, asked: CountPosts): Promise<PostCounts> {
  const account = asked.social_account_id?.toLowerCase();
  if (account !== undefined) await accountMustBeKnown(app.db.read, caller.orgId, account);
  const input = account === undefined ? asked : { ...asked, social_account_id: account };
  const counts = { draft: 0, scheduled: 0, publishing: 0, posted: 0, archived: 0, in_inbox: 0 };
  for (const { status, n } of (await findWanted(app, caller.orgId, input)).kinds) counts[status] += n;
  const inInbox = await findWanted(app, caller.orgId, { ...input, status: 'posted', outcome: 'in_inbox' });
  counts.in_inbox = inInbox.total;
  return counts;
}
