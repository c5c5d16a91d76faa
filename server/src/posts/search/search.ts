// Search in posts, with bounded work (decision 0021). Organizations take turns, and so does everything else.

import { createCpuThrottle } from '../../core/concurrency.js';
import { type Reader, ReadTimeoutError } from '../../db/database.js';
import type { RunStatement } from '../../db/post-index.js';
import type { App } from '../../request/app.js';
import { postsThatWillFail } from '../attention/will-fail.js';
import type { PostFilter } from '../list/filter.js';
import { compareIn, NEWEST_FIRST, orderOf } from '../list/orders.js';
import type { ListPosts } from '../list/schema.js';
import { isOlder, type Match } from './compare.js';
import { type Limits, Progress, runSearch } from './find.js';

export const LIMITS: Limits = {
  found: 1_000,
  newest: 10_000,
  newestWithoutIndex: 2_000,
  first: 1_000,
  work: 12_000_000,
  ms: 1_000,
  statementMs: 500,
};

const MS_PER_TURN = 2;

/** The posts that contain all words, in the order of the list. */
export async function searchPosts(
  app: App,
  filter: PostFilter,
  input: ListPosts,
  words: readonly string[],
  limits: Limits = LIMITS,
): Promise<{ matches: Match[]; progress: Progress }> {
  const { db, postIndex } = app;
  const { engine } = db;
  const { orgId } = filter;
  const run = engine === 'sqlite' ? app.searchThrottle : runImmediately;
  const briefly = <T>(work: (read: Reader) => Promise<T>) => db.readWithTimeout(limits.statementMs, work);
  const progress = new Progress(limits, words);
  const searching = app.queues.longReads(orgId, async () => {
    const found = input.needs_attention ? await run(() => postsThatWillFail(app, db.read, orgId)) : [];
    const failing = found.map(({ post }) => post.id);
    const query = { engine, filter, input, words, failing };
    await runSearch({ briefly, run, index: postIndex, limits }, query, progress);
  });
  await searching.catch((error) => {
    // At the time limit the answer is what was found.
    if (!(error instanceof ReadTimeoutError)) throw error;
  });
  const matches = [...progress.found.values()].sort(newestFirst).slice(0, limits.found);
  const order = orderOf(input);
  if (order !== NEWEST_FIRST) matches.sort(compareIn(order));
  return { matches, progress };
}

const newestFirst = (a: Match, b: Match) => (isOlder(a, b) ? 1 : -1);

/** On SQLite: one statement at a time of all searches, and after a few milliseconds whatever else waits to be served. */
export const createSearchThrottle = (): RunStatement => createCpuThrottle(MS_PER_TURN);

/** Postgres runs them elsewhere. */
const runImmediately: RunStatement = (statement) => statement();
