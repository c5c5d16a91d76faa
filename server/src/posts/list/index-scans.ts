// Posts of selected kinds, in an order that an index has for each kind, as a merge of index scans.
//
// The counters know how many posts each (status, type) has, so a total needs no counting, and only kinds that are wanted
// and not empty are scanned.
import { type SelectQueryBuilder, sql } from 'kysely';
import type { App } from '../../api/app.js';
import type { Reader } from '../../db/database.js';
import type { PostRow, PostTable, Tables } from '../../db/tables.js';
import { POST_STATUSES, type PostStatus } from '../state.js';
import type { Bound } from './bounds.js';
import { inOrder, type Order, type Sorted } from './orders.js';
import type { ListPosts } from './schema.js';

type Kind = Pick<PostRow, 'status' | 'post_type'> & { n: number };

export interface Wanted {
  orgId: string;
  /** Null: any status. */
  statuses: PostStatus[] | null;
  postType: PostRow['post_type'] | null;
  accountId: string | null;
  outcome: NonNullable<ListPosts['outcome']> | null;
  outcomeNot: NonNullable<ListPosts['outcome_not']> | null;
  /** Whether some posts of the organization are not wanted. */
  isFiltered: boolean;
  /** The kinds that exist among the wanted statuses, type and account, and how many posts are of each. */
  kinds: Kind[];
  /** How many there are; at most so many, if `isCounted` is false. */
  total: number;
  /** Only one of the outcomes has counters. */
  isCounted: boolean;
}

/** Above this, the posts that a list has to look at are read aside. */
export const FEW_POSTS = 2_000;

/** Where a look through posts, newest first, has come to. */
export type Place = Pick<PostRow, 'created_at' | 'id'>;

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

export async function findWanted(app: App, orgId: string, input: ListPosts): Promise<Wanted> {
  const statuses = wantedStatuses(input);
  const accountId = input.social_account_id ?? null;
  const { outcome = null, outcome_not: outcomeNot = null } = input;
  const all = await kindsOf(app, orgId, accountId, outcome, outcomeNot);
  const kinds = all.filter(
    (kind) =>
      kind.n > 0 &&
      (statuses?.includes(kind.status) ?? true) &&
      (input.post_type === undefined || kind.post_type === input.post_type),
  );
  const postType = input.post_type ?? null;
  const hasOutcome = outcome !== null || outcomeNot !== null;
  const isFiltered = statuses !== null || postType !== null || accountId !== null || hasOutcome;
  const total = kinds.reduce((sum, { n }) => sum + n, 0);
  const isCounted = outcome === null || (outcome === 'in_inbox' && outcomeNot === null);
  return { orgId, statuses, postType, accountId, outcome, outcomeNot, isFiltered, kinds, total, isCounted };
}

/** How many posts each kind has, or may have. */
async function kindsOf(
  app: App,
  orgId: string,
  accountId: string | null,
  outcome: Wanted['outcome'],
  outcomeNot: Wanted['outcomeNot'],
): Promise<Kind[]> {
  const inInbox = () =>
    accountId ? app.reads.inboxKindsOfAccount(orgId, accountId) : app.reads.inboxKinds(orgId);
  if (outcome === 'in_inbox') return inInbox();
  const all = await (accountId ? app.reads.postKindsOfAccount(orgId, accountId) : app.reads.postKinds(orgId));
  if (outcomeNot === null) return all;
  const left = await inInbox();
  return all.map((kind) => {
    const same = left.find(({ status, post_type }) => status === kind.status && post_type === kind.post_type);
    return { ...kind, n: kind.n - (same?.n ?? 0) };
  });
}

/** What is asked of the last outcome. Literals, so that the index of one outcome is seen to fit. */
export const outcomeConditions = ({ outcome, outcomeNot }: Pick<Wanted, 'outcome' | 'outcomeNot'>) => [
  ...(outcome === null ? [] : [sql<boolean>`last_outcome = ${sql.lit(outcome)}`]),
  ...(outcomeNot === null ? [] : [sql<boolean>`last_outcome is distinct from ${sql.lit(outcomeNot)}`]),
];

/** Which of the wanted posts are read, along the order of the list. */
export interface Stretch {
  most: number;
  /** Limits of the value that the list is sorted by. */
  bounds?: readonly Bound[];
  /** Only what comes after this place. */
  behind?: Sorted | null;
}

/** The ids of the first wanted posts of a stretch. Needs at least one kind. */
export const firstIds = (read: Reader, wanted: Wanted, order: Order, stretch: Stretch) =>
  inOrder(read.selectFrom(scansOf(read, wanted, order, stretch).as('scans')).select('id'), order);

/** The same without an order between the scans, to be counted. */
export function scansOf(read: Reader, wanted: Wanted, order: Order, stretch: Stretch) {
  const scans = wanted.kinds.flatMap((kind) =>
    partsOf(order, stretch).map((part) =>
      read.selectFrom(scan(read, wanted, kind, order, part, stretch).as('scan')).selectAll(),
    ),
  );
  const [first, ...others] = scans as [Scan, ...Scan[]];
  return others.reduce((all, one) => all.unionAll(one), first);
}

type Scan = SelectQueryBuilder<Tables, never, Pick<PostTable, 'id' | Order['column']>>;

/** An index has the posts without a value at one end, which differs by engine and direction: so those are scanned apart. */
type Part = 'all' | 'valued' | 'empty';

function partsOf({ isNullable }: Order, { bounds = [], behind = null }: Stretch): Part[] {
  if (!isNullable) return ['all'];
  if (bounds.length > 0) return ['valued'];
  return behind !== null && behind.sorted_by === null ? ['empty'] : ['valued', 'empty'];
}

/**
 * One scan along the index of its kind. It is limited to `most`, in case it alone fills the page: without that limit SQLite,
 * once it has statistics, sorts whole kinds before merging: 126 times slower at a million posts.
 */
function scan(
  read: Reader,
  wanted: Wanted,
  kind: Kind,
  { column, direction }: Order,
  part: Part,
  { most, bounds = [], behind = null }: Stretch,
) {
  let posts = ofKind(read, wanted, kind);
  if (part !== 'all') posts = posts.where(column, part === 'empty' ? 'is' : 'is not', null);
  for (const { side, at } of bounds) posts = posts.where(column, side, at);
  const after = direction === 'asc' ? '>' : '<';
  if (behind !== null && part === 'empty' && behind.sorted_by === null)
    posts = posts.where('id', after, behind.id);
  if (behind !== null && part !== 'empty')
    posts = posts.where((eb) =>
      eb(eb.refTuple(column, 'id'), after, eb.tuple(behind.sorted_by as never, behind.id)),
    );
  // Nulls are not named: Postgres uses no index whose order has another place for them.
  return posts.select(['id', column]).orderBy(column, direction).orderBy('id', direction).limit(most);
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

function ofKind(read: Reader, wanted: Wanted, kind: Kind) {
  const { orgId, accountId } = wanted;
  let query = read
    .selectFrom('posts')
    .where('org_id', '=', orgId)
    .where('status', '=', kind.status)
    .where('post_type', '=', kind.post_type);
  for (const condition of outcomeConditions(wanted)) query = query.where(condition);
  return accountId ? query.where('social_account_id', '=', accountId) : query;
}

function wantedStatuses(input: ListPosts): PostStatus[] | null {
  if (input.status === undefined) return null;
  const wanted = new Set(input.status.split(','));
  const statuses = POST_STATUSES.filter((status) => wanted.has(status));
  return statuses.length === POST_STATUSES.length ? null : statuses;
}
