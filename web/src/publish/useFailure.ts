import type { Post } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import { usePlatform } from '../api/platform.js';
import { accountsQuery, assetsQuery, dispatchesOfPostQuery } from '../api/queries.js';
import { accountIdOf } from './choices.js';
import { type Failure, failureOf } from './failure.js';

/** The failure that still matters about a post, wherever it is shown; null if there is none. */
export function useFailure(post: Post | undefined): Failure | null {
  const id = post?.id ?? '';
  const enabled = post !== undefined && post.last_publish_error !== null;
  const attempts = useQuery({ ...dispatchesOfPostQuery(id), enabled }).data?.data;
  const assets = useQuery({ ...assetsQuery(id), enabled }).data?.data;
  const accounts = useQuery({ ...accountsQuery, enabled }).data;
  const platform = usePlatform();
  if (!post) return null;
  return failureOf(post, {
    latest: attempts?.[0],
    assets,
    account: accounts?.find(({ id }) => id === accountIdOf(post, attempts?.[0])),
    platform,
  });
}
