// Search in posts, with bounded work (decision 0021): compares the newest posts, and those that the index names for the rest, until it
// has found enough or done enough. Organizations take turns, and so does everything else.
import { setImmediate } from 'node:timers/promises';
import { createCpuThrottle } from '../../core/concurrency.js';
import { type Reader, ReadTimeoutError } from '../../db/database.js';
import type { RunStatement } from '../../db/post-index.js';
import type { App } from '../../request/app.js';
import { type Compared, compareAmong, compareNewest, isOlder, type Match, type Query } from './compare.js';
import type { PostFilter } from './filter.js';
import type { ScanCursor } from './index-scans.js';
import { compareIn, NEWEST_FIRST, orderOf } from './orders.js';
import type { ListPosts } from './schema.js';
import { postsThatWillFail } from './will-fail.js';

export const SEARCH_LIMITS = {
  /** How many posts a search finds, and how far its total counts. */
  found: 1_000,
  /** How many of the newest posts are looked through. */
  newest: 10_000,
  /** The same if no word can be looked up in the index. */
  newestWithoutIndex: 2_000,
  /** How many of them are compared before the index is asked. */
  first: 1_000,
  /** The work of one search: the bytes that are compared with each word, and PER_POST for each post. */
  work: 12_000_000,
  /** How long one search takes, and one of its statements on Postgres. */
  ms: 1_000,
  statementMs: 500,
};
export type Limits = typeof SEARCH_LIMITS;

/** Finding the text of a post takes as long as comparing this many bytes. */
const PER_POST = 400;

const MIN_BATCH = 8;

const MS_PER_TURN = 2;

/** Where searches stop the process: one statement at a time of all of them, and after a few milliseconds whatever else waits. */
export const createSearchThrottle = (): RunStatement => createCpuThrottle(MS_PER_TURN);

/** What a search has found and done so far. */
export interface Progress {
  found: Map<string, Match>;
  statements: number;
  posts: number;
  bytes: number;
}

/** The posts that contain all words, in the order of the list. */
export async function searchPosts(
  app: App,
  filter: PostFilter,
  input: ListPosts,
  words: readonly string[],
  limits = SEARCH_LIMITS,
): Promise<{ matches: Match[]; progress: Progress }> {
  const { db, postIndex: index } = app;
  const { orgId } = filter;
  const { batch, minPage, position, isSynchronous } = db.search;
  const run: RunStatement = isSynchronous ? app.searchThrottle : (statement) => statement();
  /** On Postgres each statement of the work has a time limit; ReadTimeoutError ends the work. */
  const briefly = <T>(work: (read: Reader) => Promise<T>) => db.readWithTimeout(limits.statementMs, work);
  /** How many times as long comparing takes as with one word of ordinary length. */
  const cost = Math.max(words.length, Math.ceil(words.join('').length / 50));
  const size = isSynchronous ? Math.max(MIN_BATCH, Math.floor(batch / cost)) : batch;

  // What was found is kept if a statement is ended.
  const progress: Progress = { found: new Map(), statements: 0, posts: 0, bytes: 0 };
  let giveUpAt = Number.POSITIVE_INFINITY;
  const canContinue = () =>
    progress.found.size < limits.found &&
    progress.bytes * cost + progress.posts * PER_POST < limits.work &&
    performance.now() < giveUpAt;
  const add = ({ matches, posts, bytes }: Pick<Compared, 'matches' | 'posts' | 'bytes'>) => {
    progress.statements++;
    progress.posts += posts;
    progress.bytes += bytes;
    for (const match of matches) progress.found.set(match.id, match);
  };

  /** How far the newest posts have been compared. */
  const scan = { last: null as ScanCursor | null, posts: 0, max: limits.newest, isAtEnd: false };
  const scanNewest = async (read: Reader, query: Query, isEnough = () => false) => {
    const newest = compareNewest(read, query);
    while (!scan.isAtEnd && scan.posts < scan.max && canContinue() && !isEnough()) {
      const limit = Math.min(size, scan.max - scan.posts);
      const compared = await run(() => newest(scan.last, limit));
      scan.posts += compared.posts;
      scan.last = compared.last;
      scan.isAtEnd = compared.posts < limit;
      add(compared);
    }
  };

  const search = async () => {
    const failing = input.needs_attention ? await run(() => postsThatWillFail(app, db.read, orgId)) : [];
    const query = {
      position,
      filter,
      input,
      words,
      failing: failing.map(({ post }) => post.id),
      now: app.clock.now(),
    };
    const usable = await briefly(async (read) => {
      // Its time begins when it has a connection: waiting for one does not count.
      giveUpAt = performance.now() + limits.ms;
      const known = index
        ? await index.searchableWords({ read, run, orgId, words, size })
        : words.filter((word) => [...word].length >= 3);
      if (known.length === 0) scan.max = limits.newestWithoutIndex;
      const canAsk = index !== null && known.length > 0;
      // Too few match to find enough among the newest: the index will be asked in any case, and knows these as well.
      const isRare = () => progress.found.size * scan.max < limits.found * scan.posts;
      await scanNewest(read, query, () => canAsk && scan.posts >= limits.first && isRare());
      return known;
    });
    if (index === null || usable.length === 0 || scan.isAtEnd || !canContinue()) return;

    try {
      await briefly(async (read) => {
        const among = compareAmong(read, query);
        const lookup = { read, run, orgId, words: usable, size: Math.max(size, minPage) };
        for await (const ids of index.pages(lookup)) {
          // Posts that the filter leaves out are work as well. Asking the index is none, but takes time.
          const compared = ids.length > 0 ? await run(() => among(ids)) : { matches: [], bytes: 0 };
          add({ ...compared, posts: ids.length });
          if (!canContinue()) return;
        }
      });
    } catch (error) {
      if (!(error instanceof ReadTimeoutError)) throw error;
      // Every word is in too many posts for the index to help: the rest of the newest is compared after all.
      await briefly((read) => scanNewest(read, query));
    }
  };
  await app.queues.longReads(orgId, search).catch((error) => {
    // At the time limit the answer is what was found.
    if (!(error instanceof ReadTimeoutError)) throw error;
  });

  const newestFirst = [...progress.found.values()].sort((a, b) => (isOlder(a, b) ? 1 : -1));
  const matches = newestFirst.slice(0, limits.found);
  const order = orderOf(input);
  if (order !== NEWEST_FIRST) matches.sort(compareIn(order));
  return { matches, progress };
}

/** A run leaves most of the time to everything else. */
const MAX_BATCHES = 40;

/** Has SQLite write what it has left for later. */
export async function indexPosts(app: App): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES && (await app.db.runMaintenance()); batches++)
    await setImmediate();
}
