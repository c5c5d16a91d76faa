// Opens the engine's index of the posts' text when a process starts.
import { type Log, toLogFields } from '../core/log.js';
import type { Database } from './database.js';
import type { PostSearchIndex } from './post-index.js';
import { openPostgresIndex } from './postgres/post-index.js';
import { sqliteIndex } from './sqlite/post-index.js';

/** Null if the engine refuses to have one. Tried at each start: the operator may have allowed it since. */
export async function openPostIndex(db: Database, log: Log): Promise<PostSearchIndex | null> {
  if (db.engine === 'sqlite') return sqliteIndex;
  try {
    return await openPostgresIndex(db);
  } catch (err) {
    log.warn(
      toLogFields(err),
      'Postgres has no index for the search, so it looks at the newest 10,000 posts of an organization only. It needs the extensions pg_trgm and btree_gin; the next start tries again',
    );
    return null;
  }
}
