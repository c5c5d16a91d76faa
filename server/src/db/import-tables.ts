// The tables of files that are fetched from an address; see decision 0031.
import type { Generated, Selectable } from 'kysely';

/** Where a pending asset is fetched from, until it is ready or rejected. Deleted with the asset. */
export interface AssetSourceTable {
  org_id: string;
  asset_id: string;
  /** Sealed: such an address often carries a signature. */
  url: string;
  /** How many tries have begun. It fences them: a try whose number is no longer this one has lost its lease. */
  tries: number;
  /** When a worker begins the next try. During one, the end of its lease. */
  fetch_at: number;
  /** The slot of its post; far in the future if it has none. Kept by triggers. */
  needed_at: Generated<number>;
}

/** How long it takes to fetch a file of an organization, averaged over its recent ones. */
export interface FetchPaceTable {
  org_id: string;
  file_ms: number;
}

export type AssetSourceRow = Selectable<AssetSourceTable>;
