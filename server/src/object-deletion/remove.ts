// Removes marked objects from the store, and then their marks: right after the request that deleted them, or later by a worker.

import type { App } from '../app/app.js';
import { createLimiter, waitWithTimeout } from '../core/concurrency.js';
import { toLogFields } from '../core/log.js';
import { orgOf, thumbnailKey, uploadKey } from '../object-store/object-keys.js';
import type { ObjectStore } from '../object-store/object-store.js';

const BATCH = 200;

/** Each removal takes several requests to the store. */
const MAX_CONCURRENT = 8;

/** How long a request that deletes something waits for the store. */
const REQUEST_TIMEOUT_MS = 3_000;

/** Removes marked objects now, but does not wait long: what is not done stays marked, and the worker continues. */
export async function removeNow(app: App, objectKeys: string[]): Promise<void> {
  if (app.safety.mode.kind !== 'normal') return;
  await waitWithTimeout(REQUEST_TIMEOUT_MS, removeAll(app, objectKeys));
}

async function removeAll(app: App, objectKeys: string[]): Promise<void> {
  // A plain limiter: the files of one request.
  const limited = createLimiter(MAX_CONCURRENT);
  const remove = (key: string) =>
    limited(() => removeOne(app, key)).catch((err) =>
      app.log.warn(toLogFields(err), 'an object could not be removed; the worker will try again'),
    );
  await Promise.all(objectKeys.map(remove));
}

/** Removes the object and everything derived from it or uploaded for it. */
export async function removeObjects(store: ObjectStore, objectKey: string): Promise<void> {
  for (const key of [objectKey, uploadKey(objectKey), thumbnailKey(objectKey)]) await store.remove(key);
  // Only videos arrive in parts.
  if (objectKey.includes('/videos/')) await store.parts.abandon(objectKey);
}

async function removeOne(app: App, objectKey: string): Promise<void> {
  await removeObjects(app.store, objectKey);
  // In safe mode the store keeps everything, and the key stays marked.
  if (app.safety.mode.kind !== 'normal') return;
  await app.db.transact((tx) =>
    tx
      .deleteFrom('objects_to_delete')
      .where('org_id', '=', orgOf(objectKey))
      .where('object_key', '=', objectKey)
      .execute(),
  );
}

/** Removes objects whose grace period is over, until this run's time is up. */
export async function removeMarked(app: App, giveUpAt: number): Promise<void> {
  let after = '';
  while (performance.now() < giveUpAt) {
    const due = await app.db.read
      .selectFrom('objects_to_delete')
      .select('object_key')
      .where('remove_after', '<=', app.clock.now())
      .where('object_key', '>', after)
      .orderBy('object_key')
      .limit(BATCH)
      .execute();
    await removeAll(
      app,
      due.map((row) => row.object_key),
    );
    if (due.length < BATCH) return;
    after = due.at(-1)?.object_key ?? after;
  }
}
