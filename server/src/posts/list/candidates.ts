// Where a search looks for posts: among the newest, and among those that the index names. One statement reads some candidates and
// compares them, so each of the two yields what a statement has found; the search decides how many of them run.
import type { Lookup, PostSearchIndex } from '../../db/post-index.js';
import { type Compared, compareAmong, compareNewest, type SearchQuery } from './compare.js';
import type { ScanCursor } from './index-scans.js';

/** How far the newest posts have been compared. A search may continue there on another connection. */
export interface NewestScan {
  last: ScanCursor | null;
  posts: number;
  max: number;
  isAtEnd: boolean;
}

/** The newest posts, from where the scan has got to. */
export async function* newestCandidates(
  { read, run, size }: Pick<Lookup, 'read' | 'run' | 'size'>,
  query: SearchQuery,
  scan: NewestScan,
): AsyncGenerator<Compared, void> {
  const compare = compareNewest(read, query);
  while (!scan.isAtEnd && scan.posts < scan.max) {
    const limit = Math.min(size, scan.max - scan.posts);
    const compared = await run(() => compare(scan.last, limit));
    scan.posts += compared.posts;
    scan.last = compared.last;
    scan.isAtEnd = compared.posts < limit;
    yield compared;
  }
}

/** The posts that the index names for the words. */
export async function* indexedCandidates(
  index: PostSearchIndex,
  lookup: Lookup,
  query: SearchQuery,
): AsyncGenerator<Compared, void> {
  const compare = compareAmong(lookup.read, query);
  for await (const ids of index.pages(lookup)) {
    const compared = ids.length > 0 ? await lookup.run(() => compare(ids)) : NOTHING;
    // Posts that the filter leaves out are work as well. Asking the index is none, but takes time.
    yield { ...compared, posts: ids.length };
  }
}

const NOTHING: Compared = { matches: [], posts: 0, bytes: 0, last: null };
