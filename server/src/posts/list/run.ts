// Reads the page of a list, as choose.ts has chosen.

import type { Reader } from '../../db/database.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import type { App } from '../../request/app.js';
import { MAX_REACHABLE } from '../../request/pagination.js';
import { searchPosts } from '../search/search.js';
import { boundsOf } from './bounds.js';
import type { ListPlan } from './choose.js';
import type { PostFilter } from './filter.js';
import { firstIds, scansOf } from './index-scans.js';
import { byIds, countUpTo, type Found, listLabelled, listMatching, type Slice } from './matching.js';
import { compareIn, inOrder, NEWEST_FIRST, orderOf, type Sorted } from './orders.js';
import type { ListPosts } from './schema.js';

export function run(
  app: App,
  plan: ListPlan,
  filter: PostFilter,
  input: ListPosts,
  slice: Slice,
): Promise<Found> | Found {
  const { orgId, total } = filter;
  const read = plan.runs === 'aside' ? app.db.readLong : app.db.read;
  const isBehindAll = slice.offset >= total;
  const list = async (): Promise<Found> => {
    switch (plan.by) {
      case 'nothing':
        return { rows: [], total: 0 };
      case 'search':
        return searchPage(app, filter, input, plan.words, slice);
      case 'newest rows':
        return {
          rows: isBehindAll ? [] : await app.reads.newestPosts(orgId, slice.limit, slice.offset),
          total,
        };
      case 'newest ids':
        return { rows: isBehindAll ? [] : await newestByIds(read, orgId, slice), total };
      case 'scans':
        return scanPage(read, filter, input, slice, plan.isCounted);
      case 'label':
        return listLabelled(read, orgId, plan.labelId, slice);
      case 'filter':
        return listMatching(app, read, filter, input, slice);
    }
  };
  return plan.runs === 'here' ? list() : app.queues.longReads(orgId, list);
}

/** Finds the page by the indexes alone first, then fetches whole rows only for what is shown. */
async function scanPage(
  read: Reader,
  filter: PostFilter,
  input: ListPosts,
  { limit, offset, after }: Slice,
  isCounted: boolean,
): Promise<Found> {
  const order = orderOf(input);
  const bounds = boundsOf(input);
  const total = isCounted
    ? filter.total
    : await countUpTo(read, scansOf(read, filter, order, { most: MAX_REACHABLE, bounds }));
  if (offset >= total) return { rows: [], total };
  const page = firstIds(read, filter, order, { most: offset + limit, bounds, after })
    .limit(limit)
    .offset(offset);
  const rows = read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', filter.orgId)
    .where('id', 'in', page);
  return { rows: await inOrder(rows, order).limit(limit).execute(), total };
}

/** Ids come from the index alone, and whole rows are fetched only for the page. */
async function newestByIds(read: Reader, orgId: string, { limit, offset }: Slice): Promise<PostRow[]> {
  const page = read
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', orgId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  return read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', 'in', page)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

async function searchPage(
  app: App,
  filter: PostFilter,
  input: ListPosts,
  words: string[],
  { limit, offset, after }: Slice,
): Promise<Found> {
  const { matches } = await searchPosts(app, filter, input, words);
  const order = orderOf(input);
  const compare = compareIn(order);
  const cursorOf = ({ id, created_at, sorted_by }: (typeof matches)[number]): Sorted => ({
    id,
    sorted_by: order === NEWEST_FIRST ? created_at : sorted_by,
  });
  const left = after === null ? matches : matches.filter((match) => compare(cursorOf(match), after) > 0);
  const page = left.slice(offset, offset + limit).map(({ id }) => id);
  return { rows: await byIds(app.db.read, filter.orgId, page), total: matches.length };
}
