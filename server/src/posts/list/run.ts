// Reads the page of a list, as choose.ts has chosen. Totals of lists with filters that have no counters, and no index in the order of
// the list, are capped at MAX_REACHABLE: labels, "needs attention", and ranges of a time that the list is not sorted by. They run in
// turn, and are ended if they take too long.

import type { App } from '../../app/app.js';
import type { Reader } from '../../db/database.js';
import { prepareRead } from '../../db/prepared-statements.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import { countReachable, inOrderOf, MAX_REACHABLE } from '../../request/pagination.js';
import { needingAttention } from '../attention/needing-attention.js';
import { postsThatWillFail } from '../attention/will-fail.js';
import { postsWith } from '../labels/post-labels.js';
import type { ListPlan, Slice } from './choose.js';
import { firstIds, scansOf } from './index-scans.js';
import { compareIn, inOrder, NEWEST_FIRST } from './orders.js';
import { filteredPosts, type ListQuery } from './query.js';
import { searchPosts } from './search.js';

interface Found {
  rows: PostRow[];
  total: number;
}

export function run(app: App, plan: ListPlan, query: ListQuery, slice: Slice): Promise<Found> | Found {
  const { orgId, total } = query;
  const { limit, offset } = slice;
  const read = plan.runs === 'aside' ? app.db.readLong : app.db.read;
  const list = async (): Promise<Found> => {
    switch (plan.by) {
      case 'nothing':
        return { rows: [], total: 0 };
      case 'search':
        return searchPage(app, query, plan.words, slice);
      case 'newest rows':
        return { rows: offset >= total ? [] : await findNewest(app.db.read, orgId, limit, offset), total };
      case 'newest ids': {
        const newest = read.selectFrom('posts').select('id').where('org_id', '=', orgId);
        const page = inOrder(newest, NEWEST_FIRST).limit(limit).offset(offset);
        return { rows: offset >= total ? [] : await byIds(read, orgId, await page.execute()), total };
      }
      case 'scans':
        return scanPage(read, query, slice, plan.isCounted);
      case 'label':
        return listLabelled(read, orgId, plan.labelId, slice);
      case 'filter':
        return listMatching(app, read, query, slice);
    }
  };
  return plan.runs === 'here' ? list() : app.queues.longReads(orgId, list);
}

const findNewest = prepareRead((read, orgId: string, limit: number, offset: number) =>
  read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', orgId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset),
);

/** Finds the page by the indexes alone first, then fetches whole rows only for what is shown. */
async function scanPage(
  read: Reader,
  query: ListQuery,
  { limit, offset, after }: Slice,
  isCounted: boolean,
): Promise<Found> {
  const total = isCounted
    ? query.total
    : await countReachable(read, scansOf(read, query, { limit: MAX_REACHABLE }));
  if (offset >= total) return { rows: [], total };
  const page = firstIds(read, query, { limit: offset + limit, after })
    .limit(limit)
    .offset(offset);
  const rows = read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', query.orgId)
    .where('id', 'in', page);
  return { rows: await inOrder(rows, query.order).limit(limit).execute(), total };
}

async function searchPage(
  app: App,
  query: ListQuery,
  words: string[],
  { limit, offset, after }: Slice,
): Promise<Found> {
  const { matches } = await searchPosts(app, query, words);
  const { order } = query;
  const compare = compareIn(order);
  const isLeft = ({ id, created_at, sorted_by }: (typeof matches)[number]) =>
    after === null || compare({ id, sorted_by: order === NEWEST_FIRST ? created_at : sorted_by }, after) > 0;
  const page = matches.filter(isLeft).slice(offset, offset + limit);
  return { rows: await byIds(app.db.read, query.orgId, page), total: matches.length };
}

async function listMatching(
  app: App,
  read: Reader,
  query: ListQuery,
  { limit, offset, after }: Slice,
): Promise<Found> {
  const { orgId, bounds, labelId, order } = query;
  let matching = filteredPosts(read, query);
  for (const { column, side, at } of bounds) matching = matching.where(column, side, at);
  // One lookup for each post with the label, of the newest only.
  if (labelId) matching = matching.where('id', 'in', postsWith(read, orgId, labelId).limit(MAX_REACHABLE));
  if (query.needsAttention) {
    const failing = (await postsThatWillFail(app, read, orgId)).map(({ post }) => post.id);
    const needing = needingAttention(read, orgId, app.clock.now(), failing);
    matching = matching.where('id', 'in', needing).where('status', '<>', 'archived');
  }

  const total = await countReachable(read, matching.select('id'));
  if (offset >= total) return { rows: [], total };
  const { column, direction } = order;
  if (after !== null) {
    const beyond = direction === 'asc' ? '>' : '<';
    const { sorted_by, id } = after;
    matching = matching.where((eb) =>
      sorted_by === null
        ? eb.and([eb(column, 'is', null), eb('id', beyond, id)])
        : eb.or([
            eb(eb.refTuple(column, 'id'), beyond, eb.tuple(sorted_by as never, id)),
            eb(column, 'is', null),
          ]),
    );
  }
  const rows = await inOrder(matching, order).select(POST_COLUMNS).limit(limit).offset(offset).execute();
  return { rows, total };
}

/** Page and total come from the index of the label alone. */
async function listLabelled(
  read: Reader,
  orgId: string,
  labelId: string,
  { limit, offset, after }: Slice,
): Promise<Found> {
  const labelled = postsWith(read, orgId, labelId);
  const total = await countReachable(read, labelled);
  if (offset >= total) return { rows: [], total };
  const left =
    after === null
      ? labelled
      : labelled.where((eb) =>
          eb(eb.refTuple('created_at', 'post_id'), '<', eb.tuple(after.sorted_by as number, after.id)),
        );
  const page = await left.clearSelect().select('post_id as id').limit(limit).offset(offset).execute();
  return { rows: await byIds(read, orgId, page), total };
}

/** Whole rows in the order of the ids. */
async function byIds(read: Reader, orgId: string, page: readonly { id: string }[]): Promise<PostRow[]> {
  if (page.length === 0) return [];
  const rows = await read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      page.map(({ id }) => id),
    )
    .execute();
  return inOrderOf(page, rows);
}
