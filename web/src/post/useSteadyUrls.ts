import type { Asset } from '@airdate/sdk';
import { useRef } from 'react';

/** Signed addresses last an hour. */
const GOOD_FOR_MS = 50 * 60_000;

/**
 * Every time files are listed they get new addresses; with those a film would begin anew and pictures flicker.
 * So an address stays while it is good.
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
