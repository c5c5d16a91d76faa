import type { Asset } from '@airdate/sdk/core';

/** URLs are valid for an hour. */
const TTL_MS = 40 * 60_000;
const known = new Map<string, { url: string; until: number }>();

/** The URL of a file changes with every response; the first one is kept, or images and videos would load again. */
export function stableUrl({ object_key, url }: Asset): string {
  const now = Date.now();
  const old = known.get(object_key);
  if (old && old.until > now) return old.url;
  known.set(object_key, { url, until: now + TTL_MS });
  return url;
}
