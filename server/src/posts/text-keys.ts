// What texts are sorted and compared by. Both engines compare it byte by byte, so it is made here: their own orders of letters
// disagree.
import { fold } from './text.js';

/** The length of a key, in characters. Titles whose keys are equal are sorted by id. */
const MAX_KEY = 100;

const ACCENTS = /[\u0300-\u036f]/g;

/**
 * What posts are sorted by with `sort=title`: without case and accents. Marks of other scripts stay, because they are vowels there;
 * Hangul is composed again.
 */
export function titleKey(title: string): string {
  const key = fold(title).normalize('NFKD').replace(ACCENTS, '').normalize('NFC').trim();
  return key.length <= MAX_KEY ? key : [...key].slice(0, MAX_KEY).join('');
}

/** Names of labels and snippets that people take for the same have the same key, and are unique by it. */
export const nameKey = (name: string): string => fold(name).trim().replaceAll(/\s+/gu, ' ');
