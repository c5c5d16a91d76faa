// Posts of selected statuses and types, in an order that an index has for each of them, as a merge of index scans.
import type { SelectQueryBuilder } from 'kysely';
import type { Reader } from '../../db/database.js';
import type { PostRow, PostTable, Tables } from '../../db/tables.js';
import { inOrder, type Order, type Sorted } from './orders.js';
import { filteredPosts, type ListQuery, type StatusTypeCount } from './query.js';

/** Where a look through posts, newest first, has come to. */
export type ScanCursor = Pick<PostRow, 'created_at' | 'id'>;

/** What the conditions of a search need to know of a post. */
export const SEARCHED_COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'status',
  'scheduled_at',
  'last_slot',
  'posted_at',
  'social_account_id',
  'last_publish_error',
  'title_key',
] as const satisfies (keyof PostTable)[];

/** How much is read of the wanted posts, along the order of the list. */
export interface ScanRange {
  limit: number;
  /** Only what comes after this position. */
  after?: Sorted | null;
}

/** The ids of the first wanted posts. Bounds are of the value that the list is sorted by. Needs at least one status and type. */
export const firstIds = (read: Reader, query: ListQuery, range: ScanRange) =>
  inOrder(read.selectFrom(scansOf(read, query, range).as('scans')).select('id'), query.order);

/** The same without an order between the scans, to be counted. */
export function scansOf(read: Reader, query: ListQuery, range: ScanRange) {
  const scans = query.counts.flatMap((count) =>
    partsOf(query, range).map((part) =>
      read.selectFrom(scan(read, query, count, part, range).as('scan')).selectAll(),
    ),
  );
  const [first, ...others] = scans as [Scan, ...Scan[]];
  return others.reduce((all, one) => all.unionAll(one), first);
}

type Scan = SelectQueryBuilder<Tables, never, Pick<PostTable, 'id' | Order['column']>>;

/** An index has the posts without a value at one end, which differs by engine and direction: so those are scanned apart. */
type Part = 'all' | 'valued' | 'empty';

function partsOf({ order, bounds }: ListQuery, { after = null }: ScanRange): Part[] {
  if (!order.isNullable) return ['all'];
  if (bounds.length > 0) return ['valued'];
  return after !== null && after.sorted_by === null ? ['empty'] : ['valued', 'empty'];
}

/**
 * One scan along the index of a status and type. It is limited to `limit`, in case it alone fills the page: without that limit SQLite,
 * once it has statistics, sorts all posts of each before merging: 126 times slower at a million posts.
 */
function scan(
  read: Reader,
  query: ListQuery,
  count: StatusTypeCount,
  part: Part,
  { limit, after = null }: ScanRange,
) {
  const { column, direction } = query.order;
  let posts = withStatusAndType(read, query, count);
  if (part !== 'all') posts = posts.where(column, part === 'empty' ? 'is' : 'is not', null);
  for (const { side, at } of query.bounds) posts = posts.where(column, side, at);
  const beyond = direction === 'asc' ? '>' : '<';
  if (after !== null && part === 'empty' && after.sorted_by === null)
    posts = posts.where('id', beyond, after.id);
  if (after !== null && part !== 'empty')
    posts = posts.where((eb) =>
      eb(eb.refTuple(column, 'id'), beyond, eb.tuple(after.sorted_by as never, after.id)),
    );
  // Nulls are not named: Postgres uses no index that sorts them to the other end.
  return posts.select(['id', column]).orderBy(column, direction).orderBy('id', direction).limit(limit);
}

/** What a search looks at: the `limit` newest wanted posts after a cursor. Needs at least one status and type. */
export function newestAfter(read: Reader, query: ListQuery, after: ScanCursor, limit: number) {
  if (!query.isFiltered)
    return newestOf(read.selectFrom('posts').where('org_id', '=', query.orgId), after, limit);
  const scan = (count: StatusTypeCount) =>
    read.selectFrom(newestOf(withStatusAndType(read, query, count), after, limit).as('scan')).selectAll();
  const [first, ...others] = query.counts as [StatusTypeCount, ...StatusTypeCount[]];
  const merged = others.reduce((all, count) => all.unionAll(scan(count)), scan(first));
  return read
    .selectFrom(merged.as('scans'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
}

const newestOf = (posts: SelectQueryBuilder<Tables, 'posts', object>, after: ScanCursor, limit: number) =>
  posts
    .where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(after.created_at, after.id)))
    .select(SEARCHED_COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);

const withStatusAndType = (read: Reader, query: ListQuery, { status, post_type }: StatusTypeCount) =>
  filteredPosts(read, { ...query, statuses: [status], postType: post_type });
