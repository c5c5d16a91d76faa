// When the files of an import will have been fetched, at the present pace.
import { sql } from 'kysely';
import { toTimestamp } from '../../core/clock.js';
import type { Tx } from '../../db/database.js';
import { organizationsWith } from '../../db/organizations-with.js';
import type { ImportResult } from '../../posts/import/schema.js';
import type { TxApp } from '../../request/app.js';
import { LIMITS } from './queue.js';

/** Of an organization whose files were never fetched. */
const USUAL_FILE_MS = 1_000;
/** As in `/readyz`. */
const WORKER_SILENCE_MS = 30_000;

/** In the transaction of the import, after its files were written. `lastNeeded`: the latest slot of a post among them. */
export async function forecastFetch(
  { clock }: TxApp,
  tx: Tx,
  orgId: string,
  files: number,
  lastNeeded: number,
): Promise<NonNullable<ImportResult['fetch']>> {
  const now = clock.now();
  // Everything that comes before the last of them.
  const { n } = await tx
    .selectFrom('asset_sources')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .where('needed_at', '<=', lastNeeded)
    .executeTakeFirstOrThrow();
  const pace = await tx
    .selectFrom('fetch_paces')
    .select('file_ms')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  const { workers } = await tx
    .selectFrom('workers')
    .select((eb) => eb.fn.countAll<number>().as('workers'))
    .where('heartbeat_at', '>', now - WORKER_SILENCE_MS)
    .executeTakeFirstOrThrow();
  const anyRow = sql<boolean>`1 = 1`;
  const organizations = (await organizationsWith(tx, 'asset_sources', anyRow, anyRow)).length;
  const concurrent =
    Math.max(1, workers) * Math.min(LIMITS.perOrganization, LIMITS.max / Math.max(1, organizations));
  const ms = Math.ceil(n / concurrent) * (pace?.file_ms ?? USUAL_FILE_MS);
  // Whole seconds, and rather late.
  return { files, done_by: toTimestamp(Math.ceil((now + ms) / 1000) * 1000) };
}
