// Which file is fetched next, and who fetches it. Each row of `asset_sources` is a file to fetch; the worker that fetches it has its
// lease.
import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { organizationsWith } from '../../db/organizations-with.js';
import { hasKeysOf } from '../../db/sealed-table.js';
import type { AssetSourceRow } from '../../db/tables.js';
import { createLease } from '../../work/lease.js';
import type { Pool, PoolLimits, Work } from '../../work/pool.js';
import type { Source } from '../../work/runner.js';

/** How many files one process fetches at the same time. No organization has all of them. */
export const FETCH_LIMITS = { max: 4, perOrganization: 2, perTarget: 2 } as const satisfies PoolLimits;

export const LEASE_MS = 60_000;

type LeasedSource = Pick<AssetSourceRow, 'org_id' | 'asset_id' | 'fence'>;
export type DueSource = LeasedSource & Work;

export const sourceLease = createLease<AssetSourceRow, keyof LeasedSource>({
  table: 'asset_sources',
  key: ['org_id', 'asset_id', 'fence'],
  ends: ['fetch_at'],
  ms: () => LEASE_MS,
});

const acquireDue = sourceLease.acquireIf((now: number) => sql`fetch_at <= ${now}`);

/** Begins a try. Null if another worker was faster. */
export function acquireSource(app: App, seen: LeasedSource): Promise<AssetSourceRow | null> {
  const now = app.clock.now();
  return app.db.transact(async (tx) => {
    const source = await acquireDue(tx, seen, now + LEASE_MS, now);
    if (!source) return null;
    // Counted before the first byte: a file that ends its worker has had its try.
    const counted = { ...source, tries: source.tries + 1 };
    await sourceLease.update(tx, counted, { tries: counted.tries });
    return counted;
  });
}

/** Ends this try, and sets when the next one begins. */
export const retryAt = (app: App, source: LeasedSource, at: number): Promise<boolean> =>
  app.db.transact((tx) => sourceLease.release(tx, source, { fetch_at: at }));

/** Leaves the file to the next worker, from this time on. This try does not count. */
export const handOver = (
  app: App,
  source: Pick<AssetSourceRow, keyof LeasedSource | 'tries'>,
  at: number,
): Promise<boolean> =>
  app.db.transact((tx) => sourceLease.release(tx, source, { tries: source.tries - 1, fetch_at: at }));

/** The file is settled or gone. `tookMs`: how long its last try took, for forecasts. */
export async function forget(
  app: App,
  { org_id, asset_id, fence }: LeasedSource,
  tookMs: number | null = null,
): Promise<void> {
  await app.db.transact(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('asset_sources')
      .where('org_id', '=', org_id)
      .where('asset_id', '=', asset_id)
      .where('fence', '=', fence)
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

/** Every row of the table is work to do. */
const ANY = sql<boolean>`1 = 1`;

/**
 * Files to fetch, one at a time: of the organization that has the fewest running, and of several such of the one that comes
 * after the last that had a turn; there the file whose post goes out first.
 */
export function dueSources(app: App, pool: Pool): Source<DueSource> {
  let lastOrgId = '';

  async function findNext(): Promise<DueSource | undefined> {
    const orgIds = (await organizationsToFetch(app)).sort();
    const after = orgIds.filter((orgId) => orgId > lastOrgId);
    const inOrder = [...after, ...orgIds.slice(0, orgIds.length - after.length)]
      .filter((orgId) => pool.capacityFor(orgId) > 0)
      .sort((a, b) => pool.runningFor(a) - pool.runningFor(b));
    for (const orgId of inOrder) {
      // Fetches that have just begun may still be due.
      const rows = await findEarliest(app, orgId, pool.runningFor(orgId) + 1);
      const next = rows.find(({ id }) => !pool.has(id));
      if (next) return next;
    }
    return undefined;
  }

  return async function* () {
    for (;;) {
      const next = pool.free > 0 ? await findNext() : undefined;
      if (!next) return;
      lastOrgId = next.org_id;
      yield next;
    }
  };
}

/** The organizations that have files to fetch now. A worker without the key of an address leaves the file to those that have it. */
const organizationsToFetch = (app: App): Promise<string[]> =>
  organizationsWith(
    app.db.read,
    'asset_sources',
    ANY,
    sql`fetch_at <= ${app.clock.now()} and ${hasKeysOf(app.seal, 'url')}`,
  );

async function findEarliest(app: App, orgId: string, limit: number): Promise<DueSource[]> {
  const rows = await app.db.read
    .selectFrom('asset_sources')
    .select(['org_id', 'asset_id', 'asset_id as id', 'fence'])
    .where('org_id', '=', orgId)
    .where('fetch_at', '<=', app.clock.now())
    .where(hasKeysOf(app.seal, 'url'))
    .orderBy('needed_at')
    .orderBy('asset_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, target: null }));
}
