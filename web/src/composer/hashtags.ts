// Words among the hashtags that are none. Pure.

const WORD = /[^\s,]+/g;
const CAN_BE_ONE = /^[\p{L}\p{M}\p{N}_]/u;

/** Those without #, which viewers cannot tap, each once. */
const wordsWithoutHash = (text: string): string[] => [
  ...new Set((text.match(WORD) ?? []).filter((word) => !word.startsWith('#'))),
];

/** With # before each word that can be a hashtag. */
export const withHashes = (text: string): string =>
  text.replace(WORD, (word) => (CAN_BE_ONE.test(word) ? `#${word}` : word));

/** "“maps” and “tents” have no #, so they won’t be hashtags." Null if there are none. */
export function missingHashText(text: string): string | null {
  const words = wordsWithoutHash(text).map((word) => `“${word}”`);
  if (words.length === 0) return null;
  return `${LIST.format(words)} ${words.length === 1 ? 'has no #, so it won’t be a hashtag' : 'have no #, so they won’t be hashtags'}.`;
}

const LIST = new Intl.ListFormat('en-GB');
