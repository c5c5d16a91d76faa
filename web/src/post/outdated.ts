import type { Dispatch, Post } from '@airdate/sdk/core';

type Seen = Pick<Post, 'status' | 'in_inbox' | 'updated_at'>;
type Attempt = Pick<Dispatch, 'outcome' | 'finished_at'>;

/** The post was fetched before its attempt ended otherwise. It would be shown as posted until it is fetched again. */
export const isOutdated = (post: Seen | undefined, latest: Attempt | undefined): boolean =>
  post?.status === 'posted' &&
  !post.in_inbox &&
  (latest?.outcome === 'failed' || latest?.outcome === 'in_inbox') &&
  latest.finished_at !== null &&
  post.updated_at < latest.finished_at;
