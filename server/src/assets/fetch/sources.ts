// Files that a worker fetches from an address. Until the bytes are there, their type is a guess from the name.

import type { TxApp } from '../../app/app.js';
import { DAY_MS } from '../../core/durations.js';
import { invalid } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import { sealedTable } from '../../db/sealed-table.js';
import type { AssetSourceRow, PostRow } from '../../db/tables.js';
import { lockPostToChangeFiles } from '../../posts/posts.js';
import type { Caller } from '../../request/caller.js';
import { type AssetKind, KINDS, kindOf } from '../limits.js';
import { presentPending } from '../present.js';
import { type ExpectedFile, type ReservedAsset, reserveAsset } from '../reserve-asset.js';
import type { ImportAsset, PendingAsset } from '../schema.js';

/** How long the asset of a file is reserved: many files may be queued before it. */
const LIFE_MS = DAY_MS;

const MAX_NAME = 200;

/** Why a file was rejected that no worker came to. */
export const NOT_FETCHED = 'The file was not fetched within 24 hours.';

/** The most common type of each kind, used if the name does not tell. */
const USUAL: Record<AssetKind, string> = { slide: 'image/jpeg', video: 'video/mp4' };

export function expectedFrom(kind: AssetKind, filename: string, replace: boolean): ExpectedFile {
  const { extensions } = KINDS[kind];
  const written = /\.([A-Za-z0-9]{1,5})$/.exec(filename)?.[1]?.toLowerCase();
  const named = Object.keys(extensions).find(
    (type) => extensions[type] === (written === 'jpeg' ? 'jpg' : written),
  );
  const contentType = named ?? USUAL[kind];
  return {
    filename,
    contentType,
    extension: extensions[contentType] as string,
    length: null,
    replace,
    lifeMs: LIFE_MS,
    isFetched: true,
  };
}

/** The last part of the path, or the host. */
export function filenameIn(url: string): string {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').at(-1) ?? '';
  return (decoded(last) || hostname).slice(0, MAX_NAME);
}

function decoded(text: string): string {
  try {
    const name = decodeURIComponent(text);
    return name.isWellFormed() && !name.includes('\0') ? name : text;
  } catch {
    return text;
  }
}

export const sourceOf = (
  { seal, clock }: Pick<TxApp, 'seal' | 'clock'>,
  { org_id, id }: Pick<ReservedAsset, 'org_id' | 'id'>,
  post: Pick<PostRow, 'status' | 'scheduled_at'>,
  url: string,
): AssetSourceRow => ({
  org_id,
  asset_id: id,
  url: seal.seal(url, SEALED_SOURCES.contextOf({ org_id, asset_id: id }, 'url')),
  tries: 0,
  fence: 0,
  fetch_at: clock.now(),
  needed_at: neededAt(post),
});

/** Files of earlier slots are fetched first; those of posts without one after all others. */
export const neededAt = ({ status, scheduled_at }: Pick<PostRow, 'status' | 'scheduled_at'>): number =>
  status === 'scheduled' && scheduled_at !== null ? scheduled_at : Number.MAX_SAFE_INTEGER;

export const urlOf = (
  { seal }: Pick<TxApp, 'seal'>,
  source: Pick<AssetSourceRow, 'org_id' | 'asset_id' | 'url'>,
): string => seal.unseal(source.url, SEALED_SOURCES.contextOf(source, 'url'));

export const SEALED_SOURCES = sealedTable('asset_sources', {
  key: ['org_id', 'asset_id'],
  columns: ['url'],
});

export async function importAsset(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  postId: string,
  { url, filename, replace = false }: ImportAsset,
): Promise<PendingAsset> {
  const refusal = app.outbound.refusal(url);
  if (refusal !== null) throw invalid([{ pointer: '/url', message: refusal }]);
  const post = await lockPostToChangeFiles(tx, caller, postId);
  const file = expectedFrom(kindOf(post.post_type), filename ?? filenameIn(url), replace);
  const asset = await reserveAsset(app, tx, caller, post, file);
  await tx
    .insertInto('asset_sources')
    .values(sourceOf(app, asset, post, url))
    .execute();
  return presentPending(asset);
}
