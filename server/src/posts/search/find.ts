// One search: compares the newest posts, and those that the index names for the rest, until it has found enough or done enough.
import { type Reader, ReadTimeoutError } from '../../db/database.js';
import type { PostSearchIndex, RunStatement } from '../../db/post-index.js';
import type { ScanCursor } from '../list/index-scans.js';
import { type Compared, compareAmong, compareNewest, type Match, type Query } from './compare.js';

export interface Limits {
  /** How many posts a search finds, and how far its total counts. */
  found: number;
  /** How many of the newest posts are looked through. */
  newest: number;
  /** The same if no word can be looked up in the index. */
  newestWithoutIndex: number;
  /** So many are looked through before the index is asked. */
  first: number;
  /** The work of one search: the bytes that are compared with each word, and PER_POST for each post. */
  work: number;
  /** How long one search takes, and one of its statements on Postgres. */
  ms: number;
  statementMs: number;
}

/** Finding the text of a post takes as long as comparing so many bytes. */
const PER_POST = 400;

/** How many posts one statement looks at. On SQLite no request is served meanwhile: 96 of the worst take 10 ms. */
const BATCH = { sqlite: 96, postgres: 250 };
const MIN_BATCH = 8;
/** Postgres asks its index anew for each page. */
const MIN_PAGE = { sqlite: 0, postgres: 1_000 };

/** What a search has found and done so far. */
export class Progress {
  readonly found = new Map<string, Match>();
  statements = 0;
  posts = 0;
  bytes = 0;
  private readonly limits: Limits;
  private readonly cost: number;
  private giveUpAt = Number.POSITIVE_INFINITY;

  constructor(limits: Limits, words: readonly string[]) {
    this.limits = limits;
    this.cost = costOf(words);
  }

  /** Its time begins when it has a connection: waiting for one does not count. */
  begin(): void {
    this.giveUpAt = performance.now() + this.limits.ms;
  }

  /** Returns whether the search continues. */
  add({ matches, posts, bytes }: Compared): boolean {
    this.statements++;
    this.posts += posts;
    this.bytes += bytes;
    for (const match of matches) this.found.set(match.id, match);
    return this.canContinue;
  }

  get canContinue(): boolean {
    const { found, work } = this.limits;
    return (
      this.found.size < found &&
      this.bytes * this.cost + this.posts * PER_POST < work &&
      performance.now() < this.giveUpAt
    );
  }
}

/** How many times as long comparing takes as with one word of ordinary length. */
const costOf = (words: readonly string[]) => Math.max(words.length, Math.ceil(words.join('').length / 50));

interface SearchContext {
  /** On Postgres each statement of the work has a time limit; ReadTimeoutError ends the work. */
  briefly: <T>(work: (read: Reader) => Promise<T>) => Promise<T>;
  run: RunStatement;
  index: PostSearchIndex | null;
  limits: Limits;
}

/** How far the newest posts have been compared. */
interface ScanState {
  last: ScanCursor | null;
  posts: number;
  most: number;
  isAtEnd: boolean;
}

/** Adds to the progress as it goes: what was found by then is kept if a statement is ended. */
export async function runSearch(context: SearchContext, query: Query, progress: Progress): Promise<void> {
  const { briefly, run, index, limits } = context;
  const { filter, words } = query;
  const size = sizeOf(query);
  const scan: ScanState = { last: null, posts: 0, most: limits.newest, isAtEnd: false };
  // Too few match to find enough among the newest: the index will be asked in any case, and knows these as well.
  const isRare = () => progress.found.size * scan.most < limits.found * scan.posts;

  const usable = await briefly(async (read) => {
    progress.begin();
    const known = index
      ? await index.searchableWords({ read, run, orgId: filter.orgId, words, size })
      : words.filter((word) => [...word].length >= 3);
    if (known.length === 0) scan.most = limits.newestWithoutIndex;
    const canAsk = index !== null && known.length > 0;
    if (progress.canContinue)
      for await (const compared of newestPosts(read, run, query, scan)) {
        if (!progress.add(compared)) break;
        if (canAsk && scan.posts >= limits.first && isRare()) break;
      }
    return known;
  });
  if (index === null || usable.length === 0 || scan.isAtEnd || !progress.canContinue) return;

  const pageSize = Math.max(size, MIN_PAGE[query.engine]);
  try {
    await briefly(async (read) => {
      const lookup = { read, run, orgId: filter.orgId, words: usable, size: pageSize };
      for await (const compared of postsOfIndex(index.pages(lookup), read, run, query))
        if (!progress.add(compared)) return;
    });
  } catch (error) {
    if (!(error instanceof ReadTimeoutError)) throw error;
    // Every word is in so many posts that the index takes too long: the rest of the newest is compared after all.
    await briefly(async (read) => {
      for await (const compared of newestPosts(read, run, query, scan)) if (!progress.add(compared)) return;
    });
  }
}

function sizeOf({ engine, words }: Query): number {
  const most = BATCH[engine];
  return engine === 'sqlite' ? Math.max(MIN_BATCH, Math.floor(most / costOf(words))) : most;
}

/** Continues where the scan has come to. */
async function* newestPosts(
  read: Reader,
  run: RunStatement,
  query: Query,
  scan: ScanState,
): AsyncGenerator<Compared> {
  const newest = compareNewest(read, query);
  while (!scan.isAtEnd && scan.posts < scan.most) {
    const { last } = scan;
    const most = Math.min(sizeOf(query), scan.most - scan.posts);
    const compared = await run(() => newest(last, most));
    scan.posts += compared.posts;
    scan.last = compared.last;
    scan.isAtEnd = compared.posts < most;
    yield compared;
  }
}

async function* postsOfIndex(
  pages: AsyncIterable<string[]>,
  read: Reader,
  run: RunStatement,
  query: Query,
): AsyncGenerator<Compared> {
  const among = compareAmong(read, query);
  // Posts that the filter leaves out are work as well.
  for await (const ids of pages)
    if (ids.length > 0) yield { ...(await run(() => among(ids))), posts: ids.length };
    // Asking the index is none, but takes time.
    else yield { matches: [], posts: 0, bytes: 0, last: null };
}
