// The only place that turns an asset row into its API form.

import type { TxApp } from '../app/app.js';
import { toTimestamp } from '../core/clock.js';
import type { AssetRow } from '../db/tables.js';
import { thumbnailKey } from '../object-store/object-keys.js';
import { roundedExpiry } from '../object-store/object-store.js';
import { DOWNLOAD_LIFE_MS } from './limits.js';
import type { Asset, PendingAsset, RejectedAsset } from './schema.js';

/** For a ready row; `position` counts from 1 among the ready files of the post. */
export function presentAsset(
  { store, clock }: Pick<TxApp, 'store' | 'clock'>,
  row: AssetRow,
  position: number,
): Asset {
  const until = clock.now() + DOWNLOAD_LIFE_MS;
  return {
    object_key: row.object_key,
    url: store.signDownload(row.object_key, until),
    content_type: row.content_type,
    filename: row.filename,
    position,
    size: row.size ?? 0,
    width: row.width ?? 0,
    height: row.height ?? 0,
    duration_ms: row.duration_ms,
    codec: row.codec,
    thumbnail_url: row.has_thumbnail
      ? store.signDownload(thumbnailKey(row.object_key), roundedExpiry(clock.now()))
      : null,
  };
}

export const presentPending = ({
  id,
  object_key,
  filename,
  expires_at,
  part_size,
  is_fetched,
}: Pick<
  AssetRow,
  'id' | 'object_key' | 'filename' | 'expires_at' | 'part_size' | 'is_fetched'
>): PendingAsset => ({
  object_key,
  filename,
  expires_at: toTimestamp(expires_at),
  upload_id: part_size === null ? null : id,
  origin: originOf(is_fetched),
});

/** `position`: as for a ready file, if it were one. */
export const presentRejected = (
  { object_key, filename, reason, is_fetched }: AssetRow,
  position: number,
): RejectedAsset => ({
  object_key,
  filename,
  reason: reason ?? '',
  position,
  origin: originOf(is_fetched),
});

const originOf = (isFetched: AssetRow['is_fetched']) => (isFetched === 1 ? 'address' : 'upload');
