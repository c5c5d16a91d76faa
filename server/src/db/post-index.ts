// The index of the posts' text: which posts may contain some words. Each engine has its own; what it finds is compared with the
// text (see posts/search/).
import { faultOf, type Log } from '../ground/log.js';
import type { Database, Reader } from './database.js';
import { openPostgresIndex } from './postgres/post-index.js';
import { sqliteIndex } from './sqlite/post-index.js';

/** Runs one statement of a search, when it is its turn. */
export type Turn = <T>(statement: () => Promise<T>) => Promise<T>;

export interface Lookup {
  read: Reader;
  turn: Turn;
  orgId: string;
  words: readonly string[];
  /** The most posts that one statement may look at. */
  size: number;
}

export interface PostIndex {
  /** The words that it can look up: those with a trigram. */
  usable(lookup: Lookup): Promise<string[]>;
  /** The ids of posts that may contain all words, which must be usable: newest first, as far as it knows. */
  pages(lookup: Lookup): AsyncIterable<string[]>;
}

/** Null if the engine refuses to have one. Tried at each start: the operator may have allowed it since. */
export async function openPostIndex(db: Database, log: Log): Promise<PostIndex | null> {
  if (db.engine === 'sqlite') return sqliteIndex;
  try {
    return await openPostgresIndex(db);
  } catch (err) {
    log.warn(
      faultOf(err),
      'Postgres has no index for the search, so it looks at the newest 10,000 posts of an organization only. It needs the extensions pg_trgm and btree_gin',
    );
    return null;
  }
}
