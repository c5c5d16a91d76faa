// The files of an import of posts: all of them are left to be fetched, and when the last will have arrived is estimated.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TxApp } from '../../app/app.js';
import { toTimestamp } from '../../core/clock.js';
import type { Tx } from '../../db/database.js';
import { organizationsWith } from '../../db/organizations-with.js';
import { WORKER_SILENCE_MS } from '../../db/tables.js';
import type { FetchForecast, ImportedFiles } from '../../posts/import/files.js';
import type { PlannedPost } from '../../posts/import/plan.js';
import { reserveBytes } from '../../quotas/quotas.js';
import type { CallerWithAddress } from '../../request/caller.js';
import { kindOf, MAX_SLIDES } from '../limits.js';
import { pendingRow } from '../reserve-asset.js';
import { FETCH_LIMITS } from './queue.js';
import { expectedFrom, filenameIn, neededAt, sourceOf } from './sources.js';

async function writeFiles(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  posts: readonly PlannedPost[],
): Promise<void> {
  const files = posts.flatMap(({ post, mediaUrls }) =>
    mediaUrls.map((url, i) => {
      const file = expectedFrom(kindOf(post.post_type), filenameIn(url), false);
      return { post, url, asset: pendingRow(app, caller, post, file, i + 1) };
    }),
  );
  for (let i = 0; i < files.length; i += PER_STATEMENT) {
    const some = files.slice(i, i + PER_STATEMENT);
    await tx
      .insertInto('assets')
      .values(some.map(({ asset }) => asset))
      .execute();
    await tx
      .insertInto('asset_sources')
      .values(some.map(({ asset, post, url }) => sourceOf(app, asset, post, url)))
      .execute();
    // Other requests are served between the statements of a large import.
    await setImmediate();
  }
  // Their lengths are unknown: anything left is enough, and each counts when it arrives.
  if (files.length > 0) await reserveBytes(app, tx, caller.orgId, caller, null);
}

const PER_STATEMENT = 200;

/** When the last post with a file goes out. */
const lastNeeded = (posts: readonly PlannedPost[]): number =>
  posts.reduce(
    (last, { post, mediaUrls }) => (mediaUrls.length > 0 ? Math.max(last, neededAt(post)) : last),
    0,
  );

/** How long a file takes for an organization whose files were never fetched. */
const USUAL_FILE_MS = 1_000;

async function forecast(
  { clock }: TxApp,
  tx: Tx,
  orgId: string,
  posts: readonly PlannedPost[],
): Promise<FetchForecast> {
  const now = clock.now();
  // Everything that comes before the last of them.
  const { n } = await tx
    .selectFrom('asset_sources')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .where('needed_at', '<=', lastNeeded(posts))
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
    Math.max(1, workers) *
    Math.min(FETCH_LIMITS.perOrganization, FETCH_LIMITS.max / Math.max(1, organizations));
  const ms = Math.ceil(n / concurrent) * (pace?.file_ms ?? USUAL_FILE_MS);
  // Whole seconds, and rather late.
  const files = posts.reduce((sum, { mediaUrls }) => sum + mediaUrls.length, 0);
  return { files, done_by: toTimestamp(Math.ceil((now + ms) / 1000) * 1000) };
}

export const IMPORTED_FILES: ImportedFiles = {
  maxPerPost: { slides: MAX_SLIDES, video: 1 },
  write: writeFiles,
  forecast,
};
