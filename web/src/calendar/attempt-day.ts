import type { Dispatch, Post } from '@airdate/sdk/core';

export interface PostAtAttempt {
  post: Post;
  at: string;
}

/** Each post at its last attempt, if that was not after `last`. */
export function placeAtLastAttempt(posts: Post[], attempts: Dispatch[], last: string): PostAtAttempt[] {
  return posts.flatMap((post) => {
    const times = attempts
      .filter(({ post_id }) => post_id === post.id)
      .map(({ started_at }) => started_at)
      .sort();
    const at = times.at(-1);
    return at !== undefined && Date.parse(at) <= Date.parse(last) ? [{ post, at }] : [];
  });
}
