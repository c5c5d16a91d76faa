// What an upload costs the organization: stored bytes, and requests for its inspection.

import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { AssetRow } from '../db/tables.js';
import { overQuotaReason } from '../quotas/quotas.js';
import type { App } from '../request/app.js';
import type { AssetKind } from './limits.js';
import { stateOf } from './settle.js';

/**
 * In requests. Measured on one core: a request takes 0.3 to 0.5 ms of CPU time, a slide of a phone about 50 ms, and a video 300 ms, most
 * of it the start of its process. A tenth of that is charged, so that the default limit admits 600 slides or 120 videos a
 * minute: more than one organization can have inspected.
 */
const COSTS: Record<AssetKind, number> = { slide: 10, video: 50 };

/** Throws 429 if the organization has used up this minute. */
export async function chargeInspection(
  { config, db, rates }: App,
  { org_id, kind }: { org_id: string; kind: AssetKind },
): Promise<void> {
  if (!config.rateLimit.enabled) return;
  const organization = await db.read
    .selectFrom('organizations')
    .select('plan')
    .where('id', '=', org_id)
    .executeTakeFirst();
  await rates.charge(org_id, organization?.plan ?? 'starter', COSTS[kind]);
}

/**
 * A file of unannounced length counts as stored from its arrival on, because its inspection may come much later: the request that should have it inspected may end early, and so may its process. Returns why the file does not fit into the organization's quota;
 * null: it fits, and counts from now on.
 */
export function countUploadedBytes(app: App, asset: AssetRow, size: number): Promise<string | null> {
  return app.db.transact(async (tx) => {
    const current = await stateOf(tx, asset).forUpdate().executeTakeFirst();
    if (current?.state !== 'pending') return null;
    const misfit = await overQuotaReason(app, tx, asset.org_id, size, current.size ?? 0);
    if (misfit === null) await writeSize(tx, asset, size);
    return misfit;
  });
}

/** For a file that was counted and is gone: a newer one is to take its place. */
export const uncountUploadedBytes = (app: App, asset: AssetRow): Promise<void> =>
  app.db.transact((tx) => writeSize(tx, asset, null));

async function writeSize(tx: Tx, { org_id, id, post_id }: AssetRow, size: number | null): Promise<void> {
  await tx
    .updateTable('assets')
    .set({ size })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute();
  markChanged(tx, org_id, { posts: [post_id] });
}
