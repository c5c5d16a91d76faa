// Search with bounded work: the newest posts are looked through, and the index is asked for the rest (decision 0021).
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '../../api/app.js';
import { type Reader, ReadTooLong } from '../../db/database.js';
import type { Lookup, Turn } from '../../db/post-index.js';
import { atMost, fairly } from '../../ground/concurrency.js';
import { unavailable } from '../../ground/problems.js';
import type { Place, Wanted } from '../list/index-scans.js';
import type { ListPosts } from '../schema.js';
import { isIndexed } from './indexing.js';
import { isOlder, type Looked, lookAmong, lookBehind, type Match, type Query } from './look.js';

export interface Limits {
  /** How many posts a search finds, and how far its total counts. */
  found: number;
  /** How many of the newest posts are looked through. */
  newest: number;
  /** The same if no word can be looked up in the index. */
  newestWithoutIndex: number;
  /** So many are looked through in any case. */
  first: number;
  /** The units of work for one search: the bytes of text compared with a word, and LOOK for each post. */
  work: number;
  /** How long one search takes, and one of its statements on Postgres. */
  ms: number;
  statementMs: number;
}

export const LIMITS: Limits = {
  found: 1_000,
  newest: 10_000,
  newestWithoutIndex: 2_000,
  first: 1_000,
  work: 12_000_000,
  ms: 1_000,
  statementMs: 500,
};

/** Finding a post's text takes as long as comparing so many bytes. */
const LOOK = 400;

/** How many posts one statement looks at. On SQLite no other request is served meanwhile. */
const AT_ONCE = { sqlite: 96, postgres: 1_000 };
/** The same if their text may have to be folded, which takes up to 0.7 ms. */
const AT_ONCE_UNFOLDED = { sqlite: 16, postgres: 128 };

/** Of one organization; searches of different ones take turns. */
const AT_ONCE_PER_ORGANIZATION = 1;
const MOST_AT_ONCE = 4;
const MOST_WAITING = 32;

export interface Spent {
  statements: number;
  posts: number;
  bytes: number;
}

/** The ids of the posts that contain all words, in the order of the list. */
export async function searchPosts(
  app: App,
  wanted: Wanted,
  input: ListPosts,
  words: readonly string[],
  limits: Limits = LIMITS,
): Promise<{ ids: string[]; spent: Spent }> {
  const spent: Spent = { statements: 0, posts: 0, bytes: 0 };
  const found = new Map<string, Match>();
  const turn =
    app.db.engine === 'sqlite' ? app.perProcess(turns) : <T>(statement: () => Promise<T>) => statement();
  const searching = lanesOf(app)(wanted.orgId, () =>
    app.db.readBriefly(limits.statementMs, (read) =>
      find({ app, read, turn, wanted, input, words, limits, found, spent }),
    ),
  );
  if (searching === null)
    throw unavailable('Too many searches of your organization are waiting. Try again in a moment.');
  await searching.catch((error) => {
    // At the time limit the answer is what was found.
    if (!(error instanceof ReadTooLong)) throw error;
  });
  const matches = [...found.values()].sort(byNewest).slice(0, limits.found);
  if (input.sort === 'scheduled_at') matches.sort(nextSlotFirst);
  return { ids: matches.map(({ id }) => id), spent };
}

const byNewest = (a: Match, b: Match) => (isOlder(a, b) ? 1 : -1);

const nextSlotFirst = (a: Match, b: Match) =>
  (a.scheduled_at ?? Number.MAX_VALUE) - (b.scheduled_at ?? Number.MAX_VALUE) || (a.id < b.id ? -1 : 1);

/** Each search holds one connection, and at least half of the pool is left to everything else. */
function lanesOf({ config, perProcess }: App) {
  const most = Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(config.databasePoolSize / 2)));
  return perProcess(lanes)(most);
}

function lanes() {
  let made: ReturnType<typeof fairly> | undefined;
  return (most: number) => {
    made ??= fairly({ most, perKey: AT_ONCE_PER_ORGANIZATION, waiting: MOST_WAITING });
    return made;
  };
}

/** On SQLite: one statement of all searches, then whatever else waits to be served. */
function turns(): Turn {
  const one = atMost(1);
  return (statement) =>
    one(async () => {
      const result = await statement();
      await nextTurn();
      return result;
    });
}

interface Search {
  app: App;
  read: Reader;
  turn: Turn;
  wanted: Wanted;
  input: ListPosts;
  words: readonly string[];
  limits: Limits;
  /** What was found so far. */
  found: Map<string, Match>;
  spent: Spent;
}

async function find(search: Search): Promise<void> {
  const { app, read, turn, wanted, words, limits, found, spent } = search;
  const { engine } = app.db;
  const giveUpAt = performance.now() + limits.ms;
  const cost = costOf(words);
  const query: Query = {
    engine,
    wanted,
    input: search.input,
    words,
    isIndexed: await isIndexed(read, wanted.orgId),
  };
  const atOnce = (query.isIndexed ? AT_ONCE : AT_ONCE_UNFOLDED)[engine];
  const size = engine === 'sqlite' ? Math.max(8, Math.floor(atOnce / cost)) : atOnce;
  const lookup: Lookup = { read, turn, orgId: wanted.orgId, words, size };
  const index = app.postIndex;
  const usable = index ? await index.usable(lookup) : words.filter((word) => [...word].length >= 3);

  const goesOn = () =>
    found.size < limits.found &&
    spent.bytes * cost + spent.posts * LOOK < limits.work &&
    performance.now() < giveUpAt;
  const keep = ({ matches, posts, bytes }: Looked) => {
    spent.statements++;
    spent.posts += posts;
    spent.bytes += bytes;
    for (const match of matches) found.set(match.id, match);
  };

  const depth = usable.length > 0 ? limits.newest : limits.newestWithoutIndex;
  const newest = lookBehind(read, query);
  let place: Place | null = null;
  while (goesOn() && spent.posts < depth) {
    const most = Math.min(size, depth - spent.posts);
    const from: Place | null = place;
    const looked: Looked = await turn(() => newest(from, most));
    keep(looked);
    if (looked.posts < most) return;
    place = looked.last;
    const isRare = found.size * depth < limits.found * spent.posts;
    if (index && query.isIndexed && usable.length > 0 && spent.posts >= limits.first && isRare) break;
  }

  if (!index || usable.length === 0 || !goesOn()) return;
  const among = lookAmong(read, query);
  for await (const ids of index.pages({ ...lookup, words: usable })) {
    if (ids.length === 0 || !goesOn()) return;
    keep(await turn(() => among(ids)));
  }
}

/** Comparing takes longer with more words and with longer ones: as many times as with one word of ordinary length. */
const costOf = (words: readonly string[]) => Math.max(words.length, Math.ceil(words.join('').length / 50));
