// Exact counts of posts by organization, status, type, account and whether published, updated in the transaction of each
// change. Totals of lists and figures of analytics come from here, so both cost the same at a hundred posts and at a
// million; counting rows would not.

import { type Kysely, sql } from 'kysely';
import { requireKnownAccount } from '../accounts/accounts.js';
import { markChanged } from '../db/changes.js';
import type { Database, Tx } from '../db/database.js';
import { prepareWrite } from '../db/prepared-statements.js';
import type { PostCounterTable, PostRow, Tables } from '../db/tables.js';
import type { App } from '../request/app.js';
import type { Caller } from '../request/caller.js';
import { resolveFilter } from './list/filter.js';
import type { CountPosts, PostCounts } from './list/schema.js';

/** Stands for "no account" in the counters' key. */
export const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

type Counted = Pick<PostRow, 'org_id' | 'id' | 'status' | 'post_type' | 'social_account_id' | 'posted_at'>;
type Cell = Omit<PostCounterTable, 'n'>;

/** Counts posts that were created (`after` only), deleted (`before` only) or changed (both), and notes the changes. */
export async function recordPostChanges(
  tx: Tx,
  changes: readonly { before?: Counted | null; after?: Counted | null }[],
): Promise<void> {
  const deltas = new Map<string, { cell: Cell; n: number }>();
  for (const { before, after } of changes) {
    if (before) add(deltas, before, -1);
    if (after) add(deltas, after, +1);
    const post = after ?? before;
    if (post) markChanged(tx, post.org_id, { posts: [post.id] });
  }
  // Always in the same order, so that two transactions on the same cells cannot deadlock. Posts are locked before counters
  // everywhere, for the same reason.
  for (const key of [...deltas.keys()].sort()) {
    const { cell, n } = deltas.get(key) as { cell: Cell; n: number };
    if (n === 0) continue;
    await bump(tx, cell.org_id, cell.status, cell.post_type, cell.account_id, cell.published, n);
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

function add(deltas: Map<string, { cell: Cell; n: number }>, post: Counted, by: number): void {
  const cell = cellOf(post);
  const key = keyOf(cell);
  const delta = deltas.get(key);
  if (delta) delta.n += by;
  else deltas.set(key, { cell, n: by });
}

const cellOf = (post: Counted): Cell => ({
  org_id: post.org_id,
  status: post.status,
  post_type: post.post_type,
  account_id: post.social_account_id ?? NO_ACCOUNT,
  published: post.posted_at === null ? 0 : 1,
});

const keyOf = (cell: Cell) =>
  [cell.org_id, cell.status, cell.post_type, cell.account_id, cell.published].join(' ');

/** How many posts of each status there are: the cost does not depend on the number of posts. */
export async function countPosts(app: App, caller: Caller, asked: CountPosts): Promise<PostCounts> {
  const account = asked.social_account_id?.toLowerCase();
  if (account !== undefined) await requireKnownAccount(app.db.read, caller.orgId, account);
  const input = account === undefined ? asked : { ...asked, social_account_id: account };
  const counts = { draft: 0, scheduled: 0, publishing: 0, posted: 0, archived: 0, in_inbox: 0 };
  for (const { status, n } of (await resolveFilter(app, caller.orgId, input)).kinds) counts[status] += n;
  const inInbox = await resolveFilter(app, caller.orgId, { ...input, status: 'posted', outcome: 'in_inbox' });
  counts.in_inbox = inInbox.total;
  return counts;
}

/** Counts the posts themselves and returns every cell whose counter differs. */
export async function recountPosts(db: Database): Promise<{ cell: string; counted: number; kept: number }[]> {
  const zero = sql<number>`0`;
  const published = sql<Cell['published']>`case when posted_at is null then 0 else 1 end`;
  const counted = db.read
    .selectFrom('posts')
    .select((eb) => [
      'org_id',
      'status',
      'post_type',
      'social_account_id',
      published.as('published'),
      eb.fn.countAll<number>().as('counted'),
      zero.as('kept'),
    ])
    .groupBy(['org_id', 'status', 'post_type', 'social_account_id', published]);
  const kept = db.read
    .selectFrom('post_counters')
    .select((eb) => [
      'org_id',
      'status',
      'post_type',
      eb
        .fn<string | null>('nullif', ['account_id', eb.cast(eb.val(NO_ACCOUNT), accountType(db))])
        .as('social_account_id'),
      'published',
      zero.as('counted'),
      'n as kept',
    ]);
  // One statement sees one snapshot, even while others write.
  const rows = await db.read
    .selectFrom(counted.unionAll(kept).as('both'))
    .select((eb) => [
      'org_id',
      'status',
      'post_type',
      'social_account_id',
      'published',
      eb.fn.sum<number>('counted').as('counted'),
      eb.fn.sum<number>('kept').as('kept'),
    ])
    .groupBy(['org_id', 'status', 'post_type', 'social_account_id', 'published'])
    .having((eb) => eb(eb.fn.sum('counted'), '<>', eb.fn.sum('kept')))
    .execute();
  return rows.map(({ counted, kept, ...cell }) => ({
    cell: Object.values(cell).join(' '),
    counted: Number(counted),
    kept: Number(kept),
  }));
}

/** The same for the posts in the inbox, which triggers count. */
export async function recountInbox(db: Database): Promise<{ cell: string; counted: number; kept: number }[]> {
  const noAccount = sql<string>`cast(${NO_ACCOUNT} as ${sql.raw(accountType(db))})`;
  const { rows } = await sql<{ cell: string; counted: number; kept: number }>`
    select org_id || ' ' || status || ' ' || post_type || ' ' || account_id as cell,
      sum(counted) as counted, sum(kept) as kept
    from (
      select org_id, status, post_type, coalesce(social_account_id, ${noAccount}) as account_id, 1 as counted, 0 as kept
        from posts where last_outcome = 'in_inbox'
      union all
      select org_id, status, post_type, account_id, 0, n from inbox_counters
    ) as both_sides
    group by org_id, status, post_type, account_id
    having sum(counted) <> sum(kept)`.execute(db.read as Kysely<Tables>);
  return rows.map(({ cell, counted, kept }) => ({ cell, counted: Number(counted), kept: Number(kept) }));
}

const accountType = (db: Database) => (db.engine === 'sqlite' ? 'text' : 'uuid');
