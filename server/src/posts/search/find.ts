// One search: looks through the newest posts, and asks the index for the rest, until it has found enough or done enough.
import { type Reader, ReadTooLong } from '../../db/database.js';
import type { PostIndex, RunStatement } from '../../db/post-index.js';
import type { Place } from '../list/index-scans.js';
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
/** The same if their text may have to be folded, which takes up to 0.7 ms. */
const BATCH_UNFOLDED = { sqlite: 16, postgres: 100 };
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

  add({ matches, posts, bytes }: Compared): void {
    this.statements++;
    this.posts += posts;
    this.bytes += bytes;
    for (const match of matches) this.found.set(match.id, match);
  }

  get goesOn(): boolean {
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

interface Means {
  /** On Postgres each statement of the work has a time limit; ReadTooLong ends the work. */
  briefly: <T>(work: (read: Reader) => Promise<T>) => Promise<T>;
  run: RunStatement;
  index: PostIndex | null;
  limits: Limits;
}

/** How far the newest posts have been looked through. */
interface Walk {
  place: Place | null;
  posts: number;
  most: number;
  isAtEnd: boolean;
}

/** Adds to the progress as it goes: what was found by then is kept if a statement is ended. */
export async function find(means: Means, query: Query, progress: Progress): Promise<void> {
  const { briefly, run, index, limits } = means;
  const { filter, words, isIndexed } = query;
  const size = sizeOf(query);
  const walk: Walk = { place: null, posts: 0, most: limits.newest, isAtEnd: false };

  const usable = await briefly(async (read) => {
    progress.begin();
    const known = index
      ? await index.usable({ read, run, orgId: filter.orgId, words, size })
      : words.filter((word) => [...word].length >= 3);
    if (known.length === 0) walk.most = limits.newestWithoutIndex;
    const canAsk = index !== null && isIndexed && known.length > 0;
    await lookThrough(read, means, query, progress, walk, () => {
      // Too few match to find enough among the newest: the index will be asked in any case, and knows these as well.
      const isRare = progress.found.size * walk.most < limits.found * walk.posts;
      return canAsk && isRare && walk.posts >= limits.first;
    });
    return known;
  });
  if (index === null || usable.length === 0 || walk.isAtEnd || !progress.goesOn) return;

  try {
    await briefly(async (read) => {
      const among = compareAmong(read, query);
      const page = Math.max(size, MIN_PAGE[query.engine]);
      for await (const ids of index.pages({ read, run, orgId: filter.orgId, words: usable, size: page })) {
        // Posts that are not wanted are work as well.
        if (ids.length > 0) progress.add({ ...(await run(() => among(ids))), posts: ids.length });
        if (!progress.goesOn) return;
      }
    });
  } catch (error) {
    if (!(error instanceof ReadTooLong)) throw error;
    // Every word is in so many posts that the index takes too long: the rest of the newest is looked through after all.
    await briefly((read) => lookThrough(read, means, query, progress, walk, () => false));
  }
}

function sizeOf({ engine, words, isIndexed }: Query): number {
  const most = (isIndexed ? BATCH : BATCH_UNFOLDED)[engine];
  return engine === 'sqlite' ? Math.max(MIN_BATCH, Math.floor(most / costOf(words))) : most;
}

async function lookThrough(
  read: Reader,
  { run }: Means,
  query: Query,
  progress: Progress,
  walk: Walk,
  isEnough: () => boolean,
): Promise<void> {
  const newest = compareNewest(read, query);
  while (!walk.isAtEnd && progress.goesOn && walk.posts < walk.most) {
    const { place } = walk;
    const most = Math.min(sizeOf(query), walk.most - walk.posts);
    const compared = await run(() => newest(place, most));
    progress.add(compared);
    walk.posts += compared.posts;
    walk.place = compared.last;
    walk.isAtEnd = compared.posts < most;
    if (isEnough()) return;
  }
}
