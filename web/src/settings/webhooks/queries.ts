// Webhooks and their logs.

import type { paths } from '@airdate/sdk/core';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { refreshQueries } from '../../api/queries.js';
import { queryKeys } from '../../api/query-keys.js';

type Body<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Json } } } };
}
  ? Json
  : never;

export type Webhook = Body<'/api/v1/webhooks'>['data'][number];
export type Delivery = Body<'/api/v1/webhooks/{id}/deliveries'>['data'][number];
export type Attempt = Delivery['attempts'][number];
export type EventType = NonNullable<Webhook['types']>[number];
export type WebhookFields = Pick<Webhook, 'url' | 'description' | 'types'>;

export type LogQuery = NonNullable<paths['/api/v1/webhooks/{id}/deliveries']['get']['parameters']['query']>;

/** What is due appears in the log within moments; without anything due, the log is fetched on demand. */
const DUE_MS = 2_000;

export const webhooksQuery = queryOptions({
  queryKey: queryKeys.webhookList,
  // An organization has at most 20.
  queryFn: () => api.data('GET', '/api/v1/webhooks', { query: { per_page: 100 } }),
  staleTime: 0,
});

export const logQuery = (id: string, query: LogQuery) =>
  queryOptions({
    queryKey: queryKeys.webhookLog(id, query),
    queryFn: () => api.request('GET', '/api/v1/webhooks/{id}/deliveries', { path: { id }, query }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.data.some(isDue) ? DUE_MS : false),
  });

const isDue = ({ next_attempt_at: next }: Delivery): boolean =>
  next !== null && Date.parse(next) <= Date.now() + DUE_MS;

/** The list and every log. */
export const refreshWebhooks = (client: QueryClient): Promise<void> =>
  refreshQueries(client, queryKeys.webhooks);
