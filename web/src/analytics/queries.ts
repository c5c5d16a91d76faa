import type { Dispatch, paths } from '@airdate/sdk/core';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { queryKeys } from '../api/query-keys.js';

export type Timeline =
  paths['/api/v1/analytics/timeline']['get']['responses'][200]['content']['application/json']['data'];
export type Day = Timeline['days'][number];

const DAY_MS = 86_400_000;

/** Today and the days before it, each from midnight to midnight UTC. */
export const timelineQuery = (days: number) =>
  queryOptions({
    queryKey: queryKeys.timeline(days),
    queryFn: () => {
      const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      const query = { from: at(today - (days - 1) * DAY_MS), to: at(today + DAY_MS) };
      return api.data('GET', '/api/v1/analytics/timeline', { query });
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

const at = (ms: number) => new Date(ms).toISOString();

const PER_PAGE = 10;

export const dispatchesQuery = (
  page: number,
  outcome: Dispatch['outcome'] | undefined,
  reason: string | undefined,
) =>
  queryOptions({
    queryKey: queryKeys.attempts(page, outcome, reason),
    queryFn: () =>
      api.request('GET', '/api/v1/dispatches', {
        query: {
          page,
          per_page: PER_PAGE,
          ...(outcome ? { outcome } : {}),
          ...(reason ? { error_code: reason } : {}),
        },
      }),
    placeholderData: keepPreviousData,
  });
