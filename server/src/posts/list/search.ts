// Search in posts, with bounded work (decision 0021): compares the newest posts, and those that the index names for the rest, until it
// has found enough or done enough. Organizations take turns, and so does everything else.
import type { App } from '../../app/app.js';
import { createCpuThrottle } from '../../core/concurrency.js';
import { type Reader, ReadTimeoutError } from '../../db/database.js';
import type { RunStatement } from '../../db/post-index.js';
import { postsThatWillFail } from '../attention/will-fail.js';
import { indexedCandidates, type NewestScan, newestCandidates } from './candidates.js';
import { type Compared, isOlder, type Match, type SearchQuery } from './compare.js';
import { compareIn, NEWEST_FIRST } from './orders.js';
import type { ListQuery } from './query.js';

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
  list: ListQuery,
  words: readonly string[],
  limits = SEARCH_LIMITS,
): Promise<{ matches: Match[]; progress: Progress }> {
  const budget = createSearchBudget(words, limits);
  await app.queues.longReads(list.orgId, () => search(app, list, words, budget)).catch(keepWhatWasFound);

  const { progress } = budget;
  const newestFirst = [...progress.found.values()].sort((a, b) => (isOlder(a, b) ? 1 : -1));
  const matches = newestFirst.slice(0, limits.found);
  const { order } = list;
  if (order !== NEWEST_FIRST) matches.sort(compareIn(order));
  return { matches, progress };
}

/** The newest posts, then those that the index names; the rest of the newest if the index is no help. */
async function search(
  app: App,
  list: ListQuery,
  words: readonly string[],
  budget: SearchBudget,
): Promise<void> {
  const { db, postIndex: index } = app;
  const { orgId } = list;
  const { limits } = budget;
  const { batch, minPage, position, isSynchronous } = db.search;
  const run: RunStatement = isSynchronous ? app.state.searchThrottle : (statement) => statement();
  const size = isSynchronous ? Math.max(MIN_BATCH, Math.floor(batch / budget.cost)) : batch;
  /** On Postgres each statement of the work has a time limit; ReadTimeoutError ends the work. */
  const briefly = <T>(work: (read: Reader) => Promise<T>) => db.readWithTimeout(limits.statementMs, work);

  const willFail = list.needsAttention ? await run(() => postsThatWillFail(app, db.read, orgId)) : [];
  const failing = willFail.map(({ post }) => post.id);
  const query: SearchQuery = { ...list, words, position, failing, now: app.clock.now() };
  const scan: NewestScan = { last: null, posts: 0, max: limits.newest, isAtEnd: false };
  const newest = (read: Reader) => newestCandidates({ read, run, size }, query, scan);

  const usable = await briefly(async (read) => {
    // Its time begins when it has a connection: waiting for one does not count.
    budget.startClock();
    const known = index
      ? await index.searchableWords({ read, run, orgId, words, size })
      : words.filter((word) => [...word].length >= 3);
    if (known.length === 0) scan.max = limits.newestWithoutIndex;
    const canAsk = index !== null && known.length > 0;
    // Too few match to find enough among the newest: the index will be asked in any case, and knows these as well.
    const isRare = () => budget.progress.found.size * scan.max < limits.found * scan.posts;
    const isIndexNext = () => canAsk && scan.posts >= limits.first && isRare();
    await compareWithin(budget, newest(read), isIndexNext);
    return known;
  });
  if (index === null || usable.length === 0 || scan.isAtEnd || !budget.allowMore()) return;

  try {
    await briefly((read) => {
      const lookup = { read, run, orgId, words: usable, size: Math.max(size, minPage) };
      return compareWithin(budget, indexedCandidates(index, lookup, query));
    });
  } catch (error) {
    keepWhatWasFound(error);
    // Every word is in too many posts for the index to help: the rest of the newest is compared after all.
    await briefly((read) => compareWithin(budget, newest(read)));
  }
}

/** Compares candidates until there are no more, or the search has found enough or done enough. */
async function compareWithin(
  budget: SearchBudget,
  candidates: AsyncGenerator<Compared, void>,
  isEnough = () => false,
): Promise<void> {
  while (budget.allowMore() && !isEnough()) {
    const { value: compared } = await candidates.next();
    if (!compared) return;
    budget.add(compared);
  }
}

/** The work and the time that one search may take. */
interface SearchBudget {
  readonly limits: Limits;
  readonly progress: Progress;
  /** How many times as long comparing takes as with one word of ordinary length. */
  readonly cost: number;
  startClock(): void;
  allowMore(): boolean;
  add(compared: Compared): void;
}

function createSearchBudget(words: readonly string[], limits: Limits): SearchBudget {
  const progress: Progress = { found: new Map(), statements: 0, posts: 0, bytes: 0 };
  const cost = Math.max(words.length, Math.ceil(words.join('').length / 50));
  let giveUpAt = Number.POSITIVE_INFINITY;
  return {
    limits,
    progress,
    cost,
    startClock() {
      giveUpAt = performance.now() + limits.ms;
    },
    allowMore: () =>
      progress.found.size < limits.found &&
      progress.bytes * cost + progress.posts * PER_POST < limits.work &&
      performance.now() < giveUpAt,
    add({ matches, posts, bytes }) {
      progress.statements++;
      progress.posts += posts;
      progress.bytes += bytes;
      for (const match of matches) progress.found.set(match.id, match);
    },
  };
}

/** A statement that reaches its time limit ends a part of the search; any other error ends the request. */
function keepWhatWasFound(error: unknown): void {
  if (!(error instanceof ReadTimeoutError)) throw error;
}
