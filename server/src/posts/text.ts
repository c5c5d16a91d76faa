// The searched text of a post and the words of a query, folded alike. Folding happens here because the engines disagree about
// upper and lower case outside ASCII.

import { invalid } from '../core/problems.js';
import type { PostRow } from '../db/tables.js';

/**
 * The longest text, in characters: title, caption and hashtags fit. Some characters fold to several (U+2057 to four, U+FDFA to
 * eighteen), so the text is cut after folding.
 */
const MAX_TEXT = 3_300;

export const MAX_QUERY = 100;
export const MAX_WORDS = 8;

/** A word never matches across the end of a field: words contain no line break. */
export function foldForSearch({
  title,
  caption,
  hashtags,
}: Pick<PostRow, 'title' | 'caption' | 'hashtags'>): string {
  const text = fold([title, caption ?? '', hashtags ?? ''].join('\n').trimEnd());
  return text.length <= MAX_TEXT ? text : cut(text);
}

/** The words of a query, each once. None: it consists of spaces. */
export function splitWords(q: string): string[] {
  const words = [...new Set(split(fold(q)))];
  if (split(q).length > MAX_WORDS || words.length > MAX_WORDS)
    throw invalid([{ pointer: '/q', message: `must have at most ${MAX_WORDS} words` }]);
  return words;
}

const split = (text: string) => text.split(/\s+/u).filter((word) => word !== '');

/** Normalizing sorts the marks of a letter in quadratic time: 3,200 take 10 ms, and no language has more than a few. */
const LONG_RUN_OF_MARKS = /(\p{M}{1,30})\p{M}*/gu;

const IS_ASCII = /^[\0-\x7f]*$/;

/**
 * By way of upper case, so that ß is found as ss and the dotless ı as i (first to lower case, for the capital ẞ); the dot of İ is
 * left out. A final sigma has its own lower-case form, which would not match inside a longer word.
 */
export const fold = (text: string) =>
  IS_ASCII.test(text)
    ? text.toLowerCase()
    : text
        .replace(LONG_RUN_OF_MARKS, '$1')
        .normalize('NFKC')
        .toLowerCase()
        .toUpperCase()
        .toLowerCase()
        .normalize('NFKC')
        .replaceAll('ς', 'σ')
        .replaceAll('i\u0307', 'i');

function cut(text: string): string {
  let end = 0;
  for (let n = 0; n < MAX_TEXT && end < text.length; n++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
