// The pure part of archiving and restoring: batch after batch, what was done, and what undoing needs.

import type { Post } from '@airdate/sdk/core';
import { count } from '../text/numbers.js';
import { titleOf } from '../text/post-title.js';

export type Action = 'archive' | 'unarchive';

/** The most that the API accepts in one request. */
export const MAX_PER_REQUEST = 50;

export interface Steps {
  /** The post as it is now; null if there is nothing left to do with it. */
  reread: (post: Post) => Promise<Post | null>;
  act: (ids: string[]) => Promise<unknown>;
}

export interface ArchiveResult {
  /** The posts that were changed, each as it was just before. */
  done: Post[];
  /** Why the others were not. */
  problem?: unknown;
}

/** One batch after the other, until one fails: earlier batches stay done, and can be undone. */
export async function runInBatches(posts: Post[], { reread, act }: Steps): Promise<ArchiveResult> {
  const done: Post[] = [];
  for (let from = 0; from < posts.length; from += MAX_PER_REQUEST) {
    const batch = posts.slice(from, from + MAX_PER_REQUEST);
    try {
      const now = await Promise.all(batch.map(reread));
      await act(batch.map(({ id }) => id));
      done.push(...now.filter((post) => post !== null));
    } catch (problem) {
      return { done, problem };
    }
  }
  return { done };
}

/** Archived posts have no slot to lose. A post listed as posted may have failed since, and been scheduled again. */
export const mayHaveSlot = ({ status }: Post): boolean => status !== 'archived';

/** The slots to restore when the archiving is undone. */
export const slotsOf = (posts: Post[]): { post: Post; scheduled_at: string }[] =>
  posts.flatMap((post) =>
    post.status === 'scheduled' && post.scheduled_at !== null
      ? [{ post, scheduled_at: post.scheduled_at }]
      : [],
  );

export function outcomeOf(posts: Post[], action: Action): string {
  const only = posts.length === 1 ? posts[0] : undefined;
  const what = describePosts(posts);
  if (action === 'unarchive') return `${what} unarchived.`;
  const slots = slotsOf(posts).length;
  if (slots === 0) return `${what} archived.`;
  if (only) return `${what} archived and unscheduled. Undo schedules it again.`;
  if (slots === 1) return `${what} archived, and one unscheduled. Undo schedules it again.`;
  return `${what} archived, and ${slots} unscheduled. Undo schedules them again.`;
}

/** What is said after Undo. */
export function undoneOf(posts: Post[], undone: Action, rescheduled: number): string {
  const what = describePosts(posts);
  if (undone === 'unarchive') return `${what} archived again.`;
  if (rescheduled === 0) return `${what} restored.`;
  if (rescheduled === posts.length) return `${what} restored and scheduled again.`;
  return `${what} restored, ${rescheduled} scheduled again.`;
}

/** "“Title”" or "3 posts". */
export const describePosts = (posts: Post[]): string =>
  posts.length === 1 && posts[0] ? quote(posts[0]) : count(posts.length, 'post');

export function quote(post: Post): string {
  const title = titleOf(post);
  return `“${title.length > 60 ? `${title.slice(0, 57)}…` : title}”`;
}
