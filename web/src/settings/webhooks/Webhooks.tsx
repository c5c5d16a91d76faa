import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ProblemNote } from '../../ui/ProblemNote.js';
import { OneWebhook } from './OneWebhook.js';
import { webhooksQuery } from './queries.js';
import { WebhookList } from './WebhookList.js';

const route = getRouteApi('/inside/settings/$section');

/** The list, or one webhook with its log: the URL says which. */
export function Webhooks() {
  const { webhook: id } = route.useSearch();
  const { data, error, refetch } = useQuery(webhooksQuery);
  if (error && !data) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} aria-busy />;
  const chosen = data.find((webhook) => webhook.id === id);
  return chosen ? <OneWebhook key={chosen.id} webhook={chosen} /> : <WebhookList webhooks={data} />;
}
