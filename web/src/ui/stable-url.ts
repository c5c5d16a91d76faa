// Signed URLs of a file change with every response. With a new URL an image would flicker and a video begin again.

/** URLs are valid for an hour. */
const TTL_MS = 40 * 60_000;
const known = new Map<string, { url: string; until: number }>();

/** The first URL of a file that was shown, for as long as it is valid. */
export function stableUrl(url: string): string {
  const file = withoutQuery(url);
  const now = Date.now();
  const old = known.get(file);
  if (old && old.until > now) return old.url;
  known.set(file, { url, until: now + TTL_MS });
  return url;
}

/** What all URLs of a file have in common: the signature is in the query. */
export const withoutQuery = (url: string): string => url.replace(/\?.*$/, '');
