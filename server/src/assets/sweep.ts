// Removes uploads that never arrived, and old rejections. Files that Airdate was to fetch belong to their post and stay.

import type { App } from '../app/app.js';
import { toLogFields } from '../core/log.js';
import { markChanged } from '../db/changes.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow } from '../db/tables.js';
import { deleteFiles } from '../object-deletion/mark.js';
import { allows, type PostStatus } from '../posts/state.js';
import { confirmUpload, rejectUpload } from './confirm.js';
import { NOT_FETCHED } from './fetch/sources.js';

const BATCH = 100;

/** Ends grants that expired long ago. A file that has arrived without being confirmed yet is kept. */
export async function sweepUploads(app: App, giveUpAt: number): Promise<void> {
  const before = app.clock.now() - app.config.garbageGraceMs;
  await forEachExpired(app, giveUpAt, 'pending', 'expires_at', before, async (asset) => {
    const status = await findPostStatus(app, asset);
    // A published post never takes more files; an archived one may, once it is restored.
    if (status === 'posted') return forget(app, asset);
    if (!allows('edit', status)) return;
    if ((await confirmUpload(app, asset, 'free')) !== 'missing') return;
    if (asset.is_fetched) await rejectUpload(app, asset, NOT_FETCHED);
    else await forget(app, asset);
  });
  await forEachExpired(app, giveUpAt, 'rejected', 'settled_at', before, (asset) => forget(app, asset));
}

async function forEachExpired(
  app: App,
  giveUpAt: number,
  state: AssetRow['state'],
  time: 'expires_at' | 'settled_at',
  before: number,
  work: (asset: AssetRow) => Promise<void>,
): Promise<void> {
  let after = { time: -1, id: '' };
  for (;;) {
    const rows = await app.db.read
      .selectFrom('assets')
      .selectAll()
      .where('state', '=', state)
      .$if(state === 'rejected', (some) => some.where('is_fetched', '=', 0)) // mutant: rejected-fetched-file
      .where(time, '<=', before)
      .where(({ eb, or, and }) =>
        or([eb(time, '>', after.time), and([eb(time, '=', after.time), eb('object_key', '>', after.id)])]),
      )
      .orderBy(time)
      .orderBy('object_key')
      .limit(BATCH)
      .execute();
    // One that cannot be checked now (its post is being published, the store is down) must not hold up the others.
    for (const asset of rows) {
      if (performance.now() > giveUpAt) return;
      await work(asset).catch((err) =>
        app.log.warn(
          { ...toLogFields(err), object_key: asset.object_key },
          'an old upload could not be swept',
        ),
      );
    }
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = { time: last[time] ?? 0, id: last.object_key };
  }
}

async function findPostStatus(app: App, { org_id, post_id }: AssetRow): Promise<PostStatus> {
  const { status } = await app.db.read
    .selectFrom('posts')
    .select('status')
    .where(isRow({ org_id, id: post_id }))
    .executeTakeFirstOrThrow();
  return status;
}

async function forget(app: App, { org_id, id, state, post_id }: AssetRow): Promise<void> {
  await app.db.transact(async (tx) => {
    await deleteFiles(tx, org_id, ({ and }) => and({ id, state }), app.clock.now());
    markChanged(tx, org_id, { posts: [post_id] });
  });
}
