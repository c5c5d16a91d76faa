// Fetches files that were asked for by address: the earliest slots first, and organizations in turn. A worker that is killed leaves
// the file to the next one, and a worker that stops hands it over.

import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { toLogFields } from '../../core/log.js';
import { OutboundError } from '../../core/outbound/outbound.js';
import { AppError } from '../../core/problems.js';
import { UnknownKey } from '../../core/seal.js';
import { markChanged } from '../../db/changes.js';
import { CLOCK_SLACK_MS, type ClockCheck } from '../../db/clock-checks.js';
import { isRow } from '../../db/is-row.js';
import type { AssetRow, AssetSourceRow } from '../../db/tables.js';
import { withLease } from '../../work/lease.js';
import { createPool } from '../../work/pool.js';
import { createRunner, type Runner, type WakeLoop } from '../../work/runner.js';
import { findAsset } from '../assets.js';
import { confirmUpload, rejectUpload } from '../confirm.js';
import { KINDS } from '../limits.js';
import { DownloadError, download } from './download.js';
import {
  acquireSource,
  type DueSource,
  dueSources,
  FETCH_LIMITS,
  forget,
  handOver,
  LEASE_MS,
  retryAt,
  sourceLease,
} from './queue.js';
import { NOT_FETCHED, urlOf } from './sources.js';

const MAX_TRIES = 3;
/** The pauses after the first and the second try. */
const BACKOFF_MS = [10_000, 60_000];

/** Leases and waits that were set before the clock was set back. No wait is longer than a lease. */
export const sourceClockChecks: readonly ClockCheck[] = [
  {
    table: 'asset_sources',
    key: ['org_id', 'asset_id'],
    column: 'fetch_at',
    isImpossible: (now) => sql`fetch_at > ${sql.lit(now + LEASE_MS + CLOCK_SLACK_MS)}`,
    standsMs: LEASE_MS,
    reset: (now) => ({ fetch_at: now }),
  },
];

export const createFetches = (app: App, wakeLoop?: WakeLoop): Runner =>
  createRunner(
    app,
    {
      name: 'imports',
      everyMs: 1_000,
      pool: (events) => createPool(FETCH_LIMITS, events),
      source: (pool) => dueSources(app, pool),
      run: (seen, stopping) => fetchSource(app, seen, stopping),
      onFailure: 'a file could not be fetched; it is tried again',
    },
    wakeLoop,
  );

async function fetchSource(app: App, seen: DueSource, stopping: AbortSignal): Promise<void> {
  const source = await acquireSource(app, seen);
  if (!source) return;
  const began = app.clock.now();
  try {
    await withLease(app, sourceLease, source, (leaseLost) =>
      fetchFile(app, source, AbortSignal.any([leaseLost, stopping])),
    );
  } catch (error) {
    if (stopping.aborted) await handOver(app, source, app.clock.now());
    else if (error instanceof UnknownKey) {
      app.log.error(
        toLogFields(error),
        'the address of a file cannot be opened without its key; the file waits',
      );
      await handOver(app, source, app.clock.now() + LEASE_MS);
    } else await tryAgain(app, source, error, began);
  }
}

async function fetchFile(app: App, source: AssetSourceRow, signal: AbortSignal): Promise<void> {
  const asset = await pendingAsset(app, source);
  if (!asset) return forget(app, source);
  const began = app.clock.now();
  if (source.tries > MAX_TRIES)
    throw new DownloadError('The file could not be fetched in three tries.', true);
  if (asset.expires_at <= app.clock.now()) throw new DownloadError(NOT_FETCHED, true);
  // An earlier try may have been interrupted after the last byte.
  if ((await confirmUpload(app, asset, 'free')) === 'missing') {
    const downloaded = await download(app, urlOf(app, source), asset, signal, (type) =>
      retype(app, source, asset, type),
    );
    await confirmUpload(app, downloaded, 'free');
  }
  await forget(app, source, app.clock.now() - began);
}

async function tryAgain(app: App, source: AssetSourceRow, error: unknown, began: number): Promise<void> {
  const asset = await pendingAsset(app, source);
  const isFinal = error instanceof DownloadError && error.isFinal;
  const wait = isFinal ? undefined : BACKOFF_MS[source.tries - 1];
  if (!asset) return forget(app, source);
  if (wait !== undefined) return void (await retryAt(app, source, app.clock.now() + wait));
  // A lease for what follows, if it is still ours.
  const until = app.clock.now() + LEASE_MS;
  if (!(await app.db.transact((tx) => sourceLease.renew(tx, source, until)))) return;
  await rejectUpload(app, asset, reasonOf(error));
  await forget(app, source, app.clock.now() - began);
}

/** The reason as people read it, without anything internal. */
function reasonOf(error: unknown): string {
  if (error instanceof DownloadError || error instanceof OutboundError || error instanceof AppError)
    return error.message;
  return 'The connection to the address broke before the file was complete.';
}

/** Undefined if it is settled, removed or expired. */
const pendingAsset = (app: App, { org_id, asset_id }: AssetSourceRow) =>
  findAsset(app.db.read, { org_id, id: asset_id, state: 'pending' });

/** The extension of a key tells the type of its object, so another type means another key. */
async function retype(
  app: App,
  { fence }: AssetSourceRow,
  asset: AssetRow,
  contentType: string,
): Promise<AssetRow> {
  if (contentType === asset.content_type) return asset;
  const ending = KINDS[asset.kind].extensions[contentType];
  const object_key = asset.object_key.replace(/\.[^.]+$/, `.${ending}`);
  const row = await app.db.transact((tx) => {
    markChanged(tx, asset.org_id, { posts: [asset.post_id] });
    return tx
      .updateTable('assets')
      .set({ content_type: contentType, object_key })
      .where(isRow(asset))
      .where('state', '=', 'pending')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('asset_sources')
            .select('asset_id')
            .where('asset_sources.org_id', '=', asset.org_id)
            .where('asset_sources.asset_id', '=', asset.id)
            .where('fence', '=', fence),
        ),
      )
      .returningAll()
      .executeTakeFirst();
  });
  if (!row) throw new Error('the file is no longer wanted');
  return row;
}
