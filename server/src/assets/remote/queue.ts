// Which file is fetched next, and who fetches it. The rows of `asset_sources` are the queue: a try is owned by a lease, and its number
// fences it.
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { organizationsWith } from '../../db/organizations-with.js';
import { hasKeysOf } from '../../db/sealed-table.js';
import type { AssetSourceRow } from '../../db/tables.js';

/** At the same time in one process; no organization has all of them. */
export const MAX_CONCURRENT = 4;
export const MAX_PER_ORGANIZATION = 2;

export const LEASE_MS = 60_000;

/** Every row of the table is work to do. */
const ANY = sql<boolean>`1 = 1`;

/** The organizations that have files to fetch now. A worker without the key of an address leaves the file to those that have it. */
export const organizationsToFetch = (app: App): Promise<string[]> =>
  organizationsWith(
    app.db.read,
    'asset_sources',
    ANY,
    sql`fetch_at <= ${app.clock.now()} and ${hasKeysOf(app.seal, 'url')}`,
  );

/** Begins a try: the file of the organization whose post goes out first. Undefined if another worker was faster. */
export async function claimEarliest(app: App, orgId: string): Promise<AssetSourceRow | undefined> {
  const now = app.clock.now();
  const next = await app.db.read
    .selectFrom('asset_sources')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('fetch_at', '<=', now)
    .where(hasKeysOf(app.seal, 'url'))
    .orderBy('needed_at')
    .orderBy('asset_id')
    .limit(1)
    .executeTakeFirst();
  if (!next) return undefined;
  return app.db.transact((tx) =>
    tx
      .updateTable('asset_sources')
      .set({ tries: next.tries + 1, fetch_at: now + LEASE_MS })
      .where('org_id', '=', next.org_id)
      .where('asset_id', '=', next.asset_id)
      .where('tries', '=', next.tries)
      .where('fetch_at', '=', next.fetch_at)
      .returningAll()
      .executeTakeFirst(),
  );
}

/** Sets when the next try begins, or until when this one may take; false if it is no longer ours. */
export async function renew(
  app: App,
  { org_id, asset_id, tries }: AssetSourceRow,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await app.db.transact((tx) =>
    tx
      .updateTable('asset_sources')
      .set({ fetch_at: until })
      .where('org_id', '=', org_id)
      .where('asset_id', '=', asset_id)
      .where('tries', '=', tries)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

/** To the next worker, at this time; this try does not count. */
export async function handOver(
  app: App,
  { org_id, asset_id, tries }: AssetSourceRow,
  at: number,
): Promise<void> {
  await app.db.transact((tx) =>
    tx
      .updateTable('asset_sources')
      .set({ tries: tries - 1, fetch_at: at })
      .where('org_id', '=', org_id)
      .where('asset_id', '=', asset_id)
      .where('tries', '=', tries)
      .execute(),
  );
}

/** The file is settled or gone. `tookMs`: how long its last try took, for forecasts. */
export async function forget(
  app: App,
  { org_id, asset_id, tries }: AssetSourceRow,
  tookMs: number | null = null,
): Promise<void> {
  await app.db.transact(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('asset_sources')
      .where('org_id', '=', org_id)
      .where('asset_id', '=', asset_id)
      .where('tries', '=', tries)
      .executeTakeFirst();
    if (numDeletedRows === 0n || tookMs === null) return;
    // The last five files or so decide.
    const file_ms = sql<number>`(fetch_paces.file_ms * 4 + excluded.file_ms) / 5`;
    await tx
      .insertInto('fetch_paces')
      .values({ org_id, file_ms: Math.max(0, Math.round(tookMs)) })
      .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ file_ms }))
      .execute();
  });
}
