// Hundreds of posts with the same files, without uploading and inspecting each: rows and links made without the API.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '../../../src/db/database.js';

/** Gives `postId` the files of another post. `files` is the folder of the disk store. */
export async function cloneAssets(
  db: Database,
  files: string,
  templateId: string,
  postId: string,
): Promise<void> {
  const assets = await db.read.selectFrom('assets').selectAll().where('post_id', '=', templateId).execute();
  for (const asset of assets) {
    const id = randomUUID();
    const object_key = asset.object_key.replace(/[^/]+(?=\.\w+$)/, id);
    const place = join(files, object_key);
    mkdirSync(dirname(place), { recursive: true });
    linkSync(join(files, asset.object_key), place);
    await db.transact((tx) =>
      tx
        .insertInto('assets')
        .values({ ...asset, id, post_id: postId, object_key, has_thumbnail: 0 })
        .execute(),
    );
  }
}
