// Fetches files that were asked for by address. A try is owned by a lease that a heartbeat renews; its number fences it. A
// worker that is killed leaves the file to the next one, and a worker that stops hands it over.
import { setMaxListeners } from 'node:events';
import type { App } from '../../api/app.js';
import { noteChange } from '../../db/changes.js';
import type { AssetRow, AssetSourceRow } from '../../db/tables.js';
import { faultOf } from '../../ground/log.js';
import { OutboundError } from '../../ground/outbound/outbound.js';
import { AppError } from '../../ground/problems.js';
import { UnknownKey } from '../../ground/seal.js';
import { confirmUpload, NEVER_REFUSED, rejectUpload } from '../confirm.js';
import { KINDS } from '../limits.js';
import { DownloadError, download } from './download.js';
import { urlOf } from './sources.js';

/** At once in one process; no organization has all of them. */
const MOST = 4;
const PER_ORGANIZATION = 2;

const MOST_TRIES = 3;
/** After the first and the second try. */
const WAITS_MS = [10_000, 60_000];

const LEASE_MS = 60_000;
const BEAT_MS = 20_000;

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
  const fullOrganizations = () => {
    const counts = new Map<string, number>();
    for (const { orgId } of running.values()) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
    return [...counts].filter(([, n]) => n >= PER_ORGANIZATION).map(([orgId]) => orgId);
  };

  async function start(): Promise<void> {
    // A restored database may name files that were settled long ago.
    while (running.size < MOST && !stopping.signal.aborted && app.safety.mode.kind === 'normal') {
      const source = await claimNext(app, fullOrganizations());
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

async function claimNext(app: App, without: readonly string[]): Promise<AssetSourceRow | undefined> {
  const now = app.clock.now();
  let waiting = app.db.read
    .selectFrom('asset_sources')
    .selectAll()
    .where('fetch_at', '<=', now)
    .orderBy('fetch_at')
    .orderBy('asset_id')
    .limit(1);
  if (without.length > 0) waiting = waiting.where('org_id', 'not in', without);
  const next = await waiting.executeTakeFirst();
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

async function fetchOne(app: App, source: AssetSourceRow, stopping: AbortSignal): Promise<void> {
  const asset = await pendingAsset(app, source);
  if (!asset) return forget(app, source);
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
    if (source.tries > MOST_TRIES)
      throw new DownloadError('The file could not be fetched in three tries.', true);
    if (asset.expires_at <= app.clock.now())
      throw new DownloadError('The file was not fetched in time.', true);
    // An earlier try may have been interrupted after the last byte.
    if ((await confirmUpload(app, asset, NEVER_REFUSED)) === 'missing') {
      const placed = await download(app, urlOf(app, source), asset, lost.signal, (type) =>
        retype(app, source, asset, type),
      );
      await confirmUpload(app, placed, NEVER_REFUSED);
    }
    await forget(app, source);
  } catch (error) {
    if (stopping.aborted) await handOver(app, source, app.clock.now());
    else if (error instanceof UnknownKey) {
      app.log.error(faultOf(error), 'the address of a file cannot be opened without its key; the file waits');
      await handOver(app, source, app.clock.now() + LEASE_MS);
    } else await tryAgain(app, source, error);
  } finally {
    clearInterval(beat);
    stopping.removeEventListener('abort', stop);
  }
}

async function tryAgain(app: App, source: AssetSourceRow, error: unknown): Promise<void> {
  const asset = await pendingAsset(app, source);
  const isFinal = error instanceof DownloadError && error.isFinal;
  const wait = isFinal ? undefined : WAITS_MS[source.tries - 1];
  if (!asset) return forget(app, source);
  if (wait !== undefined) return void (await renew(app, source, app.clock.now() + wait));
  if (!(await renew(app, source, app.clock.now() + LEASE_MS))) return;
  await rejectUpload(app, asset, reasonOf(error));
  await forget(app, source);
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

/** Sets when the next try begins, or until when this one may take; false if it is no longer ours. */
async function renew(app: App, { org_id, asset_id, tries }: AssetSourceRow, until: number): Promise<boolean> {
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
async function handOver(app: App, { org_id, asset_id, tries }: AssetSourceRow, at: number): Promise<void> {
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

async function forget(app: App, { org_id, asset_id, tries }: AssetSourceRow): Promise<void> {
  await app.db.transact((tx) =>
    tx
      .deleteFrom('asset_sources')
      .where('org_id', '=', org_id)
      .where('asset_id', '=', asset_id)
      .where('tries', '=', tries)
      .execute(),
  );
}

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
