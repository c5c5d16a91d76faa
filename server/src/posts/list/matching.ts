// Lists with filters that have no counters, and no index in the order of the list: labels, "needs attention", and ranges of a time
// that the list is not sorted by. Totals are capped at MAX_REACHABLE. They run in turn, and are ended if they take too long.
import type { AliasedExpression } from 'kysely';
import type { Reader } from '../../db/database.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import type { App } from '../../request/app.js';
import { MAX_REACHABLE } from '../../request/pagination.js';
import { needingAttention } from '../attention/needing-attention.js';
import { postsThatWillFail } from '../attention/will-fail.js';
import { postsWith } from '../labels/post-labels.js';
import { boundsOf } from './bounds.js';
import { outcomeConditions, type PostFilter } from './filter.js';
import { inOrder, orderOf, type Sorted } from './orders.js';
import type { ListPosts } from './schema.js';

export interface Found {
  rows: PostRow[];
  total: number;
}

/** The part of a list that a request shows. */
export interface Slice {
  limit: number;
  offset: number;
  /** With a cursor: the last post before it, unless it is the first page. */
  after: Sorted | null;
}

export async function listMatching(
  app: App,
  read: Reader,
  filter: PostFilter,
  input: ListPosts,
  { limit, offset, after }: Slice,
): Promise<Found> {
  const { orgId, statuses, accountId } = filter;
  let matching = read.selectFrom('posts').where('org_id', '=', orgId);
  const [onlyStatus, ...otherStatuses] = statuses ?? [];
  if (onlyStatus && otherStatuses.length === 0) matching = matching.where('status', '=', onlyStatus);
  else if (statuses) matching = matching.where('status', 'in', statuses);
  if (input.post_type) matching = matching.where('post_type', '=', input.post_type);
  if (accountId) matching = matching.where('social_account_id', '=', accountId);
  for (const condition of outcomeConditions(filter)) matching = matching.where(condition);
  for (const { column, side, at } of boundsOf(input)) matching = matching.where(column, side, at);
  // One lookup for each post with the label, of the newest only.
  if (input.label)
    matching = matching.where('id', 'in', postsWith(read, orgId, input.label).limit(MAX_REACHABLE));
  if (input.needs_attention) {
    const failing = (await postsThatWillFail(app, read, orgId)).map(({ post }) => post.id);
    const needing = needingAttention(read, orgId, failing);
    matching = matching.where('id', 'in', needing).where('status', '<>', 'archived');
  }

  const total = await countUpTo(read, matching.select('id'));
  if (offset >= total) return { rows: [], total };
  const order = orderOf(input);
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
export async function listLabelled(
  read: Reader,
  orgId: string,
  labelId: string,
  { limit, offset, after }: Slice,
): Promise<Found> {
  const labelled = postsWith(read, orgId, labelId);
  const total = await countUpTo(read, labelled);
  if (offset >= total) return { rows: [], total };
  const left =
    after === null
      ? labelled
      : labelled.where((eb) =>
          eb(eb.refTuple('created_at', 'post_id'), '<', eb.tuple(after.sorted_by as number, after.id)),
        );
  const page = await left.limit(limit).offset(offset).execute();
  const rows = await byIds(
    read,
    orgId,
    page.map(({ post_id }) => post_id),
  );
  return { rows, total };
}

/** Whole rows in the order of the ids. */
export async function byIds(read: Reader, orgId: string, ids: string[]): Promise<PostRow[]> {
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

interface Countable {
  limit(limit: number): { as(name: 'reachable'): AliasedExpression<object, 'reachable'> };
}

/** Counts as far as one can page. */
export async function countUpTo(read: Reader, found: Countable): Promise<number> {
  const { n } = await read
    .selectFrom(found.limit(MAX_REACHABLE).as('reachable'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}
