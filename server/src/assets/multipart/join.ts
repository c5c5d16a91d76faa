// Joining the parts of an upload. It can be repeated: after a crash, or when a response was lost, the next request continues.

import { AppError } from '../../core/problems.js';
import type { AssetRow } from '../../db/tables.js';
import { storeFailure } from '../../object-store/store-failure.js';
import type { App } from '../../request/app.js';
import { formatPartNumbers } from './lengths.js';
import { partsOf } from './present.js';

const uploadOf = ({ object_key, store_upload }: AssetRow) => ({ key: object_key, id: store_upload ?? '' });

/** The numbers of the parts that are here, all of them if the file is joined. */
export async function arrivedParts(app: App, asset: AssetRow): Promise<number[]> {
  const { store } = app;
  const lengths = partsOf(asset);
  const found = await mapStoreError(store.parts.arrived(uploadOf(asset)));
  // Checked last: parts that were joined between the two lookups are all here.
  if (await mapStoreError(store.find(asset.object_key))) return lengths.map((_, i) => i + 1);
  if (found === null)
    throw new AppError(
      'upload_void',
      'The store no longer has the parts of this upload. Request a new one to send the file again.',
    );
  return lengths.flatMap((length, i) => (found.get(i + 1) === length ? [i + 1] : []));
}

/** Concurrent requests share one join; it goes on when they wait no longer. */
export const joinOnce = (app: App, asset: AssetRow): Promise<void> =>
  app.joins(asset.object_key, () => join(app, asset));

async function join(app: App, asset: AssetRow): Promise<void> {
  const { store } = app;
  const lengths = partsOf(asset);
  const arrived = new Set(await arrivedParts(app, asset));
  const missing = lengths.flatMap((_, i) => (arrived.has(i + 1) ? [] : [i + 1]));
  if (missing.length > 0)
    throw new AppError(
      'upload_incomplete',
      `${missing.length} of ${lengths.length} parts have not arrived yet: ${formatPartNumbers(missing)}. PUT them first.`,
    );
  // What a process left that stopped before it had removed the parts.
  if (await mapStoreError(store.find(asset.object_key)))
    return mapStoreError(store.parts.abandon(asset.object_key));
  await mapStoreError(app.queues.joinParts(asset.org_id, () => store.parts.join(uploadOf(asset), lengths)));
}

/** Of a store that fails the parts stay, and the next request tries again. */
const mapStoreError = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error) => {
    if (error instanceof AppError || ['ENOSPC', 'EDQUOT'].includes(error?.code)) throw error;
    throw storeFailure(error, 'What has arrived is kept.');
  });
