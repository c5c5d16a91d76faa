// The import of posts with the files that their lines name by address.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { toTimestamp } from '../../core/clock.js';
import type { Tx } from '../../db/database.js';
import { organizationsWith } from '../../db/organizations-with.js';
import { WORKER_SILENCE_MS } from '../../db/tables.js';
import { type CheckedImport, checkImport } from '../../posts/import/check.js';
import type { PlannedPost } from '../../posts/import/plan.js';
import { assertNoProblems } from '../../posts/import/problems.js';
import type { ImportPosts, ImportResult } from '../../posts/import/schema.js';
import { writeImport } from '../../posts/import/write.js';
import { reserveBytes } from '../../quotas/quotas.js';
import type { CallerWithAddress } from '../../request/caller.js';
import { kindOf, MAX_SLIDES } from '../limits.js';
import { pendingRow } from '../reserve-asset.js';
import { FETCH_LIMITS } from './queue.js';
import { expectedFrom, filenameIn, neededAt, sourceOf } from './sources.js';

/** Outside the transaction: everything that a file can be refused for. */
export async function prepareImport(
  app: App,
  caller: CallerWithAddress,
  input: ImportPosts,
  gone: AbortSignal,
): Promise<CheckedImport> {
  const media = {
    refusalOf: (url: string) => app.outbound.refusal(url),
    maxFiles: { slides: MAX_SLIDES, video: 1 },
  };
  const found = await checkImport(app, caller, input, media, gone);
  if (!input.dry_run) assertNoProblems(found);
  return found;
}

export async function finishImport(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { dry_run: isDry = false }: ImportPosts,
  found: CheckedImport,
): Promise<ImportResult> {
  if (!isDry) await writeImport(app, tx, caller, found, () => writeMedia(app, tx, caller, found.posts));
  const { lines, scheduled, media, localTimes, newLabels, problemCount, problems } = found;
  const fetch =
    isDry || media === 0
      ? {}
      : { fetch: await forecastFetch(app, tx, caller.orgId, media, lastNeeded(found)) };
  const ids = isDry ? [] : found.posts.map(({ post }) => post.id);
  return {
    dry_run: isDry,
    lines,
    drafts: lines - scheduled,
    scheduled,
    media,
    local_times: localTimes,
    new_labels: newLabels.map(({ name }) => name),
    created: ids.length,
    ids,
    ...fetch,
    problem_count: problemCount,
    problems,
  };
}

async function writeMedia(
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
const lastNeeded = ({ posts }: CheckedImport): number =>
  posts.reduce(
    (last, { post, mediaUrls }) => (mediaUrls.length > 0 ? Math.max(last, neededAt(post)) : last),
    0,
  );

/** How long a file takes for an organization whose files were never fetched. */
const USUAL_FILE_MS = 1_000;

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
    Math.max(1, workers) *
    Math.min(FETCH_LIMITS.perOrganization, FETCH_LIMITS.max / Math.max(1, organizations));
  const ms = Math.ceil(n / concurrent) * (pace?.file_ms ?? USUAL_FILE_MS);
  // Whole seconds, and rather late.
  return { files, done_by: toTimestamp(Math.ceil((now + ms) / 1000) * 1000) };
}
