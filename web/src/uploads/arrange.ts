// Puts slides into an order that may be outdated before it arrives: another upload can end at any moment.
import { ApiError, api } from '../api/client.js';

const TRIES = 4;

export async function listAssets(postId: string) {
  return api.request('GET', '/api/v1/posts/{id}/assets', { path: { id: postId } });
}

export type AssetList = Awaited<ReturnType<typeof listAssets>>;

/** `arranged` gets the current keys and returns them in the wanted order. */
export async function arrange(postId: string, arranged: (keys: string[]) => string[]): Promise<AssetList> {
  for (let attempt = 1; ; attempt += 1) {
    const list = await listAssets(postId);
    const keys = list.data.map(({ object_key }) => object_key);
    const order = arranged(keys);
    if (order.every((key, i) => key === keys[i])) return list;
    try {
      return await api.request('PATCH', '/api/v1/posts/{id}/assets', {
        path: { id: postId },
        body: { order },
      });
    } catch (error) {
      const isOutdated = error instanceof ApiError && error.status === 400;
      if (!isOutdated || attempt === TRIES) throw error;
    }
  }
}

/** Known keys in the wanted order; new keys follow, removed ones are left out. */
export const inOrder =
  (wanted: readonly string[]) =>
  (keys: string[]): string[] => [
    ...wanted.filter((key) => keys.includes(key)),
    ...keys.filter((key) => !wanted.includes(key)),
  ];

/** `key` right before `other`. */
export const before =
  (key: string, other: string) =>
  (keys: string[]): string[] => {
    if (!keys.includes(key) || !keys.includes(other)) return keys;
    const rest = keys.filter((each) => each !== key);
    return rest.toSpliced(rest.indexOf(other), 0, key);
  };

/** `key` at this position among the others, counted from 1. */
export const atPosition =
  (key: string, position: number) =>
  (keys: string[]): string[] =>
    keys.includes(key) ? keys.filter((each) => each !== key).toSpliced(position - 1, 0, key) : keys;

export async function removeAsset(postId: string, objectKey: string): Promise<void> {
  try {
    await api.request('DELETE', '/api/v1/posts/{id}/assets', {
      path: { id: postId },
      query: { object_key: objectKey },
    });
  } catch (error) {
    // Already gone is fine.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
