// The posts of an import: as they were created, and deleted again.
import type { Post } from '@airdate/sdk/core';
import { api } from '../../api/client.js';
import type { BulkResult } from '../bulk/bulk.js';
import { sendBulk } from '../bulk/send.js';
import { isoOf } from '../bulk/slots.js';

const PER_PAGE = 100;

/** In the order of their lines. All were created at the same moment, so they are in few lists. */
export async function readImported(ids: readonly string[]): Promise<Post[]> {
  const [id] = ids;
  if (id === undefined) return [];
  const { created_at } = await api.data('GET', '/api/v1/posts/{id}', { path: { id } });
  const posts = new Map((await readCreatedAt(created_at)).map((post) => [post.id, post]));
  return ids.flatMap((each) => posts.get(each) ?? []);
}

async function readCreatedAt(created_from: string): Promise<Post[]> {
  // The API says seconds, and compares milliseconds.
  const created_to = isoOf(Date.parse(created_from) + 1000);
  const posts: Post[] = [];
  for (let page = 1; ; page++) {
    const query = { created_from, created_to, per_page: PER_PAGE, page };
    const { data, pagination } = await api.request('GET', '/api/v1/posts', { query });
    posts.push(...data);
    if (page >= pagination.total_pages) return posts;
  }
}

/** Deletes those that no one has changed. What is scheduled gives up its slot first: only drafts are deleted. */
export async function undoImport(before: readonly Post[], isFetching: boolean): Promise<BulkResult> {
  const known = new Map(before.map((post) => [post.id, asCreated(post, isFetching)]));
  const posts = (await readCreatedAt(before[0]?.created_at ?? '')).filter(({ id }) => known.has(id));
  const isUnchanged = (post: Post) => known.get(post.id) === asCreated(post, isFetching);
  const unchanged = posts.filter(isUnchanged);
  const scheduled = unchanged.filter(({ status }) => status === 'scheduled');
  const drafts = unchanged.filter(({ status }) => status !== 'scheduled');
  const freed = await sendBulk([{ posts: scheduled, body: { action: 'unschedule' } }]);
  const deleted = await sendBulk([{ posts: [...drafts, ...freed.done], body: { action: 'delete' } }]);
  const changed = posts.filter((post) => !isUnchanged(post));
  return {
    done: deleted.done,
    refused: [
      ...freed.refused,
      ...deleted.refused,
      ...changed.map((post) => ({ post, reason: 'It has changed since the import.' })),
    ],
  };
}

/** A file that is fetched changes the time of its post, and nothing else of it. */
const asCreated = (post: Post, isFetching: boolean): string =>
  JSON.stringify(isFetching ? { ...post, updated_at: '' } : post);
