// The inspection of a file that has arrived. Its reader is counted on the row before it reads the first byte, and uncounted if the
// file has nothing to do with its end. So a file that ends its readers, or even the whole process, is rejected by the next request or
// start instead of being read for ever.
import { buffer } from 'node:stream/consumers';
import type { App } from '../app/app.js';
import { rejectOnAbort } from '../core/concurrency.js';
import { toLogFields } from '../core/log.js';
import { AppError, unavailable } from '../core/problems.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow } from '../db/tables.js';
import type { StoredObject } from '../object-store/object-store.js';
import type { AssetKind } from './limits.js';
import { inspect } from './media/inspect.js';
import { NotRead } from './media/read-in-child.js';
import { refused, type Verdict } from './media/tasks.js';

/** A file whose readers ended this often before they could tell what it is gets no other. */
const MAX_READERS = 2;
/** After this long a reader has ended. Until then it may run in another process, so it is not known to have ended. */
const READER_LIFE_MS = 150_000;

const ENDED_READERS = refused(
  "The file couldn't be checked in two tries. Save it again and upload the new copy.",
);

/**
 * In requests. Measured on one core: a request takes 0.3 to 0.5 ms of CPU time, a slide of a phone about 50 ms, and a video 300 ms, most
 * of it the start of its process. A tenth of that is charged, so that the default limit admits 600 slides or 120 videos a
 * minute: more than one organization can have inspected.
 */
const COSTS: Record<AssetKind, number> = { slide: 10, video: 50 };

/** Throws 429 if the organization has used up this minute. */
export async function chargeInspection(
  { config, db, rates }: App,
  { org_id, kind }: Pick<AssetRow, 'org_id' | 'kind'>,
): Promise<void> {
  if (!config.rateLimit.enabled) return;
  const organization = await db.read
    .selectFrom('organizations')
    .select('plan')
    .where('id', '=', org_id)
    .executeTakeFirst();
  await rates.charge(org_id, organization?.plan ?? 'starter', COSTS[kind]);
}

/** Throws if the file could not be inspected, and may be inspected again. */
export async function inspectFile(
  app: App,
  asset: AssetRow,
  object: StoredObject,
  queueing: { signal: AbortSignal; ignoreQueueLimit: boolean },
): Promise<Verdict> {
  const { signal } = queueing;
  const enqueue = asset.kind === 'slide' ? app.queues.inspectSlide : app.queues.inspectVideo;
  try {
    // Does not wait for a decoder that cannot be stopped; its capacity stays taken until it ends.
    const verdict = enqueue(asset.org_id, () => readCounted(app, asset, object, signal), queueing);
    return await rejectOnAbort(signal, verdict);
  } catch (error) {
    if (signal.aborted || (error instanceof AppError && error.code === 'busy')) throw error;
    throw unavailable("The file is uploaded but couldn't be checked yet. Try again in a moment.", error);
  }
}

async function readCounted(
  app: App,
  asset: AssetRow,
  { key, size, version }: StoredObject,
  signal: AbortSignal,
): Promise<Verdict> {
  const reader = await countReader(app, asset);
  if (reader === null) return ENDED_READERS;
  const read = async (start: number, end: number) => {
    try {
      return await buffer(await app.store.read(key, { start, end: Math.min(end, size), version }));
    } catch (error) {
      throw new NotRead('the store could not be read', { cause: error });
    }
  };
  let isInnocent = false;
  try {
    const verdict = await inspect({ size, read }, asset.content_type, signal);
    isInnocent = signal.aborted;
    return verdict;
  } catch (error) {
    isInnocent = error instanceof NotRead || signal.aborted;
    if (!isInnocent && reader >= MAX_READERS) return ENDED_READERS;
    throw error;
  } finally {
    if (isInnocent) await uncountReader(app, asset);
  }
}

/** The number of this reader, or null if the file has had all its readers. */
function countReader(app: App, asset: AssetRow): Promise<number | null> {
  return app.db.transact(async (tx) => {
    const now = app.clock.now();
    const { inspection_failures, inspection_began_at } = await tx
      .selectFrom('assets')
      .select(['inspection_failures', 'inspection_began_at'])
      .where(isRow(asset))
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (inspection_failures >= MAX_READERS) {
      if (inspection_began_at === null || Math.abs(now - inspection_began_at) >= READER_LIFE_MS) return null;
      throw new NotRead('other processes read the file, or have just ended');
    }
    await tx
      .updateTable('assets')
      .set({ inspection_failures: inspection_failures + 1, inspection_began_at: now })
      .where(isRow(asset))
      .execute();
    return inspection_failures + 1;
  });
}

/** For one that the file has not ended. If the database is away it stays counted, which costs the file one of its tries. */
export async function uncountReader(app: App, asset: AssetRow): Promise<void> {
  await app.db
    .transact((tx) =>
      tx
        .updateTable('assets')
        .set((eb) => ({ inspection_failures: eb('inspection_failures', '-', 1) }))
        .where(isRow(asset))
        .where('inspection_failures', '>', 0)
        .execute(),
    )
    .catch((err) => app.log.warn(toLogFields(err), 'the reader of an upload could not be uncounted'));
}
