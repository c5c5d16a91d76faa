import type { PostCounts } from '@airdate/sdk/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { postsQuery } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { filtersOf, type Search, type Tab } from './query.js';

/** How many posts each tab has, with the same filters. Tabs whose number is not known are left out. */
export function useCounts(search: Search): Partial<Record<Tab, number>> {
  const { post_type, social_account_id, label, q } = filtersOf(search);
  const query = { ...(post_type ? { post_type } : {}), ...(social_account_id ? { social_account_id } : {}) };
  const isPlain = !post_type && !social_account_id;
  // The counters know neither labels nor words.
  const isCounted = label === undefined && q === undefined;
  const { data } = useQuery({
    queryKey: isPlain ? queryKeys.postCounts : queryKeys.postCountsOf(query),
    queryFn: () => api.data('GET', '/api/v1/posts/counts', { query }),
    placeholderData: keepPreviousData,
    enabled: isCounted,
  });
  // By posts, as the tab lists them: the rows of causes count a post once for each cause.
  const attention = useQuery({
    ...postsQuery({ needs_attention: true, per_page: 1, ...filtersOf(search) }),
    enabled: isCounted,
  });
  // A number on one tab only would look as if the others had none.
  if (!isCounted) return {};
  const needing = attention.data?.pagination.total;
  return {
    ...(needing === undefined ? {} : { attention: needing }),
    ...(data ? numbersOf(data) : {}),
  };
}

/** The API counts drafts in the inbox as posted, and their tab does not. */
const numbersOf = (counts: PostCounts) => ({
  ...counts,
  active: counts.draft + counts.scheduled + counts.publishing + counts.posted,
  // Both are read one after the other, so a post may have left one of them in between.
  posted: Math.max(0, counts.posted - counts.in_inbox),
});
