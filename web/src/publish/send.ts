// Sends the dialog's request. A request to publish keeps its key for as long as it is the same request, so that a double
// click, or another try after a lost response, never publishes twice.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError, api, type PostWithEtag } from '../api/client.js';
import { newId } from '../api/idempotency-keys.js';
import { refreshPosts } from '../api/queries.js';
import { updateIfUnchanged } from '../api/update-if-unchanged.js';
import type { publishBody, scheduleBody } from './form.js';

/** The first request may still be running; its response is worth waiting for. */
const UNDER_WAY_TRIES = 20;
const UNDER_WAY_MS = 1_500;

export function usePublishNow(postId: string) {
  const client = useQueryClient();
  const last = useRef<{ request: string; key: string } | null>(null);
  return useMutation({
    mutationFn: async (body: ReturnType<typeof publishBody>) => {
      const request = JSON.stringify(body);
      if (last.current?.request !== request) last.current = { request, key: newId() };
      const { key } = last.current;
      try {
        return await retryWhileInProgress(() =>
          api.request('POST', '/api/v1/posts/{id}/publish', {
            path: { id: postId },
            idempotencyKey: key,
            body,
          }),
        );
      } catch (error) {
        // A refusal is kept under its key: after a fix the request needs a new key.
        if (error instanceof ApiError && isRefusal(error)) last.current = null;
        throw error;
      }
    },
    // Not awaited: only the response counts.
    onSettled: () => void refreshPosts(client),
  });
}

export function useSchedule(post: PostWithEtag) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ReturnType<typeof scheduleBody>) => updateIfUnchanged(client, post, body, 'scheduled'),
    onSuccess: () => void refreshPosts(client),
  });
}

async function retryWhileInProgress<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await call();
    } catch (error) {
      const isUnderWay = error instanceof ApiError && error.code === 'idempotency_key_in_use';
      if (!isUnderWay || tries === UNDER_WAY_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, UNDER_WAY_MS));
    }
}

const isRefusal = ({ status, code }: ApiError): boolean =>
  status >= 400 && status < 500 && code !== 'idempotency_key_in_use';
