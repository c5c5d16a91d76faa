import type { Post } from '@airdate/sdk/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api } from '../api/client.js';
import { withIdempotencyKey } from '../api/idempotency-keys.js';
import { labelsQuery, refreshPosts, refreshQueries } from '../api/queries.js';
import type { Colour, Label } from './label.js';
import { unknownIn } from './label.js';

export type NameAndColour = { name: string; colour: Colour };

/** All labels by name. Absent until they are loaded. */
export const useLabels = (): Label[] | undefined => useQuery(labelsQuery).data;

export function useLabelsById(): ReadonlyMap<string, Label> {
  const labels = useLabels();
  return useMemo(() => new Map((labels ?? []).map((label) => [label.id, label])), [labels]);
}

/** The same for posts on screen. One of them may name a label that a colleague has just created: then all are fetched again. */
export function useLabelsOf(posts: readonly Post[]): ReadonlyMap<string, Label> {
  const refresh = useRefresh();
  const isLoaded = useLabels() !== undefined;
  const labels = useLabelsById();
  const unknown = isLoaded ? unknownIn(posts, labels).join() : '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for the same labels, even if they stay unknown
  useEffect(() => {
    if (unknown !== '') void refresh();
  }, [unknown]);
  return labels;
}

export function useCreateLabel() {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: (body: NameAndColour) =>
      withIdempotencyKey('label', body, (key) =>
        api.data('POST', '/api/v1/labels', { body, idempotencyKey: key }),
      ),
    onSuccess,
  });
}

export function useChangeLabel(id: string) {
  const onSuccess = useRefresh();
  return useMutation({
    mutationFn: (body: NameAndColour) => api.data('PATCH', '/api/v1/labels/{id}', { path: { id }, body }),
    onSuccess,
  });
}

/** The API takes it off its posts too. `onDeleted` comes before the lists are fetched again without it. */
export function useDeleteLabel(id: string, onDeleted?: (id: string) => void) {
  const client = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => api.request('DELETE', '/api/v1/labels/{id}', { path: { id } }),
    onSuccess: async () => {
      onDeleted?.(id);
      await refresh();
      void refreshPosts(client);
    },
  });
}

function useRefresh() {
  const client = useQueryClient();
  return () => refreshQueries(client, labelsQuery);
}
