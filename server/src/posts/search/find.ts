// One search: looks through the newest posts, and asks the index for the rest, until it has found enough or done enough.
import type { Reader } from '../../db/database.js';
import type { Lookup, PostIndex, RunStatement } from '../../db/post-index.js';
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
const AT_ONCE = { sqlite: 96, postgres: 250 };
/** The same if their text may have to be folded, which takes up to 0.7 ms. */
const AT_ONCE_UNFOLDED = { sqlite: 16, postgres: 100 };
const LEAST_AT_ONCE = 8;
/** Postgres asks its index anew for each page. */
const LEAST_PAGE = { sqlite: 0, postgres: 1_000 };

/** What a search has found and done so far. */
export class Progress {
  readonly found = new Map<string, Match>();
  statements = 0;
  posts = 0;
  bytes = 0;
  private readonly limits: Limits;
  private readonly cost: number;
  private readonly giveUpAt: number;

  constructor(limits: Limits, words: readonly string[]) {
    this.limits = limits;
    this.cost = costOf(words);
    this.giveUpAt = performance.now() + limits.ms;
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
  read: Reader;
  run: RunStatement;
  index: PostIndex | null;
  limits: Limits;
}

/** Adds to the progress as it goes: what was found by then is kept if a statement is ended. */
export async function find(
  { read, run, index, limits }: Means,
  query: Query,
  progress: Progress,
): Promise<void> {
  const { engine, wanted, words, isIndexed } = query;
  const atOnce = (isIndexed ? AT_ONCE : AT_ONCE_UNFOLDED)[engine];
  const size = engine === 'sqlite' ? Math.max(LEAST_AT_ONCE, Math.floor(atOnce / costOf(words))) : atOnce;
  const lookup: Lookup = { read, run, orgId: wanted.orgId, words, size };
  const usable = index ? await index.usable(lookup) : words.filter((word) => [...word].length >= 3);
  const canAsk = index !== null && usable.length > 0;

  const depth = usable.length > 0 ? limits.newest : limits.newestWithoutIndex;
  const newest = compareNewest(read, query);
  let place: Place | null = null;
  while (progress.goesOn && progress.posts < depth) {
    const from: Place | null = place;
    const most = Math.min(size, depth - progress.posts);
    const compared: Compared = await run(() => newest(from, most));
    progress.add(compared);
    if (compared.posts < most) return;
    place = compared.last;
    // Too few match to find enough among the newest: the index will be asked in any case, and knows these as well.
    const isRare = progress.found.size * depth < limits.found * progress.posts;
    if (canAsk && isIndexed && isRare && progress.posts >= limits.first) break;
  }

  if (!canAsk || !progress.goesOn) return;
  const among = compareAmong(read, query);
  const page = Math.max(size, LEAST_PAGE[engine]);
  for await (const ids of index.pages({ ...lookup, words: usable, size: page })) {
    // Posts that are not wanted are work as well.
    if (ids.length > 0) progress.add({ ...(await run(() => among(ids))), posts: ids.length });
    if (!progress.goesOn) return;
  }
}
