// Lists of posts whose cost follows the page, not the organization.
//
// The counters know how many posts each (status, type) has, so the total needs no counting and a list is a merge of
// walks along one index, one walk per (status, type) that is wanted and not empty. Search, slot ranges and "needs
// attention" have no counters: they look at a bounded number of rows, and their total ends at MAX_REACHABLE.
import { type Expression, type SqlBool, sql } from 'kysely';
import { accountMustBeConnected } from '../accounts/accounts.js';
import type { App } from '../app.js';
import { parseTimestamp } from '../clock.js';
import type { Reader } from '../db/database.js';
import { POST_COLUMNS, type PostRow } from '../db/tables.js';
import type { Caller } from '../http/caller.js';
import { MAX_REACHABLE, type Page, paginate, window } from '../http/pagination.js';
import { presentPost } from './present.js';
import type { ListPosts, Post } from './schema.js';
import { searchPattern } from './search.js';
import { POST_STATUSES, type PostStatus } from './state.js';

/** How many of the newest posts a search reads at the most. 10,000 take about 15 ms on SQLite. */
const SEARCHED_POSTS = 10_000;

/** Up to here skipping whole rows costs less than finding ids first. */
const FAR_OFFSET = 1_000;

type Kind = Pick<PostRow, 'status' | 'post_type'>;

interface Filter {
  orgId: string;
  kinds: Kind[];
  accountId: string | null;
}

export async function listPosts(app: App, caller: Caller, asked: ListPosts): Promise<Page<Post>> {
  const input = asked.social_account_id
    ? { ...asked, social_account_id: asked.social_account_id.toLowerCase() }
    : asked;
  if (input.social_account_id)
    await accountMustBeConnected(app.db.read, caller.orgId, input.social_account_id);
  const bySlot = input.sort === 'scheduled_at' || input.scheduled_from || input.scheduled_to;
  const { rows, total } =
    input.needs_attention || input.q !== undefined || bySlot
      ? await searchPosts(app.db.read, caller.orgId, input)
      : await walkPosts(app, caller.orgId, input);
  return paginate(rows.map(presentPost), input, total);
}

/** The plain list: totals from the counters, rows by a merge of index walks. */
async function walkPosts(app: App, orgId: string, input: ListPosts) {
  const statuses = wantedStatuses(input);
  const accountId = input.social_account_id ?? null;
  const all = await (accountId ? app.reads.postKindsOfAccount(orgId, accountId) : app.reads.postKinds(orgId));
  const kinds = all.filter(
    (kind) =>
      kind.n > 0 &&
      (statuses?.includes(kind.status) ?? true) &&
      (input.post_type === undefined || kind.post_type === input.post_type),
  );
  const total = kinds.reduce((sum, { n }) => sum + n, 0);
  const { limit, offset } = window(input);
  if (offset >= total) return { rows: [], total };
  if (statuses || input.post_type || accountId)
    return { rows: await mergedPage(app.db.read, { orgId, kinds, accountId }, limit, offset), total };
  const rows = await (offset > FAR_OFFSET
    ? app.reads.farPosts(orgId, orgId, limit, offset, limit)
    : app.reads.newestPosts(orgId, limit, offset));
  return { rows, total };
}

/** Finds the page by the index alone first, and fetches whole rows only for what is shown. */
function mergedPage(read: Reader, filter: Filter, limit: number, offset: number): Promise<PostRow[]> {
  // Each walk in the order of the merge: both engines then merge them step by step and stop where the page ends.
  const ordered = (kind: Kind) =>
    read
      .selectFrom(walk(read, filter, kind).orderBy('created_at', 'desc').orderBy('id', 'desc').as('walk'))
      .selectAll();
  const [first, ...others] = filter.kinds as [Kind, ...Kind[]];
  const merged = others.reduce((all, kind) => all.unionAll(ordered(kind)), ordered(first));
  const page = read
    .selectFrom(merged.as('walks'))
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  return read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', filter.orgId)
    .where('id', 'in', page)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The posts of one kind, which one index has in their order. */
function walk(read: Reader, filter: Filter, kind: Kind) {
  let query = read.selectFrom('posts').select(['created_at', 'id']).where('org_id', '=', filter.orgId);
  if (filter.accountId) query = query.where('social_account_id', '=', filter.accountId);
  return query.where('status', '=', kind.status).where('post_type', '=', kind.post_type);
}

/** Lists by words, slots or trouble. */
async function searchPosts(read: Reader, orgId: string, input: ListPosts) {
  const statuses = wantedStatuses(input);
  let matching = read.selectFrom('posts').where('org_id', '=', orgId);
  const [onlyStatus, ...otherStatuses] = statuses ?? [];
  if (onlyStatus && otherStatuses.length === 0) matching = matching.where('status', '=', onlyStatus);
  else if (statuses) matching = matching.where('status', 'in', statuses);
  if (input.post_type) matching = matching.where('post_type', '=', input.post_type);
  if (input.social_account_id) matching = matching.where('social_account_id', '=', input.social_account_id);
  if (input.scheduled_from)
    matching = matching.where('scheduled_at', '>=', parseTimestamp(input.scheduled_from));
  if (input.scheduled_to) matching = matching.where('scheduled_at', '<=', parseTimestamp(input.scheduled_to));
  if (input.needs_attention)
    matching = matching.where('id', 'in', needingAttention(read, orgId)).where('status', '<>', 'archived');
  if (input.q !== undefined) {
    const newest = matching
      .select(['id', 'search_text'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(SEARCHED_POSTS);
    const found = read
      .selectFrom(newest.as('newest'))
      .select('id')
      .where(sql<SqlBool>`search_text like ${searchPattern(input.q)} escape '\\'` as Expression<SqlBool>);
    matching = read.selectFrom('posts').where('org_id', '=', orgId).where('id', 'in', found);
  }

  const reachable = matching.select('id').limit(MAX_REACHABLE);
  const { n } = await read
    .selectFrom(reachable.as('reachable'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  const { limit, offset } = window(input);
  if (offset >= n) return { rows: [], total: n };
  const rows = await (input.sort === 'scheduled_at'
    ? matching.orderBy('scheduled_at', (order) => order.asc().nullsLast()).orderBy('id')
    : matching.orderBy('created_at', 'desc').orderBy('id', 'desc')
  )
    .select(POST_COLUMNS)
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: n };
}

/** Failed or unknown at the last publish, or waiting for an account that must be reconnected. */
function needingAttention(read: Reader, orgId: string) {
  const reconnect = read
    .selectFrom('social_accounts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('status', '=', 'reconnect_required');
  return read
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('last_publish_error', 'is not', null)
    .union(
      read
        .selectFrom('posts')
        .select('id')
        .where('org_id', '=', orgId)
        .where('status', '=', 'scheduled')
        .where('social_account_id', 'in', reconnect),
    );
}

function wantedStatuses(input: ListPosts): PostStatus[] | null {
  if (input.status === undefined) return null;
  const wanted = new Set(input.status.split(','));
  const statuses = POST_STATUSES.filter((status) => wanted.has(status));
  return statuses.length === POST_STATUSES.length ? null : statuses;
}
