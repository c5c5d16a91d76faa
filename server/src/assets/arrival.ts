// A file of unannounced length counts as stored from its arrival on. Its inspection may come much later: the request that was to
// have it inspected may end early, and so may its process.
import type { App } from '../api/app.js';
import { noteChange } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { AssetRow } from '../db/tables.js';
import { misfitOf } from '../quotas/quotas.js';
import { stateOf } from './settle.js';

/** Why the file does not fit into the organization's quota; null: it fits, and counts from now on. */
export function countArrival(app: App, asset: AssetRow, size: number): Promise<string | null> {
  return app.db.transact(async (tx) => {
    const current = await stateOf(tx, asset).forUpdate().executeTakeFirst();
    if (current?.state !== 'pending') return null;
    const misfit = await misfitOf(app, tx, asset.org_id, size, current.size ?? 0);
    if (misfit === null) await writeSize(tx, asset, size);
    return misfit;
  });
}

/** For a file that was counted and is gone: a newer one is to take its place. */
export const uncountArrival = (app: App, asset: AssetRow): Promise<void> =>
  app.db.transact((tx) => writeSize(tx, asset, null));

async function writeSize(tx: Tx, { org_id, id, post_id }: AssetRow, size: number | null): Promise<void> {
  await tx
    .updateTable('assets')
    .set({ size })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute();
  noteChange(tx, org_id, { posts: [post_id] });
}
