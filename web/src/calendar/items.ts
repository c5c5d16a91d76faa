// What the calendar shows: scheduled and published posts, and those that failed or missed their slot, on the day they were due
// or were published without a slot.
import type { Post } from '@airdate/sdk/core';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.js';
import type { PostsQuery } from '../api/query-keys.js';
import { queryKeys } from '../api/query-keys.js';
import { WITH_READINESS } from '../text/readiness.js';
import type { Range } from './range.js';
import { fetchUnscheduledFailures } from './unscheduled-failures.js';

export interface Item {
  post: Post;
  /** Its slot, the one it lost, the time it was published, or that of the attempt to publish it without one. */
  at: string;
}

export interface Items {
  items: Item[];
  /** There are more than were fetched. */
  isPartial: boolean;
}

export type Kind = 'scheduled' | 'in_inbox' | 'posted' | 'failed';

export interface Filter {
  account?: string;
  status?: Kind;
}

const PER_PAGE = 100;
const MAX_PAGES = 10;

export const itemsQuery = ({ from, to }: Range, { account, status }: Filter) =>
  queryOptions({
    queryKey: queryKeys.calendarItems(from.getTime(), to.getTime(), account, status),
    queryFn: () => fetchItems(from, to, account, status),
    placeholderData: keepPreviousData,
  });

const QUERIES: Readonly<Record<Kind, (first: string, last: string) => PostsQuery>> = {
  failed: (last_slot_from, last_slot_to) => ({ status: 'draft', last_slot_from, last_slot_to }),
  scheduled: (scheduled_from, scheduled_to) => ({
    status: 'scheduled,publishing',
    scheduled_from,
    scheduled_to,
    sort: 'scheduled_at',
  }),
  in_inbox: (posted_from, posted_to) => ({ status: 'posted', outcome: 'in_inbox', posted_from, posted_to }),
  posted: (posted_from, posted_to) => ({ status: 'posted', outcome_not: 'in_inbox', posted_from, posted_to }),
};

/** Where posts that were published without a slot are found. */
const UNSLOTTED = { scheduled: 'publishing', failed: 'draft', all: 'draft,publishing' } as const;

/** Without a filter, posted ones and those in the inbox are one list. */
const EVERYTHING: readonly ((first: string, last: string) => PostsQuery)[] = [
  QUERIES.failed,
  QUERIES.scheduled,
  (posted_from, posted_to) => ({ status: 'posted', posted_from, posted_to }),
];

async function fetchItems(from: Date, to: Date, account?: string, status?: Kind): Promise<Items> {
  const first = from.toISOString();
  const last = new Date(to.getTime() - 1).toISOString();
  const [lists, atOnce] = await Promise.all([
    Promise.all(
      (status ? [QUERIES[status]] : EVERYTHING).map((query) =>
        pages({ ...query(first, last), ...(account ? { social_account_id: account } : {}) }),
      ),
    ),
    status === 'posted' || status === 'in_inbox'
      ? []
      : fetchUnscheduledFailures({ first, last, account, status: UNSLOTTED[status ?? 'all'] }),
  ]);
  // A post that changes between two responses is in both.
  const posts = new Map(lists.flatMap((list) => list.posts).map((post) => [post.id, post]));
  const items = [...posts.values()]
    .flatMap((post) => {
      const at = timeOf(post);
      return at === null ? [] : [{ post, at }];
    })
    .concat(atOnce.filter(({ post }) => !posts.has(post.id)))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { items, isPartial: lists.some(({ isPartial }) => isPartial) };
}

function timeOf({ status, posted_at, scheduled_at, last_slot }: Post): string | null {
  if (status === 'posted') return posted_at;
  return status === 'draft' ? last_slot : scheduled_at;
}

async function pages(query: PostsQuery): Promise<{ posts: Post[]; isPartial: boolean }> {
  const posts: Post[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await api.request('GET', '/api/v1/posts', {
      query: { ...query, include: WITH_READINESS, per_page: PER_PAGE, page },
    });
    posts.push(...answer.data);
    if (posts.length >= answer.pagination.total || answer.data.length === 0)
      return { posts, isPartial: false };
  }
  return { posts, isPartial: true };
}
