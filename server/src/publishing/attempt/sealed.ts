// What an attempt keeps sealed in its row: where the bytes of a video go, and the memo of its submit.
import { type SqlBool, sql } from 'kysely';
import type { App } from '../../api/app.js';
import type { Upload } from '../../connectors/connector.js';
import { sealedTable } from '../../db/sealed-table.js';
import type { DispatchRow } from '../../db/tables.js';

type Owner = Pick<DispatchRow, 'org_id' | 'id'>;

const placeOf = ({ org_id, id }: Owner, column: 'upload' | 'submission_ref') => [
  org_id,
  id,
  `dispatches.${column}`,
];

/** Attempts that have ended keep no secrets. */
export const SEALED_ATTEMPTS = sealedTable('dispatches', {
  key: ['org_id', 'id'],
  columns: {
    upload: (row) => placeOf(row, 'upload'),
    submission_ref: (row) => placeOf(row, 'submission_ref'),
  },
  order: ['org_id', 'post_id'],
  among: sql<SqlBool>`outcome in ('started', 'accepted', 'unknown')`,
});

export const sealUpload = ({ seal }: Pick<App, 'seal'>, dispatch: Owner, upload: Upload): string =>
  seal.close(JSON.stringify(upload), placeOf(dispatch, 'upload'));

export const openUpload = ({ seal }: Pick<App, 'seal'>, dispatch: DispatchRow): Upload | null =>
  dispatch.upload === null
    ? null
    : (JSON.parse(seal.open(dispatch.upload, placeOf(dispatch, 'upload'))) as Upload);

export const sealMemo = ({ seal }: Pick<App, 'seal'>, dispatch: Owner, memo: string): string =>
  seal.close(memo, placeOf(dispatch, 'submission_ref'));

export const openMemo = ({ seal }: Pick<App, 'seal'>, dispatch: DispatchRow): string | null =>
  dispatch.submission_ref === null
    ? null
    : seal.open(dispatch.submission_ref, placeOf(dispatch, 'submission_ref'));
