// The title of a post, where a screen names it.
import type { Post } from '@airdate/sdk/core';

/** The title that the API gets if a member has typed none. */
export const UNTITLED = 'Untitled post';

export const titleOf = (post: Pick<Post, 'title'>): string => post.title ?? 'Untitled';
