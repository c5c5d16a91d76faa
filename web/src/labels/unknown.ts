import type { Post } from '@airdate/sdk/core';

/** The ids of labels that posts have and the dashboard does not know, each once, in a fixed order. */
export const unknownIn = (
  posts: readonly Pick<Post, 'labels'>[],
  known: Pick<ReadonlyMap<string, unknown>, 'has'>,
): string[] => [...new Set(posts.flatMap(({ labels }) => labels.filter((id) => !known.has(id))))].sort();
