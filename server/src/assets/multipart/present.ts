// The only place that turns an upload in parts into its API form.

import { toTimestamp } from '../../core/clock.js';
import type { AssetRow } from '../../db/tables.js';
import type { TxApp } from '../../request/app.js';
import { KINDS } from '../limits.js';
import { lengthsOf, MAX_URLS } from './lengths.js';
import type { PartsGrant, Upload } from './schema.js';

type Row = Pick<
  AssetRow,
  'id' | 'kind' | 'object_key' | 'announced_length' | 'part_size' | 'store_upload' | 'expires_at'
>;

export const partsOf = ({ announced_length, part_size }: Row): number[] =>
  lengthsOf(announced_length ?? 0, part_size ?? 1);

export const presentGrant = (app: Pick<TxApp, 'store' | 'clock'>, row: Row): PartsGrant =>
  fieldsFor(app, row, 1, new Set());

export const presentUpload = (
  app: Pick<TxApp, 'store' | 'clock'>,
  row: Row,
  arrived: readonly number[],
  from: number,
): Upload => ({ ...fieldsFor(app, row, from, new Set(arrived)), arrived: [...arrived] });

function fieldsFor(
  { store, clock }: Pick<TxApp, 'store' | 'clock'>,
  row: Row,
  from: number,
  arrived: ReadonlySet<number>,
): PartsGrant {
  const expiresAt = Math.min(clock.now() + KINDS[row.kind].uploadLifeMs, row.expires_at);
  const upload = { key: row.object_key, id: row.store_upload ?? '' };
  const missing = partsOf(row)
    .map((length, i) => ({ number: i + 1, length }))
    .filter(({ number }) => number >= from && !arrived.has(number));
  return {
    object_key: row.object_key,
    upload_id: row.id,
    part_size: row.part_size ?? 0,
    expires_at: toTimestamp(row.expires_at),
    urls_expire_at: toTimestamp(expiresAt),
    parts: missing.slice(0, MAX_URLS).map(({ number, length }) => ({
      number,
      upload_url: store.signPart(upload, { number, length, expiresAt }),
    })),
  };
}
