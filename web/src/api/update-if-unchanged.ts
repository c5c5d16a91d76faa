// Changes a post only if it still is what the member has seen.
import type { paths } from '@airdate/sdk/core';
import type { QueryClient } from '@tanstack/react-query';
import { ApiError, api, askForPost, type PostWithEtag } from './client.js';
import { postQuery } from './queries.js';

type Change = NonNullable<paths['/api/v1/posts/{id}']['patch']['requestBody']>['content']['application/json'];

export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 412;

/** Afterwards the cache has the post as it is now, whether it was changed or not. `notDone` says what was not done. */
export async function updateIfUnchanged(
  client: QueryClient,
  seen: PostWithEtag,
  body: Change,
  notDone: string,
): Promise<PostWithEtag> {
  const change = ({ id, etag }: PostWithEtag) =>
    askForPost(api.data('PATCH', '/api/v1/posts/{id}', { path: { id }, ifMatch: etag, body }));
  const { queryKey } = postQuery(seen.id);
  try {
    const changed = await change(seen);
    client.setQueryData(queryKey, changed);
    return changed;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const now = await client.fetchQuery({ ...postQuery(seen.id), staleTime: 0 });
    if (!looksLike(now, seen))
      throw new Error(
        `This post was just changed elsewhere, so it wasn’t ${notDone}. Check it, then try again.`,
      );
    const changed = await change(now);
    client.setQueryData(queryKey, changed);
    return changed;
  }
}

/** Apart from its ETag and the time of its last change: what a member cannot see needs no second look. */
function looksLike(now: PostWithEtag, seen: PostWithEtag): boolean {
  const visible = ({ etag: _etag, updated_at: _changed, ...rest }: PostWithEtag) => JSON.stringify(rest);
  return visible(now) === visible(seen);
}
