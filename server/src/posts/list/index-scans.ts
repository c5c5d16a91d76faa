// Posts of selected kinds, newest first, as a merge of index scans.
//
// The counters know how many posts each (status, type) has, so a total needs no counting, and only kinds that are wanted
// and not empty are scanned.
import type { App } from '../../api/app.js';
import type { Reader } from '../../db/database.js';
import type { PostRow } from '../../db/tables.js';
import type { ListPosts } from '../schema.js';
import { POST_STATUSES, type PostStatus } from '../state.js';

type Kind = Pick<PostRow, 'status' | 'post_type'>;

export interface Wanted {
  orgId: string;
  /** Null: any status. */
  statuses: PostStatus[] | null;
  accountId: string | null;
  /** The kinds that exist among the wanted statuses, type and account. */
  kinds: Kind[];
  total: number;
}

export async function findWanted(app: App, orgId: string, input: ListPosts): Promise<Wanted> {
  const statuses = wantedStatuses(input);
  const accountId = input.social_account_id ?? null;
  const all = await (accountId ? app.reads.postKindsOfAccount(orgId, accountId) : app.reads.postKinds(orgId));
  const kinds = all.filter(
    (kind) =>
      kind.n > 0 &&
      (statuses?.includes(kind.status) ?? true) &&
      (input.post_type === undefined || kind.post_type === input.post_type),
  );
  return { orgId, statuses, accountId, kinds, total: kinds.reduce((sum, { n }) => sum + n, 0) };
}

/** The ids of the `most` newest wanted posts, newest first. Needs at least one kind. */
export function newestIds(read: Reader, wanted: Wanted, most: number) {
  const scan = (kind: Kind) =>
    read.selectFrom(postsOf(read, wanted, kind, most).select(['id', 'created_at']).as('scan')).selectAll();
  const [first, ...others] = wanted.kinds as [Kind, ...Kind[]];
  const merged = others.reduce((all, kind) => all.unionAll(scan(kind)), scan(first));
  return read.selectFrom(merged.as('scans')).select('id').orderBy('created_at', 'desc').orderBy('id', 'desc');
}

/** The rows that a search reads: the `most` newest wanted posts, newest first. Needs at least one kind. */
export function newestToSearch(read: Reader, wanted: Wanted, most: number) {
  const columns = ['id', 'created_at', 'search_text', 'scheduled_at', 'posted_at', 'status'] as const;
  const scan = (kind: Kind) =>
    read.selectFrom(postsOf(read, wanted, kind, most).select(columns).as('scan')).selectAll();
  const [first, ...others] = wanted.kinds as [Kind, ...Kind[]];
  const merged = others.reduce((all, kind) => all.unionAll(scan(kind)), scan(first));
  return read
    .selectFrom(merged.as('scans'))
    .select(columns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most);
}

/**
 * One scan along the index of its kind. It is limited to `most`, in case it alone fills the page: without that limit SQLite,
 * once it has statistics, sorts whole kinds before merging: 126 times slower at a million posts.
 */
function postsOf(read: Reader, { orgId, accountId }: Wanted, kind: Kind, most: number) {
  let query = read
    .selectFrom('posts')
    .where('org_id', '=', orgId)
    .where('status', '=', kind.status)
    .where('post_type', '=', kind.post_type);
  if (accountId) query = query.where('social_account_id', '=', accountId);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(most);
}

function wantedStatuses(input: ListPosts): PostStatus[] | null {
  if (input.status === undefined) return null;
  const wanted = new Set(input.status.split(','));
  const statuses = POST_STATUSES.filter((status) => wanted.has(status));
  return statuses.length === POST_STATUSES.length ? null : statuses;
}
