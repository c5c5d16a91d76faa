// Finds and removes objects without a database row.
import { sql } from 'kysely';
import type { App } from '../app/app.js';
import { toLogFields } from '../core/log.js';
import { assetOf, isOurs, orgOf, partKey } from '../object-store/object-keys.js';
import type { ObjectStore, StoredObject } from '../object-store/object-store.js';

const BATCH = 200;

/** A larger share of orphans means that the database does not belong to the store: an old backup, or the wrong bucket. */
const SUSPICIOUS_SHARE = 0.05;
const SUSPICIOUS_COUNT = 20;

/**
 * Removes objects without a database row: uploads that arrived after their grant was deleted, or a second time. Objects
 * younger than the grace period are left alone, because their row may be about to be written.
 */
export async function removeOrphans(app: App): Promise<void> {
  if (app.safety.mode.kind !== 'normal') return; // mutant: orphans-in-safe-mode
  const { firstSweep, releasedAt } = await sinceRelease(app);
  const before = app.clock.now() - app.config.garbageGraceMs;
  // After a restore the operator has a whole grace period to notice missing rows.
  if (firstSweep !== null && releasedAt > before) return;
  const orphans: string[] = [];
  let listed = 0;
  let batch: Stored[] = [];
  const check = async () => {
    orphans.push(...(await withoutRow(app, batch)));
    batch = [];
  };
  for await (const object of everythingStored(app)) {
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
      'too many objects have no database row, as after restoring an old database; none was removed (see the guide on backups)',
    );
    return;
  }
  for (const key of orphans)
    await removeOrphan(app.store, key).catch((err) =>
      app.log.warn({ ...toLogFields(err), object_key: key }, 'an orphan could not be removed'),
    );
  if (orphans.length > 0) app.log.info({ orphans: orphans.length }, 'orphaned objects were removed');
  if (firstSweep !== null) await endFirstSweep(app, releasedAt);
}

type Stored = Pick<StoredObject, 'key' | 'storedAt'>;

/** All objects, and one part of each upload that is not finished. */
async function* everythingStored({ store, log }: App): AsyncIterable<Stored> {
  yield* store.list();
  const seen = new Set<string>();
  try {
    for await (const { key, storedAt } of store.parts.unfinished()) {
      if (seen.has(key)) continue;
      seen.add(key);
      yield { key: partKey(key, 1), storedAt };
    }
  } catch (err) {
    log.warn(toLogFields(err), 'unfinished uploads could not be listed; the bucket may need the permission');
  }
}

const removeOrphan = (store: ObjectStore, key: string): Promise<void> => {
  const { objectKey, part } = assetOf(key);
  return part === 'part' ? store.parts.abandon(objectKey) : store.remove(key);
};

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

async function withoutRow(app: App, objects: Stored[]): Promise<string[]> {
  if (objects.length === 0) return [];
  const keys = [...new Set(objects.map(({ key }) => assetOf(key).objectKey))];
  // In one statement: between two, a mark can replace a row, or a row a mark.
  const rows = await app.db.read
    .selectFrom('assets')
    .select(['object_key', sql<string>`state`.as('state')])
    .where('object_key', 'in', keys)
    .unionAll(
      app.db.read
        .selectFrom('objects_to_delete')
        .select(['object_key', sql<string>`'marked'`.as('state')])
        .where('object_key', 'in', keys),
    )
    .execute();
  const known = await app.db.read
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', [...new Set(keys.map(orgOf))])
    .execute();
  const orgs = new Set(known.map((row) => row.id));
  const states = new Map(rows.map((row) => [row.object_key, row.state]));
  return objects
    .filter(({ key }) => {
      const { objectKey, part } = assetOf(key);
      // Belongs to another installation in the same bucket, or to a lost database.
      if (!orgs.has(orgOf(objectKey))) return false;
      const state = states.get(objectKey);
      if (state === undefined) return true;
      // The worker removes it in time, or a copy of a post is about to give it a row.
      if (state === 'marked') return false;
      // An upload is needed until it is inspected; the object itself, as long as it is or may still become ready.
      return part === 'upload' || part === 'part' ? state !== 'pending' : state === 'rejected';
    })
    .map(({ key }) => key);
}
