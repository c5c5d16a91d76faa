// The requests of bulk actions.
import type { Post } from '@airdate/sdk/core';
import { ApiError, api, askForPost, messageOf, type PostWithEtag } from '../../api/client.js';
import { createIdempotencyKeys } from '../../api/idempotency-keys.js';
import { isConflict } from '../../api/update-if-unchanged.js';
import {
  type BulkBody,
  type BulkEntry,
  type BulkResult,
  draftBefore,
  isDraft,
  type Refusal,
  type Step,
  sendSteps,
} from './bulk.js';

const keys = createIdempotencyKeys<BulkBody>();

async function requestBulk(body: BulkBody): Promise<BulkEntry[]> {
  const idempotencyKey = keys.keyFor(body);
  try {
    const entries = await api.data('POST', '/api/v1/posts/bulk', { body, idempotencyKey });
    keys.succeeded(body);
    return entries;
  } catch (error) {
    if (error instanceof ApiError && error.status > 0 && error.status < 500) keys.forget(body);
    throw error;
  }
}

/** About what the request says. A lost session or too many requests would stop the next one too. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && [400, 403, 404, 409, 422].includes(error.status);

export const sendBulk = (steps: Step[]): Promise<BulkResult> =>
  sendSteps(steps, requestBulk, { messageOf, isRefusal });

/** How many requests run at the same time: the browser has some left for the rest of the page. */
const TOGETHER = 4;

/**
 * The posts as they are now. A selection may be minutes old, and with it the slot and the labels that an undo would restore.
 * A post that cannot be read stays as it was selected: the action itself reports what is wrong with it.
 */
export async function refetchPosts(posts: Post[]): Promise<PostWithEtag[]> {
  const now: PostWithEtag[] = [];
  await eachOf(posts, async (post, n) => {
    now[n] = await read(post.id).catch(() => post);
  });
  return now;
}

const read = (id: string): Promise<PostWithEtag> =>
  askForPost(api.data('GET', '/api/v1/posts/{id}', { path: { id } }));

/** Gives posts that are drafts again what they had: taking away a slot leaves its account and choices, and clears the time. */
export async function restoreDrafts({ done, refused }: BulkResult, leadMs: number): Promise<BulkResult> {
  const failed: Refusal[] = [];
  await eachOf(done.filter(isDraft), async (post) => {
    const path = { id: post.id };
    const body = draftBefore(post, Date.now() + leadMs);
    await api
      .data('PATCH', '/api/v1/posts/{id}', { path, body })
      .catch((error) => failed.push({ post, reason: messageOf(error) }));
  });
  const isRestored = (post: Post) => !failed.some((each) => each.post.id === post.id);
  return { done: done.filter(isRestored), refused: [...refused, ...failed] };
}

/** Gives each post its labels. Posts that have them already are left alone. */
export async function setLabels(
  posts: PostWithEtag[],
  labelsOf: (post: Post) => string[],
): Promise<BulkResult> {
  const done: Post[] = [];
  const refused: Refusal[] = [];
  await eachOf(posts, async (post) => {
    try {
      const before = await relabel(post, labelsOf);
      if (before) done.push(before);
    } catch (error) {
      refused.push({ post, reason: labelRefusal(error) });
    }
  });
  return { done, refused };
}

/** The post as it was just before; null if it has its labels already. One that has changed meanwhile is read again. */
async function relabel(
  post: PostWithEtag,
  labelsOf: (post: Post) => string[],
  isSecondTry = false,
): Promise<Post | null> {
  const labels = labelsOf(post);
  if ([...labels].sort().join() === [...post.labels].sort().join()) return null;
  try {
    const call = { path: { id: post.id }, body: { labels }, ifMatch: post.etag };
    await api.data('PATCH', '/api/v1/posts/{id}', call);
    return post;
  } catch (error) {
    if (isSecondTry || !isConflict(error)) throw error;
    return relabel(await read(post.id), labelsOf, true);
  }
}

function labelRefusal(error: unknown): string {
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'wrong_state') return 'Only drafts and scheduled posts can get labels.';
  return code === 'not_found' ? 'It was deleted.' : messageOf(error);
}

async function eachOf(posts: Post[], work: (post: Post, n: number) => Promise<void>): Promise<void> {
  const waiting = posts.entries();
  const run = async () => {
    for (const [n, post] of waiting) await work(post, n);
  };
  await Promise.all(Array.from({ length: TOGETHER }, run));
}
