// Posts of selected kinds, in an order that an index has for each kind, as a merge of index scans.
//
// The counters know how many posts each (status, type) has, so a total needs no counting, and only kinds that are wanted
// and not empty are scanned.
import type { SelectQueryBuilder } from 'kysely';
import type { App } from '../../api/app.js';
import type { Reader } from '../../db/database.js';
import type { PostRow, PostTable, Tables } from '../../db/tables.js';
import { POST_STATUSES, type PostStatus } from '../state.js';
import { inOrder, type Order } from './orders.js';
import type { ListPosts } from './schema.js';

type Kind = Pick<PostRow, 'status' | 'post_type'> & { n: number };

export interface Wanted {
  orgId: string;
  /** Null: any status. */
  statuses: PostStatus[] | null;
  postType: PostRow['post_type'] | null;
  accountId: string | null;
  /** Whether some posts of the organization are not wanted. */
  isFiltered: boolean;
  /** The kinds that exist among the wanted statuses, type and account, and how many posts are of each. */
  kinds: Kind[];
  total: number;
}

/** Above this, the posts that a list has to look at are read aside. */
export const FEW_POSTS = 2_000;

/** Where a look through posts, newest first, has come to. */
export type Place = Pick<PostRow, 'created_at' | 'id'>;

/** What the conditions of a search need to know of a post. */
export const SEARCHED_COLUMNS = [
  'id',
  'created_at',
  'status',
  'scheduled_at',
  'last_slot',
  'posted_at',
  'social_account_id',
  'last_publish_error',
  'title_key',
] as const satisfies (keyof PostTable)[];

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
  const postType = input.post_type ?? null;
  const isFiltered = statuses !== null || postType !== null || accountId !== null;
  const total = kinds.reduce((sum, { n }) => sum + n, 0);
  return { orgId, statuses, postType, accountId, isFiltered, kinds, total };
}

/** The ids of the first `most` wanted posts. Needs at least one kind. */
export function firstIds(read: Reader, wanted: Wanted, order: Order, most: number) {
  const scan = (kind: Kind) =>
    read
      .selectFrom(postsOf(read, wanted, kind, order, most).select(['id', order.column]).as('scan'))
      .selectAll();
  const [first, ...others] = wanted.kinds as [Kind, ...Kind[]];
  const merged = others.reduce((all, kind) => all.unionAll(scan(kind)), scan(first));
  return inOrder(read.selectFrom(merged.as('scans')).select('id'), order);
}

/** What a search looks at: the `most` newest wanted posts behind a place. Needs at least one kind. */
export function newestBehind(read: Reader, wanted: Wanted, place: Place, most: number) {
  if (!wanted.isFiltered)
    return behind(read.selectFrom('posts').where('org_id', '=', wanted.orgId), place, most);
  const scan = (kind: Kind) =>
    read.selectFrom(behind(ofKind(read, wanted, kind), place, most).as('scan')).selectAll();
  const [first, ...others] = wanted.kinds as [Kind, ...Kind[]];
  const merged = others.reduce((all, kind) => all.unionAll(scan(kind)), scan(first));
  return read
    .selectFrom(merged.as('scans'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most);
}

const behind = (posts: SelectQueryBuilder<Tables, 'posts', object>, place: Place, most: number) =>
  posts
    .where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(place.created_at, place.id)))
    .select(SEARCHED_COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most);

/**
 * One scan along the index of its kind. It is limited to `most`, in case it alone fills the page: without that limit SQLite,
 * once it has statistics, sorts whole kinds before merging: 126 times slower at a million posts.
 */
function postsOf(read: Reader, wanted: Wanted, kind: Kind, order: Order, most: number) {
  return inOrder(ofKind(read, wanted, kind), order).limit(most);
}

function ofKind(read: Reader, { orgId, accountId }: Wanted, kind: Kind) {
  const query = read
    .selectFrom('posts')
    .where('org_id', '=', orgId)
    .where('status', '=', kind.status)
    .where('post_type', '=', kind.post_type);
  return accountId ? query.where('social_account_id', '=', accountId) : query;
}

function wantedStatuses(input: ListPosts): PostStatus[] | null {
  if (input.status === undefined) return null;
  const wanted = new Set(input.status.split(','));
  const statuses = POST_STATUSES.filter((status) => wanted.has(status));
  return statuses.length === POST_STATUSES.length ? null : statuses;
}
