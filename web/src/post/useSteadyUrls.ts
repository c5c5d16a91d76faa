import type { Asset } from '@airdate/sdk/core';
import { useRef } from 'react';

/** Signed URLs are valid for an hour. */
const GOOD_FOR_MS = 50 * 60_000;

/**
 * Every list of files has new URLs; with those a video would restart and images would flicker. So a URL stays in use while
 * it is valid.
 */
export function useSteadyUrls(assets: Asset[] | undefined): Asset[] | undefined {
  const known = useRef(new Map<string, { asset: Asset; since: number }>());
  return assets?.map((asset) => {
    const now = Date.now();
    const before = known.current.get(asset.object_key);
    if (before && now - before.since < GOOD_FOR_MS) return before.asset;
    known.current.set(asset.object_key, { asset, since: now });
    return asset;
  });
}
