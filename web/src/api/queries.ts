// What the screens read, each under one key, so that a change anywhere refreshes it everywhere.
import type { Me, paths } from '@airdate/sdk/core';
import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  queryOptions,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { findingText } from '../text/problem-texts.js';
import { problemsOf, WITH_READINESS } from '../text/readiness.js';
import { preferTimeFormat } from '../text/time-format.js';
import { api, askForPost } from './client.js';
import { type PostsQuery, queryKeys } from './query-keys.js';
import { setPagePerson } from './session.js';

const SAFE_MODE_MS = 5_000;

export const meQuery = queryOptions({
  queryKey: queryKeys.me,
  queryFn: async () => {
    const me = await api.data('GET', '/api/v1/me');
    setPagePerson(me.user?.id);
    preferTimeFormat(me.user?.time_format);
    return me;
  },
  staleTime: 60_000,
  // No event reports the release.
  refetchInterval: ({ state }) => (state.data?.safe_mode ? SAFE_MODE_MS : false),
});

/** What the organization uses of its quotas. Fetched again after each change, but only where it is shown. */
export const quotasQuery = queryOptions({
  queryKey: queryKeys.quotas,
  queryFn: async () => (await api.data('GET', '/api/v1/me')).quotas,
});

/** Whether this browser has a session, whosever it is. */
export const isSignedInQuery = queryOptions({
  queryKey: queryKeys.isSignedIn,
  queryFn: async () => (await api.data('GET', '/api/v1/auth')).signed_in,
  staleTime: 0,
});

export const postsQuery = (query: PostsQuery) =>
  queryOptions({
    queryKey: queryKeys.postList(query),
    queryFn: () => api.request('GET', '/api/v1/posts', { query }),
    placeholderData: keepPreviousData,
  });

/** The next three scheduled posts. */
export const nextUpQuery = postsQuery({
  status: 'scheduled',
  sort: 'scheduled_at',
  per_page: 3,
  include: WITH_READINESS,
});

export type Attention =
  paths['/api/v1/attention']['get']['responses'][200]['content']['application/json']['data'][number];

/** What needs attention, one row per cause. */
export const attentionQuery = queryOptions({
  queryKey: queryKeys.attention,
  queryFn: () => api.data('GET', '/api/v1/attention'),
});

/** How many posts there are in each status. */
export const countsQuery = queryOptions({
  queryKey: queryKeys.postCounts,
  queryFn: () => api.data('GET', '/api/v1/posts/counts'),
});

export const labelsQuery = queryOptions({
  queryKey: queryKeys.labels,
  queryFn: () => api.data('GET', '/api/v1/labels'),
  staleTime: 30_000,
});

/** Saved captions and groups of hashtags. */
export const snippetsQuery = queryOptions({
  queryKey: queryKeys.snippets,
  queryFn: () => api.data('GET', '/api/v1/snippets'),
  staleTime: 30_000,
});

export const postQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.post(id),
    queryFn: () => askForPost(api.data('GET', '/api/v1/posts/{id}', { path: { id } })),
  });

export const assetsQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.assets(id),
    queryFn: () => api.request('GET', '/api/v1/posts/{id}/assets', { path: { id } }),
  });

export const dispatchesOfPostQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.dispatches(id),
    queryFn: () => {
      const query = { include: 'post_changed' as const };
      return api.request('GET', '/api/v1/posts/{id}/dispatches', { path: { id }, query });
    },
  });

export const publishStatusQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.publishStatus(id),
    queryFn: () => api.data('GET', '/api/v1/posts/{id}/publish-status', { path: { id } }),
  });

/** A query of its own: a post that is fetched with its readiness has no ETag. */
export const readinessQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.readiness(id),
    queryFn: async () => {
      const query = { include: 'readiness' } as const;
      const post = await api.data('GET', '/api/v1/posts/{id}', { path: { id }, query });
      return post.readiness ? { ...post.readiness, problems: problemsOf(post) } : null;
    },
  });

export const preflightQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.preflight(id),
    queryFn: async () => {
      const found = await api.data('GET', '/api/v1/posts/{id}/preflight', { path: { id } });
      return {
        ...found,
        problems: found.problems.map((one) => ({ ...one, detail: findingText(one.code, one.detail) })),
      };
    },
  });

export const accountsQuery = queryOptions({
  queryKey: queryKeys.accounts,
  queryFn: () => api.data('GET', '/api/v1/social-accounts', { query: { per_page: 100 } }),
  staleTime: 30_000,
});

/** Fetched each time it is shown: the platform demands it, and creators change their settings there. */
export const creatorQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.creator(id),
    queryFn: () => api.data('GET', '/api/v1/social-accounts/{id}/creator-info', { path: { id } }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

export const analyticsQuery = queryOptions({
  queryKey: queryKeys.analytics,
  queryFn: () => api.data('GET', '/api/v1/analytics'),
  retry: false,
});

/** Fetches these again, and whatever is part of them. */
export async function refreshQueries(
  client: QueryClient,
  ...queries: readonly ({ queryKey: QueryKey } | QueryKey)[]
): Promise<void> {
  const keys = queries.map((query) => ('queryKey' in query ? query.queryKey : query));
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** A post has changed: refreshes it, every list and every figure. */
export const refreshPosts = (client: QueryClient): Promise<void> =>
  refreshQueries(client, queryKeys.posts, queryKeys.analytics, queryKeys.quotas);

// What this person may do, to hide actions that the API would refuse. The API decides.
export type Scope = Me['scopes'][number];

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** The minimum notice of a slot. */
export const useLeadMs = (): number => useMe().schedule_min_lead_seconds * 1000;

export const useMay = (scope: Scope): boolean => useMe().scopes.includes(scope);
