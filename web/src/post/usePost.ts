// A post with its files, attempts and the platform's last status; polled every two seconds while it is being published.
import type { Asset, Dispatch, PublishStatus, SocialAccount } from '@airdate/sdk/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, type PostWithEtag } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import {
  accountsQuery,
  assetsQuery,
  dispatchesOfPostQuery,
  postQuery,
  publishStatusQuery,
  readinessQuery,
  refreshPosts,
} from '../api/queries.js';
import { accountIdOf } from '../publish/choices.js';
import { type Failure, failureOf } from '../publish/failure.js';
import { type Blockers, findBlockers } from './blockers.js';
import { isOutdated } from './outdated.js';

const WATCH_MS = 2_000;

export interface PostFacts {
  post: PostWithEtag;
  assets: Asset[] | undefined;
  attempts: Dispatch[] | undefined;
  attemptCount: number;
  /** The attempt that decides what the post is: the latest. */
  latest: Dispatch | undefined;
  platform: PublishStatus | undefined;
  /** The post's own, or that of the latest attempt. */
  account: SocialAccount | undefined;
  /** Why the last attempt failed, if that still matters. */
  failure: Failure | null;
  /** Whether the post is ready; null if it no longer has to go out. */
  standing: Blockers | null;
  /** Something is being sent or processed at this moment. */
  isMoving: boolean;
}

export function usePost(id: string) {
  const client = useQueryClient();
  const one = useQuery({
    ...postQuery(id),
    refetchInterval: ({ state }) => (state.data?.status === 'publishing' ? WATCH_MS : false),
  });
  // All together: the page is drawn when it knows how high everything is.
  const attempts = useQuery({
    ...dispatchesOfPostQuery(id),
    refetchInterval: ({ state }) => (isOpen(state.data?.data[0]) ? WATCH_MS : false),
  });
  const latest = attempts.data?.data[0];
  const isMoving = isOpen(latest) || isOutdated(one.data, latest);
  const status = useQuery({
    ...publishStatusQuery(id),
    // Before an acceptance there is no publish status.
    enabled: (attempts.data?.data ?? []).some(hasRecord),
    refetchInterval: isMoving ? WATCH_MS : false,
  });
  const assets = useQuery(assetsQuery(id));
  const readiness = useQuery(readinessQuery(id));
  const accounts = useQuery(accountsQuery);
  const platform = usePlatform();

  // The platform's status reaches publish-status first; post and attempts follow from it.
  const word = status.data?.status;
  const isBehind = isMoving && word !== undefined && word !== 'processing' && hasRecord(latest);
  useEffect(() => {
    if (isBehind) void refreshPosts(client);
  }, [isBehind, client]);

  const isWaiting = [attempts, assets, readiness, accounts].some(({ isPending }) => isPending);
  const facts: PostFacts | null =
    one.data && !isWaiting ? factsOf(withoutOutdatedError(one.data, latest)) : null;
  function factsOf(post: PostWithEtag): PostFacts {
    const account = accounts.data?.find(({ id }) => id === accountIdOf(post, latest));
    const files = assets.data?.data;
    const failure = failureOf(post, { latest, assets: files, account, platform });
    return {
      post,
      assets: files,
      attempts: attempts.data?.data,
      attemptCount: attempts.data?.pagination.total ?? 0,
      latest,
      platform: status.data,
      account,
      failure,
      standing: findBlockers(post, readiness.data?.problems ?? null, failure),
      isMoving,
    };
  }
  // Once a member has entered that the post is not on the platform, there is no status any more.
  const isWithoutStatus = status.error instanceof ApiError && status.error.status === 404;
  const parts = [assets, attempts, readiness, ...(isWithoutStatus ? [] : [status])];
  const failed = parts.find(({ error }) => error !== null);
  return { facts, error: one.error, partError: failed?.error ?? null, refetch: one.refetch };
}

const isOpen = (attempt: Dispatch | undefined) =>
  attempt?.outcome === 'started' || attempt?.outcome === 'accepted';

const hasRecord = (attempt: Dispatch | undefined) =>
  attempt !== undefined &&
  (attempt.publish_id !== null || attempt.outcome === 'unknown' || attempt.outcome === 'published');

/** During a retry the error of the previous attempt is outdated. */
const withoutOutdatedError = (post: PostWithEtag, latest: Dispatch | undefined): PostWithEtag =>
  post.status === 'publishing' && isOpen(latest) ? { ...post, last_publish_error: null } : post;
