// The index of the posts' text: which posts may contain some words. Each engine has its own; what it finds is compared with the
// text (see posts/list/search.ts).
import type { Reader } from './database.js';

/** Runs one statement of a search, when it is its turn. */
export type RunStatement = <T>(statement: () => Promise<T>) => Promise<T>;

export interface Lookup {
  read: Reader;
  run: RunStatement;
  orgId: string;
  words: readonly string[];
  /** How many posts one page has, and one statement looks at. */
  size: number;
}

export interface PostSearchIndex {
  /** The words that it can look up: those with a trigram. */
  searchableWords(lookup: Lookup): Promise<string[]>;
  /** Pages of ids of posts that may contain all words, which must be usable: newest first, as far as it knows. One may be empty. */
  pages(lookup: Lookup): AsyncIterable<string[]>;
}
