// Lists of posts whose cost depends on the page, not on the size of the organization.
//
// The plain list takes its total from the counters and its rows from a merge of index scans (index-scans.ts). Labels, time ranges
// and "needs attention" have no counters: they read a bounded number of rows, and their total is capped at MAX_REACHABLE. Search
// has a folder of its own.
import { accountMustBeKnown } from '../../accounts/accounts.js';
import type { App } from '../../api/app.js';
import type { Caller } from '../../api/caller.js';
import {
  FAR_OFFSET,
  MAX_REACHABLE,
  type Page,
  type PageParameters,
  paginate,
  window,
} from '../../api/pagination.js';
import type { Reader } from '../../db/database.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import { needingAttention } from '../attention/posts.js';
import { postsThatWillFail } from '../attention/will-fail.js';
import { labelMustBeKnown } from '../labels/labels.js';
import { postsWith } from '../labels/on-posts.js';
import { getPostRow } from '../posts.js';
import { etagOf, presentPost } from '../present.js';
import { readinessOfPosts } from '../readiness/load.js';
import type { Post } from '../schema.js';
import { searchPosts } from '../search/search.js';
import { wordsOf } from '../search/text.js';
import { boundsOf } from './bounds.js';
import { addCovers } from './covers.js';
import { FEW_POSTS, findWanted, firstIds, type Wanted } from './index-scans.js';
import { inOrder, NEWEST_FIRST, type Order, orderOf } from './orders.js';
import { type IncludeInPost, includes, type ListPosts } from './schema.js';

interface Found {
  rows: PostRow[];
  total: number;
}

export async function listPosts(app: App, caller: Caller, asked: ListPosts): Promise<Page<Post>> {
  const input = { ...asked };
  if (asked.social_account_id) {
    input.social_account_id = asked.social_account_id.toLowerCase();
    await accountMustBeKnown(app.db.read, caller.orgId, input.social_account_id);
  }
  if (asked.label) {
    input.label = asked.label.toLowerCase();
    await labelMustBeKnown(app.db.read, caller.orgId, input.label);
  }
  const wanted = await findWanted(app, caller.orgId, input);
  const { rows, total } = await find(app, wanted, input);
  const posts = rows.map(presentPost);
  if (input.include !== undefined)
    await app.expensiveReads(
      caller.orgId,
      () => addIncluded(app, caller.orgId, rows, posts, input.include),
      'covers',
    );
  return paginate(posts, input, total);
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

function find(app: App, wanted: Wanted, input: ListPosts): Promise<Found> | Found {
  const words = input.q === undefined ? [] : wordsOf(input.q);
  if (wanted.total === 0) return { rows: [], total: 0 };
  if (words.length > 0) return findWords(app, wanted, input, words);
  const inTurn = (list: (read: Reader) => Promise<Found>) =>
    app.expensiveReads(wanted.orgId, () => list(wanted.total > FEW_POSTS ? app.db.readAside : app.db.read));
  const byTime = input.sort === 'scheduled_at' || boundsOf(input).length > 0;
  const order = orderOf(input);
  const isPlain = !wanted.isFiltered && order === NEWEST_FIRST;
  if (byTime || input.needs_attention || (input.label && !isPlain))
    return inTurn((read) => listMatching(app, read, wanted, input));
  if (input.label) return inTurn((read) => listLabelled(read, wanted.orgId, input.label as string, input));
  if (window(input).offset > FAR_OFFSET) return inTurn((read) => listFar(read, wanted, order, input));
  if (order === NEWEST_FIRST) return listNewest(app, wanted, input);
  // No index has both the account and such an order, so all posts of the account may have to be looked at.
  const list = (read: Reader) => listSorted(read, wanted, order, input);
  return wanted.accountId === null ? list(app.db.read) : inTurn(list);
}

async function listNewest(app: App, wanted: Wanted, input: ListPosts): Promise<Found> {
  const { limit, offset } = window(input);
  const { orgId, total } = wanted;
  if (offset >= total) return { rows: [], total };
  const rows = wanted.isFiltered
    ? await listKinds(app.db.read, wanted, NEWEST_FIRST, limit, offset)
    : await app.reads.newestPosts(orgId, limit, offset);
  return { rows, total };
}

async function listSorted(read: Reader, wanted: Wanted, order: Order, input: ListPosts): Promise<Found> {
  const { limit, offset } = window(input);
  const { total } = wanted;
  return { rows: offset >= total ? [] : await listKinds(read, wanted, order, limit, offset), total };
}

async function listFar(read: Reader, wanted: Wanted, order: Order, input: ListPosts): Promise<Found> {
  const { limit, offset } = window(input);
  const { orgId, total } = wanted;
  if (offset >= total) return { rows: [], total };
  if (wanted.isFiltered || order !== NEWEST_FIRST) return listSorted(read, wanted, order, input);
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
  limit: number,
  offset: number,
): Promise<PostRow[]> {
  const page = firstIds(read, wanted, order, offset + limit)
    .limit(limit)
    .offset(offset);
  const rows = read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', wanted.orgId)
    .where('id', 'in', page);
  return inOrder(rows, order).limit(limit).execute();
}

async function findWords(app: App, wanted: Wanted, input: ListPosts, words: string[]): Promise<Found> {
  const { ids } = await searchPosts(app, wanted, input, words);
  const { limit, offset } = window(input);
  const rows = await byIds(app.db.read, wanted.orgId, ids.slice(offset, offset + limit));
  return { rows, total: ids.length };
}

/** Whole rows in the order of the ids. */
async function byIds(read: Reader, orgId: string, ids: string[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  const rows = await read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

async function listMatching(app: App, read: Reader, wanted: Wanted, input: ListPosts): Promise<Found> {
  const { orgId, statuses, accountId } = wanted;
  let matching = read.selectFrom('posts').where('org_id', '=', orgId);
  const [onlyStatus, ...otherStatuses] = statuses ?? [];
  if (onlyStatus && otherStatuses.length === 0) matching = matching.where('status', '=', onlyStatus);
  else if (statuses) matching = matching.where('status', 'in', statuses);
  if (input.post_type) matching = matching.where('post_type', '=', input.post_type);
  if (accountId) matching = matching.where('social_account_id', '=', accountId);
  for (const { column, side, at } of boundsOf(input)) matching = matching.where(column, side, at);
  // One lookup for each post with the label, of the newest only.
  if (input.label)
    matching = matching.where('id', 'in', postsWith(read, orgId, input.label).limit(MAX_REACHABLE));
  if (input.needs_attention) {
    const failing = (await postsThatWillFail(app, read, orgId)).map(({ post }) => post.id);
    const needing = needingAttention(read, orgId, failing);
    matching = matching.where('id', 'in', needing).where('status', '<>', 'archived');
  }

  const reachable = matching.select('id').limit(MAX_REACHABLE);
  const { n } = await read
    .selectFrom(reachable.as('reachable'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  const { limit, offset } = window(input);
  if (offset >= n) return { rows: [], total: n };
  const rows = await inOrder(matching, orderOf(input))
    .select(POST_COLUMNS)
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: n };
}

/** Page and total come from the index of the label alone. */
async function listLabelled(
  read: Reader,
  orgId: string,
  labelId: string,
  parameters: PageParameters,
): Promise<Found> {
  const labelled = postsWith(read, orgId, labelId);
  const { n } = await read
    .selectFrom(labelled.limit(MAX_REACHABLE).as('reachable'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  const { limit, offset } = window(parameters);
  if (offset >= n) return { rows: [], total: n };
  const page = await labelled.limit(limit).offset(offset).execute();
  const rows = await byIds(
    read,
    orgId,
    page.map(({ post_id }) => post_id),
  );
  return { rows, total: n };
}
