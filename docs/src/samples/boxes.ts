// The same request in several languages is one box with a tab for each. Without scripts, the blocks follow one another.
import type { Token, Tokens } from 'marked';
import { LANGUAGES } from './samples.js';

/** What each block of a box becomes: the first opens the box, the last closes it. */
export function boxesOf(tokens: Token[]): Map<Token, (block: string) => string> {
  const made = new Map<Token, (block: string) => string>();
  const blocks = tokens.filter(({ type }) => type !== 'space');
  let count = 0;
  blocks.forEach((token, n) => {
    const language = languageOf(token);
    if (language === null) return;
    const isFirst = languageOf(blocks[n - 1]) === null;
    const isLast = languageOf(blocks[n + 1]) === null;
    if (isFirst) count++;
    const box = `request-${count}`;
    made.set(token, (block) =>
      [
        isFirst && `<div class="request">\n${tabs(box)}\n`,
        `<div role="tabpanel" id="${box}-${language}" aria-labelledby="${box}-${language}-tab" data-shows="${language}">\n${block}</div>\n`,
        isLast && '</div>\n',
      ]
        .filter(Boolean)
        .join(''),
    );
  });
  return made;
}

function languageOf(token: Token | undefined): string | null {
  if (token?.type !== 'code') return null;
  const [, language = null] = /^(\w+) sample$/.exec((token as Tokens.Code).lang ?? '') ?? [];
  return language;
}

function tabs(box: string): string {
  const buttons = Object.entries(LANGUAGES).map(([language, label]) => {
    const id = `${box}-${language}`;
    return `<button type="button" role="tab" id="${id}-tab" aria-controls="${id}" data-language="${language}">${label}</button>`;
  });
  return `<div class="languages" role="tablist" aria-label="Language">${buttons.join('')}</div>`;
}
