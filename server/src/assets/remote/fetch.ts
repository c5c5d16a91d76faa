// Fetches files that were asked for by address: the earliest slots first, and organizations in turn. A heartbeat renews the lease of
// a try. A worker that is killed leaves the file to the next one, and a worker that stops hands it over.
import { setMaxListeners } from 'node:events';
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { noteChange } from '../../db/changes.js';
import { CLOCK_SLACK_MS, type DueTime } from '../../db/due-times.js';
import type { AssetRow, AssetSourceRow } from '../../db/tables.js';
import { faultOf } from '../../ground/log.js';
import { OutboundError } from '../../ground/outbound/outbound.js';
import { AppError } from '../../ground/problems.js';
import { UnknownKey } from '../../ground/seal.js';
import { confirmUpload, NEVER_REFUSED, rejectUpload } from '../confirm.js';
import { KINDS } from '../limits.js';
import { DownloadError, download } from './download.js';
import {
  claimEarliest,
  forget,
  handOver,
  LEASE_MS,
  MAX_CONCURRENT,
  MAX_PER_ORGANIZATION,
  organizationsToFetch,
  renew,
} from './queue.js';
import { NOT_FETCHED, urlOf } from './sources.js';

const MAX_TRIES = 3;
/** After the first and the second try. */
const WAITS_MS = [10_000, 60_000];

const BEAT_MS = 20_000;

/** Leases and waits that were set before the clock was set back. No wait is longer than a lease. */
export const sourceTimes: readonly DueTime[] = [
  {
    table: 'asset_sources',
    key: ['org_id', 'asset_id'],
    column: 'fetch_at',
    isImpossible: (now) => sql`fetch_at > ${sql.lit(now + LEASE_MS + CLOCK_SLACK_MS)}`,
    standsMs: LEASE_MS,
    reset: (now) => ({ fetch_at: now }),
  },
];

export interface Fetches {
  /** Starts as many as there is room for. */
  start(): Promise<void>;
  /** Resolves when none is running. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export function createFetches(app: App, onRoom: () => void = () => {}): Fetches {
  const running = new Map<string, { orgId: string; done: Promise<void> }>();
  const stopping = new AbortController();
  // Each request in progress listens.
  setMaxListeners(0, stopping.signal);
  /** The number of the latest file that was begun for each organization. */
  const latest = new Map<string, number>();
  let begun = 0;
  const runningFor = (orgId: string) => [...running.values()].filter((file) => file.orgId === orgId).length;

  /** Of the organization that has the fewest running, and of these the one that has waited longest. */
  async function claimNext(): Promise<AssetSourceRow | undefined> {
    const waiting = await organizationsToFetch(app);
    for (const orgId of latest.keys()) if (!waiting.includes(orgId)) latest.delete(orgId);
    const inOrder = waiting
      .filter((orgId) => runningFor(orgId) < MAX_PER_ORGANIZATION)
      .sort((a, b) => runningFor(a) - runningFor(b) || (latest.get(a) ?? 0) - (latest.get(b) ?? 0));
    for (const orgId of inOrder) {
      const source = await claimEarliest(app, orgId);
      if (!source) continue;
      latest.set(orgId, ++begun);
      return source;
    }
    return undefined;
  }

  async function start(): Promise<void> {
    // A restored database may name files that were settled long ago.
    while (running.size < MAX_CONCURRENT && !stopping.signal.aborted && app.safety.mode.kind === 'normal') {
      const source = await claimNext();
      if (!source) return;
      const done = fetchOne(app, source, stopping.signal)
        .catch((err) => app.log.warn(faultOf(err), 'a file could not be fetched; it is tried again'))
        .finally(() => {
          running.delete(source.asset_id);
          onRoom();
        });
      running.set(source.asset_id, { orgId: source.org_id, done });
    }
  }

  const idle = async () => void (await Promise.all([...running.values()].map(({ done }) => done)));
  return {
    start,
    idle,
    async stop() {
      stopping.abort();
      await idle();
    },
  };
}

async function fetchOne(app: App, source: AssetSourceRow, stopping: AbortSignal): Promise<void> {
  const asset = await pendingAsset(app, source);
  if (!asset) return forget(app, source);
  const began = app.clock.now();
  const lost = new AbortController();
  const stop = () => lost.abort();
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  const beat = setInterval(() => {
    // A database that does not answer says nothing about the lease.
    renew(app, source, app.clock.now() + LEASE_MS).then(
      (isOurs) => isOurs || stop(),
      () => {},
    );
  }, BEAT_MS);
  try {
    if (source.tries > MAX_TRIES)
      throw new DownloadError('The file could not be fetched in three tries.', true);
    if (asset.expires_at <= app.clock.now()) throw new DownloadError(NOT_FETCHED, true);
    // An earlier try may have been interrupted after the last byte.
    if ((await confirmUpload(app, asset, NEVER_REFUSED)) === 'missing') {
      const placed = await download(app, urlOf(app, source), asset, lost.signal, (type) =>
        retype(app, source, asset, type),
      );
      await confirmUpload(app, placed, NEVER_REFUSED);
    }
    await forget(app, source, app.clock.now() - began);
  } catch (error) {
    if (stopping.aborted) await handOver(app, source, app.clock.now());
    else if (error instanceof UnknownKey) {
      app.log.error(faultOf(error), 'the address of a file cannot be opened without its key; the file waits');
      await handOver(app, source, app.clock.now() + LEASE_MS);
    } else await tryAgain(app, source, error, began);
  } finally {
    clearInterval(beat);
    stopping.removeEventListener('abort', stop);
  }
}

async function tryAgain(app: App, source: AssetSourceRow, error: unknown, began: number): Promise<void> {
  const asset = await pendingAsset(app, source);
  const isFinal = error instanceof DownloadError && error.isFinal;
  const wait = isFinal ? undefined : WAITS_MS[source.tries - 1];
  if (!asset) return forget(app, source);
  if (wait !== undefined) return void (await renew(app, source, app.clock.now() + wait));
  if (!(await renew(app, source, app.clock.now() + LEASE_MS))) return;
  await rejectUpload(app, asset, reasonOf(error));
  await forget(app, source, app.clock.now() - began);
}

/** For people, and without anything internal. */
function reasonOf(error: unknown): string {
  if (error instanceof DownloadError || error instanceof OutboundError || error instanceof AppError)
    return error.message;
  return 'The connection to the address broke before the file was complete.';
}

/** Undefined if it is settled, removed or expired. */
const pendingAsset = (app: App, { org_id, asset_id }: AssetSourceRow): Promise<AssetRow | undefined> =>
  app.db.read
    .selectFrom('assets')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('id', '=', asset_id)
    .where('state', '=', 'pending')
    .executeTakeFirst();

/** The extension of a key tells the type of its object, so another type means another key. */
async function retype(
  app: App,
  { tries }: AssetSourceRow,
  asset: AssetRow,
  contentType: string,
): Promise<AssetRow> {
  if (contentType === asset.content_type) return asset;
  const ending = KINDS[asset.kind].endings[contentType];
  const object_key = asset.object_key.replace(/\.[^.]+$/, `.${ending}`);
  const row = await app.db.transact((tx) => {
    noteChange(tx, asset.org_id, { posts: [asset.post_id] });
    return tx
      .updateTable('assets')
      .set({ content_type: contentType, object_key })
      .where('org_id', '=', asset.org_id)
      .where('id', '=', asset.id)
      .where('state', '=', 'pending')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('asset_sources')
            .select('asset_id')
            .where('asset_sources.org_id', '=', asset.org_id)
            .where('asset_sources.asset_id', '=', asset.id)
            .where('tries', '=', tries),
        ),
      )
      .returningAll()
      .executeTakeFirst();
  });
  if (!row) throw new Error('the file is no longer wanted');
  return row;
}
