// The search index: one entry per section, built here and loaded by the browser with the options that built it.
import MiniSearch from 'minisearch';
import { type Entry, OPTIONS, spelled } from './browser/query.js';
import { addressOf, type Page } from './contents.js';
import type { Section } from './markdown.js';

const START = 120;

export const entriesOf = ({ slug, title }: Page, sections: Section[]): Entry[] =>
  sections.map(({ anchor, heading, text }) => {
    const words = text.replaceAll(/\s+/g, ' ').trim();
    const [request] = slug.startsWith('api/') ? (/^[A-Z]+ \/\S+/.exec(words) ?? []) : [];
    return {
      id: addressOf(slug) + (anchor && `#${anchor}`),
      page: title,
      heading,
      text: words,
      start: words.length > START ? `${words.slice(0, words.lastIndexOf(' ', START))} …` : words,
      ...(request === undefined ? {} : { request: spelled(request) }),
    };
  });

export function indexOf(entries: Entry[]): string {
  const index = new MiniSearch<Entry>(OPTIONS);
  index.addAll(entries);
  return JSON.stringify(index);
}
