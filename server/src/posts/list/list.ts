// Lists of posts whose cost depends on the page, not on the size of the organization.
//
// The plain list takes its total from the counters and its rows from a merge of index scans (index-scans.ts). A range of the value
// that the list is sorted by is read in the same way. Other filters have no counters and no such index: see matching.ts. Search
// has a folder of its own.
import { accountMustBeKnown } from '../../accounts/accounts.js';
import type { App } from '../../api/app.js';
import type { Caller } from '../../api/caller.js';
import { FAR_OFFSET, MAX_REACHABLE, type Page, paginate, window } from '../../api/pagination.js';
import type { Reader } from '../../db/database.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import { labelMustBeKnown } from '../labels/labels.js';
import { getPostRow } from '../posts.js';
import { etagOf, presentPost } from '../present.js';
import { readinessOfPosts } from '../readiness/load.js';
import type { Post } from '../schema.js';
import { searchPosts } from '../search/search.js';
import { wordsOf } from '../search/text.js';
import { type Bound, boundsOf } from './bounds.js';
import { addCovers } from './covers.js';
import { readCursor, writeCursor } from './cursor.js';
import { FEW_POSTS, findWanted, firstIds, scansOf, type Wanted } from './index-scans.js';
import { byIds, countUpTo, type Found, listLabelled, listMatching, type Slice } from './matching.js';
import { compareIn, inOrder, NEWEST_FIRST, type Order, orderOf, type Sorted } from './orders.js';
import { type IncludeInPost, includes, type ListPosts } from './schema.js';

interface PostPage extends Page<Post> {
  next_cursor?: string | null;
}

export async function listPosts(app: App, caller: Caller, asked: ListPosts): Promise<PostPage> {
  const { orgId } = caller;
  const input = { ...asked };
  if (asked.social_account_id) {
    input.social_account_id = asked.social_account_id.toLowerCase();
    await accountMustBeKnown(app.db.read, orgId, input.social_account_id);
  }
  if (asked.label) {
    input.label = asked.label.toLowerCase();
    await labelMustBeKnown(app.db.read, orgId, input.label);
  }
  const cursor = readCursor(app, orgId, input);
  const { limit, offset } = window(input);
  // With a cursor one more, to know whether there is a next page.
  const slice = cursor ? { limit: limit + 1, offset: 0, ...cursor } : { limit, offset, behind: null };
  const wanted = await findWanted(app, orgId, input);
  const found = await find(app, wanted, input, slice);
  const rows = found.rows.slice(0, limit);
  const posts = rows.map(presentPost);
  if (input.include !== undefined)
    await app.expensiveReads(orgId, () => addIncluded(app, orgId, rows, posts, input.include), 'covers');
  const page = paginate(posts, input, found.total);
  if (cursor === null) return page;
  const last = found.rows.length > limit ? rows.at(-1) : undefined;
  const place = last && (await placeOf(app.db.read, last, orderOf(input)));
  return { ...page, next_cursor: place ? writeCursor(app, orgId, input, place) : null };
}

async function placeOf(read: Reader, row: PostRow, { column }: Order): Promise<Sorted> {
  const { org_id, id } = row;
  if (column !== 'title_key') return { id, sorted_by: row[column] };
  const kept = await read
    .selectFrom('posts')
    .select('title_key')
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .executeTakeFirst();
  return { id, sorted_by: kept?.title_key ?? null };
}

/** One post, as the list shows it. Its ETag is null with `include`. */
export async function showPost(
  app: App,
  caller: Caller,
  id: string,
  { include }: IncludeInPost,
): Promise<{ post: Post; etag: string | null }> {
  const row = await getPostRow(app, caller, id);
  const post = presentPost(row);
  if (include === undefined) return { post, etag: etagOf(row) };
  await addIncluded(app, caller.orgId, [row], [post], include);
  return { post, etag: null };
}

/** Adds to posts what `include` asks for. `rows` are theirs, in the same order. */
async function addIncluded(
  app: App,
  orgId: string,
  rows: PostRow[],
  posts: Post[],
  include: string | undefined,
): Promise<void> {
  if (includes(include, 'cover')) await addCovers(app, orgId, posts);
  if (!includes(include, 'readiness')) return;
  const readiness = await readinessOfPosts(app, app.db.read, orgId, rows);
  for (const post of posts) post.readiness = readiness.get(post.id) ?? null;
}

function find(app: App, wanted: Wanted, input: ListPosts, slice: Slice): Promise<Found> | Found {
  const words = input.q === undefined ? [] : wordsOf(input.q);
  if (wanted.total === 0) return { rows: [], total: 0 };
  if (words.length > 0) return findWords(app, wanted, input, words, slice);
  const inTurn = (list: (read: Reader) => Promise<Found>) =>
    app.expensiveReads(wanted.orgId, () => list(wanted.total > FEW_POSTS ? app.db.readAside : app.db.read));
  const order = orderOf(input);
  const bounds = boundsOf(input);
  const isPlain = !wanted.isFiltered && order === NEWEST_FIRST && bounds.length === 0;
  const isAlongOrder = bounds.every(({ column }) => column === order.column);
  if (!isAlongOrder || input.needs_attention || (input.label && !isPlain))
    return inTurn((read) => listMatching(app, read, wanted, input, slice));
  const { label } = input;
  if (label) return inTurn((read) => listLabelled(read, wanted.orgId, label, slice));
  if (bounds.length > 0 || !wanted.isCounted)
    return inTurn((read) => listRange(read, wanted, order, bounds, slice));
  if (slice.offset > FAR_OFFSET) return inTurn((read) => listFar(read, wanted, order, slice));
  if (order === NEWEST_FIRST && slice.behind === null && wanted.outcomeNot === null)
    return listNewest(app, wanted, slice);
  // No index has both the account and such an order, so all posts of the account may have to be looked at; nor has one the posts
  // that are not in the inbox, so that all those that are may have to be passed over.
  const list = (read: Reader) => listSorted(read, wanted, order, slice);
  const isLong = wanted.outcomeNot !== null || (wanted.accountId !== null && order.column !== 'created_at');
  return isLong ? inTurn(list) : list(app.db.read);
}

async function listNewest(app: App, wanted: Wanted, slice: Slice): Promise<Found> {
  const { limit, offset } = slice;
  const { orgId, total } = wanted;
  if (offset >= total) return { rows: [], total };
  const rows = wanted.isFiltered
    ? await listKinds(app.db.read, wanted, NEWEST_FIRST, slice)
    : await app.reads.newestPosts(orgId, limit, offset);
  return { rows, total };
}

async function listSorted(read: Reader, wanted: Wanted, order: Order, slice: Slice): Promise<Found> {
  const { total } = wanted;
  return { rows: slice.offset >= total ? [] : await listKinds(read, wanted, order, slice), total };
}

/** The posts whose value of the order is within bounds, or of an outcome that has no counters. */
async function listRange(
  read: Reader,
  wanted: Wanted,
  order: Order,
  bounds: readonly Bound[],
  slice: Slice,
): Promise<Found> {
  const total = await countUpTo(read, scansOf(read, wanted, order, { most: MAX_REACHABLE, bounds }));
  return { rows: slice.offset >= total ? [] : await listKinds(read, wanted, order, slice, bounds), total };
}

async function listFar(read: Reader, wanted: Wanted, order: Order, slice: Slice): Promise<Found> {
  const { limit, offset } = slice;
  const { orgId, total } = wanted;
  if (offset >= total) return { rows: [], total };
  if (wanted.isFiltered || order !== NEWEST_FIRST) return listSorted(read, wanted, order, slice);
  // Ids come from the index alone, and whole rows are fetched only for the page.
  const page = read
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', orgId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  const rows = await read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', 'in', page)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return { rows, total };
}

/** Finds the page by index alone first, then fetches whole rows only for what is shown. */
function listKinds(
  read: Reader,
  wanted: Wanted,
  order: Order,
  { limit, offset, behind }: Slice,
  bounds: readonly Bound[] = [],
): Promise<PostRow[]> {
  const page = firstIds(read, wanted, order, { most: offset + limit, bounds, behind })
    .limit(limit)
    .offset(offset);
  const rows = read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', wanted.orgId)
    .where('id', 'in', page);
  return inOrder(rows, order).limit(limit).execute();
}

async function findWords(
  app: App,
  wanted: Wanted,
  input: ListPosts,
  words: string[],
  { limit, offset, behind }: Slice,
): Promise<Found> {
  const { matches } = await searchPosts(app, wanted, input, words);
  const order = orderOf(input);
  const compare = compareIn(order);
  const left =
    behind === null ? matches : matches.filter((match) => compare(placeOfMatch(match), behind) > 0);
  const page = left.slice(offset, offset + limit).map(({ id }) => id);
  return { rows: await byIds(app.db.read, wanted.orgId, page), total: matches.length };

  function placeOfMatch({ id, created_at, sorted_by }: (typeof matches)[number]): Sorted {
    return { id, sorted_by: order === NEWEST_FIRST ? created_at : sorted_by };
  }
}
