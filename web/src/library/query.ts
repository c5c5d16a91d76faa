// The URL of the library: which posts, in which order, how many at a time.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { PostsQuery } from '../api/query-keys.js';
import { WITH_READINESS } from '../text/readiness.js';
import type { LIBRARY, SearchOf } from '../text/search-params.js';

export type Search = SearchOf<typeof LIBRARY>;

export const useLibrarySearch = (): Search => useSearch({ from: '/inside/library' });

/** Whole rows of six or seven, quick to draw, and the same in both views: changing the view fetches nothing. */
const PAGE_SIZE = 42;

/** The last page of the API. */
export const LAST_PAGE = 1000;

const ACTIVE = 'draft,scheduled,publishing,posted';

export const TABS = [
  { key: 'active', label: 'Active' },
  { key: 'draft', label: 'Drafts' },
  { key: 'scheduled', label: 'Scheduled' },
  // On their way, or with an outcome that the platform has not told: the counters do not tell these apart.
  { key: 'publishing', label: 'Awaiting outcome' },
  { key: 'in_inbox', label: 'In the inbox' },
  { key: 'posted', label: 'Posted' },
  { key: 'attention', label: 'Needs attention' },
  { key: 'archived', label: 'Archived' },
] as const;

export type Tab = (typeof TABS)[number]['key'];

export const tabOf = ({ status, attention }: Search): Tab => (attention ? 'attention' : (status ?? 'active'));

/** The part of the URL that a tab sets. */
export function searchOfTab(tab: Tab): Pick<Search, 'status' | 'attention'> {
  if (tab === 'active') return {};
  return tab === 'attention' ? { attention: true } : { status: tab };
}

export const SORTS = [
  { value: '-created_at', label: 'Newest' },
  { value: 'scheduled_at', label: 'Next slot' },
  { value: '-posted_at', label: 'Recently posted' },
  { value: 'title', label: 'Title A–Z' },
] as const;

export type Sort = NonNullable<Search['sort']>;

/** The order of a tab unless another one was chosen. */
export function usualSort(tab: Tab): Sort {
  if (tab === 'scheduled') return 'scheduled_at';
  return tab === 'posted' ? '-posted_at' : '-created_at';
}

export const sortOf = (search: Search): Sort => search.sort ?? usualSort(tabOf(search));

export const isFiltered = ({ q, type, account, label }: Search): boolean =>
  q !== undefined || type !== undefined || account !== undefined || label !== undefined;

/** What the list is filtered by, apart from its tab. */
export const filtersOf = (
  search: Search,
): Pick<PostsQuery, 'post_type' | 'social_account_id' | 'label' | 'q'> => ({
  ...(search.type ? { post_type: search.type } : {}),
  ...(search.account ? { social_account_id: search.account } : {}),
  ...(search.label ? { label: search.label } : {}),
  ...(search.q?.trim() ? { q: searchable(search.q) } : {}),
});

export function queryOf(search: Search): PostsQuery {
  const tab = tabOf(search);
  const sort = sortOf(search);
  return {
    include: WITH_READINESS,
    per_page: PAGE_SIZE,
    page: Math.min(search.page ?? 1, LAST_PAGE),
    ...postsOfTab(tab),
    ...(sort === '-created_at' ? {} : { sort }),
    ...filtersOf(search),
  };
}

function postsOfTab(tab: Tab): PostsQuery {
  switch (tab) {
    case 'attention':
      return { needs_attention: true };
    case 'active':
      return { status: ACTIVE as PostsQuery['status'] };
    // The status of a draft in the inbox is `posted`, too.
    case 'in_inbox':
      return { status: 'posted', outcome: 'in_inbox' };
    case 'posted':
      return { status: 'posted', outcome_not: 'in_inbox' };
    default:
      return { status: tab };
  }
}

/** As much as the API takes: 8 words and 100 characters. */
const searchable = (q: string) => [...q.trim().split(/\s+/).slice(0, 8).join(' ')].slice(0, 100).join('');

/** Changes the URL in place; `undefined` removes a parameter, and any change but paging goes to page one. */
export function useChangeSearch() {
  const navigate = useNavigate({ from: '/library' });
  return (changes: { [K in keyof Search]?: Search[K] | undefined }, isNewEntry = false) =>
    void navigate({
      replace: !isNewEntry,
      resetScroll: false,
      search: (now) => {
        const merged = { ...now, page: undefined, ...changes };
        return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
      },
    });
}
