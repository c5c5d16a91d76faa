// The ETags of posts, as requests send and receive them.
import assert from 'node:assert/strict';
import type { Organization } from './harness.js';
import type { Answer } from './send.js';

export const POSTS = '/api/v1/posts';
const STRONG = /^"[!#-~]+"$/;

export const tagOf = ({ headers }: Answer): string => {
  const tag = headers.get('etag');
  assert.match(tag ?? '', STRONG);
  return tag as string;
};
export const ifMatch = (tag: string) => ({ 'if-match': tag });
export const ifNoneMatch = (tag: string) => ({ 'if-none-match': tag });
export const get = (org: Organization, path: string, headers: Record<string, string> = {}) =>
  org.call('GET', path, undefined, headers);

/** A post, its path and its present tag. */
export async function aPost(org: Organization, fields: Record<string, unknown> = {}) {
  const id = await org.addPost({ title: 'Mine', ...fields });
  const path = `${POSTS}/${id}`;
  return { id, path, tag: tagOf(await get(org, path)) };
}
