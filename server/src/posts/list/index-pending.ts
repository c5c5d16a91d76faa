// Writes the index of the posts' text, which a search compares without until then (see db/sqlite/pending-posts.ts).
import { setImmediate } from 'node:timers/promises';
import type { App } from '../../app/app.js';

/** A run leaves most of the time to everything else. */
const MAX_BATCHES = 40;

/** Has SQLite index the posts that it has left for later, a batch at a time. */
export async function indexPendingPosts(app: App): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES && (await app.db.indexPendingBatch()); batches++)
    await setImmediate();
}
