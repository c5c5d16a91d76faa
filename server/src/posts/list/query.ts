// Which posts a list, a count or a search is asked for, in which order, and how many the counters say there are: a total needs no
// counting, and only a status and type that is wanted and has posts is scanned.

import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { parseTimestamp } from '../../core/clock.js';
import type { Reader } from '../../db/database.js';
import { prepareRead } from '../../db/prepared-statements.js';
import type { PostRow } from '../../db/tables.js';
import { POST_STATUSES, type PostStatus } from '../state.js';
import { type Order, orderOf } from './orders.js';
import type { ListPosts } from './schema.js';

/** How many posts there are of a status and a type, as the counters know it. */
export type StatusTypeCount = Pick<PostRow, 'status' | 'post_type'> & { n: number };

/** What a request asks for. */
export interface ListRequest {
  orgId: string;
  /** Null: any status. */
  statuses: PostStatus[] | null;
  postType: PostRow['post_type'] | null;
  accountId: string | null;
  outcome: NonNullable<ListPosts['outcome']> | null;
  outcomeNot: NonNullable<ListPosts['outcome_not']> | null;
  labelId: string | null;
  needsAttention: boolean;
  /** The text to search for, as it was typed. */
  q: string | null;
  /** A post without such a time is outside every range. */
  bounds: readonly Bound[];
  order: Order;
  /** Whether status, type, account or outcome leave some posts of the organization out. */
  isFiltered: boolean;
  /** Whether the counters know of each post if status, type, account and outcome fit. Only one of the outcomes has counters. */
  isCounted: boolean;
}

export interface ListQuery extends ListRequest {
  /** Of the wanted statuses, type and account; none is zero. */
  counts: StatusTypeCount[];
  /** How many posts these are; if `isCounted` is false, an upper bound. */
  total: number;
}

export function readListRequest(orgId: string, input: ListPosts): ListRequest {
  const statuses = statusesOf(input);
  const postType = input.post_type ?? null;
  const accountId = input.social_account_id ?? null;
  const { outcome = null, outcome_not: outcomeNot = null } = input;
  const hasOutcome = outcome !== null || outcomeNot !== null;
  return {
    orgId,
    statuses,
    postType,
    accountId,
    outcome,
    outcomeNot,
    labelId: input.label ?? null,
    needsAttention: input.needs_attention ?? false,
    q: input.q ?? null,
    bounds: boundsOf(input),
    order: orderOf(input),
    isFiltered: statuses !== null || postType !== null || accountId !== null || hasOutcome,
    isCounted: outcome === null || (outcome === 'in_inbox' && outcomeNot === null),
  };
}

export async function resolveListQuery(app: App, orgId: string, input: ListPosts): Promise<ListQuery> {
  const request = readListRequest(orgId, input);
  const { statuses, postType } = request;
  const counts = (await findCounts(app, request)).filter(
    ({ n, status, post_type }) =>
      n > 0 && (statuses?.includes(status) ?? true) && (postType === null || post_type === postType),
  );
  return { ...request, counts, total: counts.reduce((sum, { n }) => sum + n, 0) };
}

const countsIn = (read: Reader, table: 'post_counters' | 'inbox_counters', orgId: string) =>
  read
    .selectFrom(table)
    .select((eb) => ['status', 'post_type', eb.fn.sum<number>('n').as('n')])
    .where('org_id', '=', orgId)
    .groupBy(['status', 'post_type']);

/** The number of posts of each status and type: of all, and of one account. */
const countsOf = (table: 'post_counters' | 'inbox_counters') => ({
  all: prepareRead((read, orgId: string) => countsIn(read, table, orgId)),
  ofAccount: prepareRead((read, orgId: string, accountId: string) =>
    countsIn(read, table, orgId).where('account_id', '=', accountId),
  ),
});

export const postCounts = countsOf('post_counters');
const inboxCounts = countsOf('inbox_counters');

/** How many posts each status and type has, or may have. */
async function findCounts(
  app: App,
  { orgId, accountId, outcome, outcomeNot }: ListRequest,
): Promise<StatusTypeCount[]> {
  const { read: db } = app.db;
  const read = (counts: typeof postCounts) =>
    accountId ? counts.ofAccount(db, orgId, accountId) : counts.all(db, orgId);
  if (outcome === 'in_inbox') return read(inboxCounts);
  const all = await read(postCounts);
  if (outcomeNot === null) return all;
  const left = await read(inboxCounts);
  return all.map((count) => {
    const same = left.find(
      ({ status, post_type }) => status === count.status && post_type === count.post_type,
    );
    return { ...count, n: count.n - (same?.n ?? 0) };
  });
}

/** The wanted posts. What is asked of the last outcome is literal, so that the index of one outcome is seen to fit. */
export function filteredPosts(
  read: Reader,
  { orgId, statuses, postType, accountId, outcome, outcomeNot }: ListRequest,
) {
  let posts = read.selectFrom('posts').where('org_id', '=', orgId);
  const [first, ...others] = statuses ?? [];
  if (first)
    posts =
      others.length === 0
        ? posts.where('status', '=', first)
        : posts.where('status', 'in', [first, ...others]);
  if (postType) posts = posts.where('post_type', '=', postType);
  if (accountId) posts = posts.where('social_account_id', '=', accountId);
  if (outcome) posts = posts.where(sql<boolean>`last_outcome = ${sql.lit(outcome)}`);
  if (outcomeNot) posts = posts.where(sql<boolean>`last_outcome is distinct from ${sql.lit(outcomeNot)}`);
  return posts;
}

function statusesOf(input: ListPosts): PostStatus[] | null {
  if (input.status === undefined) return null;
  const given = new Set(input.status.split(','));
  const statuses = POST_STATUSES.filter((status) => given.has(status));
  return statuses.length === POST_STATUSES.length ? null : statuses;
}

/** The time ranges of a list. */
const BOUNDS = [
  ['created_from', 'created_at', '>='],
  ['created_to', 'created_at', '<='],
  ['updated_from', 'updated_at', '>='],
  ['updated_to', 'updated_at', '<='],
  ['scheduled_from', 'scheduled_at', '>='],
  ['scheduled_to', 'scheduled_at', '<='],
  ['last_slot_from', 'last_slot', '>='],
  ['last_slot_to', 'last_slot', '<='],
  ['posted_from', 'posted_at', '>='],
  ['posted_to', 'posted_at', '<='],
] as const;

export type Bound = ReturnType<typeof boundsOf>[number];

export const boundsOf = (input: ListPosts) =>
  BOUNDS.flatMap(([name, column, side]) => {
    const text = input[name];
    return text === undefined ? [] : [{ column, side, at: parseTimestamp(text) }];
  });
