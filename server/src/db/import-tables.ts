// The table of files that are fetched from an address; see decision 0031.
import type { Selectable } from 'kysely';

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
}

export type AssetSourceRow = Selectable<AssetSourceTable>;
