// What the calendar shows: posts that have a slot, and posts that have gone out.
import type { Post } from '@airdate/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ask } from '../api/client.js';
import type { PostsQuery } from '../api/queries.js';
import type { Range } from './range.js';

export interface Item {
  post: Post;
  /** Its slot, or when it went out. */
  at: string;
}

export interface Items {
  items: Item[];
  /** There are more than were fetched. */
  isPartial: boolean;
}

const PER_PAGE = 100;
const MOST_PAGES = 10;
/** What was published by hand has no slot, and the API cannot be asked for it by its time: the newest are looked through. */
const PAGES_LOOKED_THROUGH = 3;
/** A post goes out at its slot, or later when something was in the way; the API gives up after hours. */
const LATENESS_MS = 24 * 3_600_000;

export const itemsKey = ['posts', 'calendar'] as const;

export const itemsQuery = ({ from, to }: Range) =>
  queryOptions({
    queryKey: [...itemsKey, from.getTime(), to.getTime()],
    queryFn: () => fetchItems(from, to),
    placeholderData: keepPreviousData,
  });

async function fetchItems(from: Date, to: Date): Promise<Items> {
  const last = new Date(to.getTime() - 1000);
  const isPastToo = from.getTime() <= Date.now();
  const [booked, gone, byHand] = await Promise.all([
    pages({ status: 'scheduled,publishing', ...slots(from, last) }, MOST_PAGES),
    isPastToo
      ? pages({ status: 'posted', ...slots(new Date(from.getTime() - LATENESS_MS), last) }, MOST_PAGES)
      : none,
    isPastToo ? pages({ status: 'posted' }, PAGES_LOOKED_THROUGH) : none,
  ]);
  const posts = new Map([...byHand.posts, ...gone.posts, ...booked.posts].map((post) => [post.id, post]));
  const items = [...posts.values()]
    .flatMap((post) => {
      const at = post.status === 'posted' ? post.posted_at : post.scheduled_at;
      return at === null ? [] : [{ post, at }];
    })
    .filter(({ at }) => Date.parse(at) >= from.getTime() && Date.parse(at) < to.getTime())
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const isPartial =
    booked.isPartial || gone.isPartial || (byHand.isPartial && oldest(byHand.posts) > from.getTime());
  return { items, isPartial };
}

const none = { posts: [], isPartial: false };

const slots = (from: Date, to: Date): PostsQuery => ({
  scheduled_from: from.toISOString(),
  scheduled_to: to.toISOString(),
  sort: 'scheduled_at',
});

const oldest = (posts: Post[]): number => Math.min(...posts.map(({ created_at }) => Date.parse(created_at)));

async function pages(query: PostsQuery, most: number): Promise<{ posts: Post[]; isPartial: boolean }> {
  const posts: Post[] = [];
  for (let page = 1; page <= most; page++) {
    const answer = await ask(
      api.GET('/api/v1/posts', {
        params: { query: { ...query, include: 'cover', per_page: PER_PAGE, page } },
      }),
    );
    posts.push(...answer.data);
    if (posts.length >= answer.pagination.total || answer.data.length === 0)
      return { posts, isPartial: false };
  }
  return { posts, isPartial: true };
}
