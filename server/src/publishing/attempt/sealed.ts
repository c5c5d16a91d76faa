// What an attempt keeps sealed in its row: where the bytes of a video go, and the memo of its submit.

import type { App } from '../../app/app.js';
import type { VideoUpload } from '../../connectors/connector.js';
import { sealedTable } from '../../db/sealed-table.js';
import type { AttemptRow } from '../../db/tables.js';
import { isOpenAttempt } from './open-outcomes.js';

type Owner = Pick<AttemptRow, 'org_id' | 'id'>;

/** Attempts that have ended keep no secrets. */
export const SEALED_ATTEMPTS = sealedTable('dispatches', {
  key: ['org_id', 'id'],
  columns: ['upload', 'submission_ref'],
  order: ['org_id', 'post_id'],
  among: isOpenAttempt,
});

export const sealUpload = ({ seal }: Pick<App, 'seal'>, attempt: Owner, upload: VideoUpload): string =>
  seal.seal(JSON.stringify(upload), SEALED_ATTEMPTS.contextOf(attempt, 'upload'));

export const unsealUpload = ({ seal }: Pick<App, 'seal'>, attempt: AttemptRow): VideoUpload | null =>
  attempt.upload === null
    ? null
    : (JSON.parse(seal.unseal(attempt.upload, SEALED_ATTEMPTS.contextOf(attempt, 'upload'))) as VideoUpload);
