// What the calendar shows: scheduled posts, and published posts.
import type { Post } from '@airdate/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ask } from '../api/client.js';
import type { PostsQuery } from '../api/queries.js';
import { WITH_READINESS } from '../ui/readiness.js';
import type { Range } from './range.js';

export interface Item {
  post: Post;
  /** Its slot, or the time it was published. */
  at: string;
}

export interface Items {
  items: Item[];
  /** There are more than were fetched. */
  isPartial: boolean;
}

const PER_PAGE = 100;
const MOST_PAGES = 10;

export const itemsKey = ['posts', 'calendar'] as const;

export const itemsQuery = ({ from, to }: Range) =>
  queryOptions({
    queryKey: [...itemsKey, from.getTime(), to.getTime()],
    queryFn: () => fetchItems(from, to),
    placeholderData: keepPreviousData,
  });

async function fetchItems(from: Date, to: Date): Promise<Items> {
  const first = from.toISOString();
  const last = new Date(to.getTime() - 1).toISOString();
  const [scheduled, gone] = await Promise.all([
    pages({
      status: 'scheduled,publishing',
      scheduled_from: first,
      scheduled_to: last,
      sort: 'scheduled_at',
    }),
    pages({ status: 'posted', posted_from: first, posted_to: last }),
  ]);
  // A post that is published between the two responses is in both.
  const posts = new Map([...scheduled.posts, ...gone.posts].map((post) => [post.id, post]));
  const items = [...posts.values()]
    .flatMap((post) => {
      const at = post.status === 'posted' ? post.posted_at : post.scheduled_at;
      return at === null ? [] : [{ post, at }];
    })
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { items, isPartial: scheduled.isPartial || gone.isPartial };
}

async function pages(query: PostsQuery): Promise<{ posts: Post[]; isPartial: boolean }> {
  const posts: Post[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await ask(
      api.GET('/api/v1/posts', {
        params: { query: { ...query, include: WITH_READINESS, per_page: PER_PAGE, page } },
      }),
    );
    posts.push(...answer.data);
    if (posts.length >= answer.pagination.total || answer.data.length === 0)
      return { posts, isPartial: false };
  }
  return { posts, isPartial: true };
}
