// Removing objects so that none is lost and none is forgotten: a key is condemned in the transaction that takes its row
// away, and its row here goes only when the store has surely let go of it. A crash anywhere means doing it again.
import type { Config } from '../config/config.js';
import type { Database, Tx } from '../db/database.js';
import type { Clock } from '../ground/clock.js';
import { atMost, waitAtMost } from '../ground/concurrency.js';
import { faultOf, type Log } from '../ground/log.js';
import { assetOf, isOurs, keysAround, orgOf } from './keys.js';
import type { ObjectStore, StoredObject } from './object-store.js';

/** What removing takes of the App. */
interface App {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<Config, 'garbageGraceMs'>;
  /** Of a restored database nothing is removed. */
  readonly safety: { readonly mode: { readonly kind: string } };
}

const BATCH = 200;

/** Each removal is a few requests to the store. */
const AT_ONCE = 8;

/** How long whoever deletes something waits for the store. */
const PATIENCE_MS = 3_000;

/** More orphans than this share mean that the database is not the store's: an old backup, or another's bucket. */
const SUSPICIOUS_SHARE = 0.05;
const SUSPICIOUS_COUNT = 20;

/** Objects to be removed at this moment or later. */
export async function markForDeletion(
  tx: Tx,
  orgId: string,
  objectKeys: string[],
  removeAfter: number,
): Promise<void> {
  if (objectKeys.length === 0) return;
  await tx
    .insertInto('condemned_objects')
    .values(objectKeys.map((object_key) => ({ object_key, org_id: orgId, remove_after: removeAfter })))
    .onConflict((conflict) => conflict.column('object_key').doUpdateSet({ remove_after: removeAfter }))
    .execute();
}

/** Condemns everything a post has, because the post itself goes in this transaction. */
export async function markAssetsForDeletion(
  tx: Tx,
  orgId: string,
  postId: string,
  now: number,
): Promise<string[]> {
  const rows = await tx
    .deleteFrom('assets')
    .where('org_id', '=', orgId)
    .where('post_id', '=', postId)
    .returning('object_key')
    .execute();
  const keys = rows.map((row) => row.object_key);
  await markForDeletion(tx, orgId, keys, now);
  // Videos that were replaced before lose the rest of their grace.
  const folder = `orgs/${orgId}/posts/${postId}/`;
  const earlier = await tx
    .updateTable('condemned_objects')
    .set({ remove_after: now })
    .where('org_id', '=', orgId)
    .where('object_key', '>', folder)
    .where('object_key', '<', `${folder}~`)
    .returning('object_key')
    .execute();
  return [...new Set([...keys, ...earlier.map((row) => row.object_key)])];
}

/** Removes condemned objects at once, without waiting long for it: what is not done stays condemned, and the worker goes on. */
export async function removeNow(app: App, objectKeys: string[]): Promise<void> {
  if (app.safety.mode.kind !== 'normal') return;
  await waitAtMost(PATIENCE_MS, removeAll(app, objectKeys));
}

async function removeAll(app: App, objectKeys: string[]): Promise<void> {
  const limited = atMost(AT_ONCE);
  const remove = (key: string) =>
    limited(() => removeOne(app, key)).catch((err) =>
      app.log.warn(faultOf(err), 'an object could not be removed; the worker will try again'),
    );
  await Promise.all(objectKeys.map(remove));
}

/** The object, and everything that was made of it or for it. */
export async function removeObjects(store: ObjectStore, objectKey: string): Promise<void> {
  for (const key of keysAround(objectKey)) await store.remove(key);
}

/** Removes what came when its row had gone. While it is condemned its time has not come, and the worker removes it. */
export async function removeLatecomer(app: App, objectKey: string): Promise<void> {
  const waiting = await app.db.read
    .selectFrom('condemned_objects')
    .select('object_key')
    .where('org_id', '=', orgOf(objectKey))
    .where('object_key', '=', objectKey)
    .executeTakeFirst();
  if (!waiting) await removeObjects(app.store, objectKey);
}

async function removeOne(app: App, objectKey: string): Promise<void> {
  await removeObjects(app.store, objectKey);
  // In safe mode the store keeps everything, and the key stays condemned.
  if (app.safety.mode.kind !== 'normal') return;
  await app.db.transact((tx) =>
    tx
      .deleteFrom('condemned_objects')
      .where('org_id', '=', orgOf(objectKey))
      .where('object_key', '=', objectKey)
      .execute(),
  );
}

/** Removes what has been condemned long enough, as far as this turn's time goes. */
export async function removeMarked(app: App, giveUpAt: number): Promise<void> {
  let after = '';
  while (performance.now() < giveUpAt) {
    const due = await app.db.read
      .selectFrom('condemned_objects')
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

/**
 * Removes objects that no row knows: an upload that arrived after its grant had gone, or came a second time. Nothing
 * younger than the grace is touched, because its row may be on its way.
 */
export async function removeOrphans(app: App): Promise<void> {
  if (app.safety.mode.kind !== 'normal') return;
  const { firstSweep, releasedAt } = await sinceRelease(app);
  const before = app.clock.now() - app.config.garbageGraceMs;
  // After a restore the operator has a whole grace period to notice what is missing.
  if (firstSweep !== null && releasedAt > before) return;
  const orphans: string[] = [];
  let listed = 0;
  let batch: StoredObject[] = [];
  const check = async () => {
    orphans.push(...(await withoutRow(app, batch)));
    batch = [];
  };
  for await (const object of app.store.list()) {
    if (!isOurs(object.key)) continue;
    listed++;
    if (object.storedAt >= before) continue;
    batch.push(object);
    if (batch.length === BATCH) await check();
  }
  await check();
  const isMany = orphans.length > listed * SUSPICIOUS_SHARE;
  const isSuspicious = isMany && (firstSweep === 'due' || orphans.length > SUSPICIOUS_COUNT);
  if (isSuspicious && firstSweep !== 'allowed') {
    app.log.error(
      { orphans: orphans.length, objects: listed },
      'so many objects without a row look like an old database; none was removed (see the README on backups)',
    );
    return;
  }
  for (const key of orphans)
    await app.store
      .remove(key)
      .catch((err) => app.log.warn({ ...faultOf(err), object_key: key }, 'an orphan could not be removed'));
  if (orphans.length > 0) app.log.info({ orphans: orphans.length }, 'orphaned objects were removed');
  if (firstSweep !== null) await endFirstSweep(app, releasedAt);
}

async function sinceRelease(app: App) {
  const row = await app.db.read
    .selectFrom('installation')
    .select(['first_sweep', 'released_at'])
    .executeTakeFirst();
  return { firstSweep: row?.first_sweep ?? null, releasedAt: row?.released_at ?? 0 };
}

async function endFirstSweep(app: App, releasedAt: number): Promise<void> {
  await app.db.transact((tx) =>
    tx.updateTable('installation').set({ first_sweep: null }).where('released_at', '=', releasedAt).execute(),
  );
}

async function withoutRow(app: App, objects: StoredObject[]): Promise<string[]> {
  if (objects.length === 0) return [];
  const keys = [...new Set(objects.map(({ key }) => assetOf(key).objectKey))];
  const rows = await app.db.read
    .selectFrom('assets')
    .select(['object_key', 'state'])
    .where('object_key', 'in', keys)
    .execute();
  const marked = await app.db.read
    .selectFrom('condemned_objects')
    .select('object_key')
    .where('object_key', 'in', keys)
    .execute();
  const known = await app.db.read
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', [...new Set(keys.map(orgOf))])
    .execute();
  const orgs = new Set(known.map((row) => row.id));
  const states = new Map(rows.map((row) => [row.object_key, row.state]));
  const waiting = new Set(marked.map((row) => row.object_key));
  return objects
    .filter(({ key }) => {
      const { objectKey, part } = assetOf(key);
      // Another installation's in the same bucket, or of a database that was lost.
      if (!orgs.has(orgOf(objectKey))) return false;
      const state = states.get(objectKey);
      if (state === undefined) return !waiting.has(objectKey);
      // An upload is of use until it is looked at; what it became stays as long as it is, or may still become, ready.
      return part === 'upload' ? state !== 'pending' : state === 'rejected';
    })
    .map(({ key }) => key);
}
