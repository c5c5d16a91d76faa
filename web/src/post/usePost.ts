// A post with its files, attempts and the platform's last status; polled every two seconds while it is being published.
import type { Asset, Dispatch, PublishStatus } from '@airdate/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SeenPost } from '../api/client.js';
import {
  assetsQuery,
  dispatchesOfPostQuery,
  postQuery,
  publishStatusQuery,
  refreshPosts,
} from '../api/queries.js';

const WATCH_MS = 2_000;

export interface PostFacts {
  post: SeenPost;
  assets: Asset[] | undefined;
  attempts: Dispatch[] | undefined;
  attemptCount: number;
  /** The attempt that decides what the post is: the latest. */
  latest: Dispatch | undefined;
  platform: PublishStatus | undefined;
  /** Something is being sent or processed at this moment. */
  isMoving: boolean;
}

export function usePost(id: string) {
  const client = useQueryClient();
  const one = useQuery({
    ...postQuery(id),
    refetchInterval: ({ state }) => (state.data?.status === 'publishing' ? WATCH_MS : false),
  });
  const attempts = useQuery({
    ...dispatchesOfPostQuery(id),
    enabled: one.data !== undefined,
    refetchInterval: ({ state }) => (isOpen(state.data?.data[0]) ? WATCH_MS : false),
  });
  const latest = attempts.data?.data[0];
  const isMoving = isOpen(latest);
  const status = useQuery({
    ...publishStatusQuery(id),
    // Before an acceptance there is no publish status.
    enabled: (attempts.data?.data ?? []).some(hasRecord),
    refetchInterval: isMoving ? WATCH_MS : false,
  });
  const assets = useQuery({ ...assetsQuery(id), enabled: one.data !== undefined });

  // The platform's status reaches publish-status first; post and attempts follow from it.
  const word = status.data?.status;
  const isBehind = isMoving && word !== undefined && word !== 'processing' && hasRecord(latest);
  useEffect(() => {
    if (isBehind) void refreshPosts(client);
  }, [isBehind, client]);

  const facts: PostFacts | null = one.data
    ? {
        post: asItIs(one.data, latest),
        assets: assets.data?.data,
        attempts: attempts.data?.data,
        attemptCount: attempts.data?.pagination.total ?? 0,
        latest,
        platform: status.data,
        isMoving,
      }
    : null;
  const failed = [assets, attempts, status].find(({ error }) => error !== null);
  return { facts, error: one.error, partError: failed?.error ?? null, refetch: one.refetch };
}

const isOpen = (attempt: Dispatch | undefined) =>
  attempt?.outcome === 'started' || attempt?.outcome === 'accepted';

const hasRecord = (attempt: Dispatch | undefined) =>
  attempt !== undefined &&
  (attempt.publish_id !== null || attempt.outcome === 'unknown' || attempt.outcome === 'published');

/** During a retry the error of the previous attempt is outdated. */
const asItIs = (post: SeenPost, latest: Dispatch | undefined): SeenPost =>
  post.status === 'publishing' && isOpen(latest) ? { ...post, last_publish_error: null } : post;
