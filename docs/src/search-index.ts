// The search index: one entry per section, built here and loaded by the browser with the options that built it.
import MiniSearch from 'minisearch';
import { addressOf, type Page } from './contents.js';
import type { Section } from './markdown.js';

const OPTIONS = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['page', 'heading', 'start'],
  searchOptions: { boost: { page: 3, heading: 4 }, prefix: true, fuzzy: 0.15 },
};

export interface Entry {
  id: string;
  page: string;
  heading: string;
  text: string;
  start: string;
}

const START = 120;

export const entriesOf = ({ slug, title }: Page, sections: Section[]): Entry[] =>
  sections.map(({ anchor, heading, text }) => {
    const words = text.replaceAll(/\s+/g, ' ').trim();
    return {
      id: addressOf(slug) + (anchor && `#${anchor}`),
      page: title,
      heading,
      text: words,
      start: words.length > START ? `${words.slice(0, words.lastIndexOf(' ', START))} …` : words,
    };
  });

export function indexOf(entries: Entry[]): string {
  const index = new MiniSearch<Entry>(OPTIONS);
  index.addAll(entries);
  return JSON.stringify({ options: OPTIONS, index });
}
