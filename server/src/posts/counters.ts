// Exact counts of posts by organization, status, type, account and whether published, updated in the transaction of each
// change. Totals of lists and figures of analytics come from here, so both cost the same at a hundred posts and at a
// million; counting rows would not.

import { requireKnownAccount } from '../accounts/accounts.js';
import type { App } from '../app/app.js';
import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import { prepareWrite } from '../db/prepared-statements.js';
import { NO_ACCOUNT, type PostCounterTable, type PostRow } from '../db/tables.js';
import type { Caller } from '../request/caller.js';
import { postCounts, resolveListQuery } from './list/query.js';
import type { CountPosts, PostCounts } from './list/schema.js';

type Counted = Pick<PostRow, 'org_id' | 'id' | 'status' | 'post_type' | 'social_account_id' | 'posted_at'>;
type Cell = Omit<PostCounterTable, 'n'>;

/** Counts posts that were created (`after` only), deleted (`before` only) or changed (both), and notes the changes. */
export async function recordPostChanges(
  tx: Tx,
  changes: readonly { before?: Counted | null; after?: Counted | null }[],
): Promise<void> {
  const deltas = new Map<string, PostCounterTable>();
  for (const { before, after } of changes) {
    for (const [counted, by] of [[before, -1] as const, [after, +1] as const]) {
      if (!counted) continue;
      const cell: Cell = {
        org_id: counted.org_id,
        status: counted.status,
        post_type: counted.post_type,
        account_id: counted.social_account_id ?? NO_ACCOUNT,
        published: counted.posted_at === null ? 0 : 1,
      };
      const key = Object.values(cell).join(' ');
      deltas.set(key, { ...cell, n: (deltas.get(key)?.n ?? 0) + by });
    }
    const post = after ?? before;
    if (post) markChanged(tx, post.org_id, { posts: [post.id] });
  }
  // Always in the same order, so that two transactions on the same cells cannot deadlock. Posts are locked before counters
  // everywhere, for the same reason.
  for (const key of [...deltas.keys()].sort()) {
    const { org_id, status, post_type, account_id, published, n } = deltas.get(key) as PostCounterTable;
    if (n !== 0) await bump(tx, org_id, status, post_type, account_id, published, n);
  }
}

const bump = prepareWrite(
  (
    tx,
    org_id: string,
    status: Cell['status'],
    post_type: Cell['post_type'],
    account_id: string,
    published: Cell['published'],
    n: number,
  ) =>
    tx
      .insertInto('post_counters')
      .values({ org_id, status, post_type, account_id, published, n })
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'status', 'post_type', 'account_id', 'published'])
          .doUpdateSet((eb) => ({ n: eb('post_counters.n', '+', n) })),
      ),
);

/** A list that has to look at more posts than this is read aside (`readLong`). */
export const FEW_POSTS = 2_000;

/** How many posts an organization has. */
export async function countAllPosts({ db }: App, orgId: string): Promise<number> {
  return (await postCounts.all(db.read, orgId)).reduce((sum, { n }) => sum + n, 0);
}

/** How many posts of each status there are: the cost does not depend on the number of posts. */
export async function countPosts(app: App, caller: Caller, query: CountPosts): Promise<PostCounts> {
  const account = query.social_account_id?.toLowerCase();
  if (account !== undefined) await requireKnownAccount(app.db.read, caller.orgId, account);
  const input = account === undefined ? query : { ...query, social_account_id: account };
  const counts = { draft: 0, scheduled: 0, publishing: 0, posted: 0, archived: 0, in_inbox: 0 };
  for (const { status, n } of (await resolveListQuery(app, caller.orgId, input)).counts) counts[status] += n;
  const inInbox = await resolveListQuery(app, caller.orgId, {
    ...input,
    status: 'posted',
    outcome: 'in_inbox',
  });
  counts.in_inbox = inInbox.total;
  return counts;
}
