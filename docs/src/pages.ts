// All pages of the site: the written ones, the API reference, the errors and the changelog.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ANY_ADDRESS } from '@airdate/server/src/http/own-address.js';
import { Lexer } from 'marked';
import { changelogPages } from './changelog.js';
import { commandsPage } from './commands.js';
import { addressOf, GUIDES, type Page, sourceOf } from './contents.js';
import { errorPages } from './errors.js';
import { plainText, type Resolve } from './markdown.js';
import type { OpenApi } from './open-api.js';
import { referencePages } from './reference.js';
import { withMethods } from './sdk-methods.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function allPages(): Page[] {
  const api: OpenApi = JSON.parse(readFileSync(join(ROOT, 'sdk/openapi.json'), 'utf8'));
  const guides = GUIDES.flatMap(([group, names]) => names.map((name) => guide(group, name)))
    .map((page) => ({ ...page, markdown: withMethods(page.markdown, api) }))
    .flatMap((page) => (page.slug === 'cli' ? [page, commandsPage(page.group)] : [page]));
  const errors = guide('Reference', 'errors');
  const reference = referencePages(api);
  return [...guides, ...reference, ...errorPages(errors), ...changelogPages(guide('Reference', 'changelog'))];
}

/** A written page: its first line is its title, its first paragraph its summary. */
function guide(group: string, name: string): Page {
  const source = sourceOf(name);
  const text = withAnyAddress(group, readFileSync(join(ROOT, source), 'utf8'));
  const [, title, markdown] = /^# (.+)\n+([\s\S]*)$/.exec(text) ?? [];
  if (title === undefined || markdown === undefined) throw new Error(`${source} does not begin with a title`);
  const first = new Lexer().lex(markdown).find(({ type }) => type === 'paragraph');
  const summary = first ? plainText(first).replaceAll(/\s+/g, ' ') : title;
  return { slug: name === 'index' ? '' : name, title, summary, group, markdown, source };
}

/** Programs talk to the installation whose pages these are; the other guides are about one that the reader starts. */
const withAnyAddress = (group: string, text: string): string =>
  group === 'Programs and agents' ? text.replaceAll('http://localhost:3000', ANY_ADDRESS) : text;

/** Links to the sources of pages lead to the pages, and links to files beside them to their copies. */
export function resolver(pages: Page[]): Resolve {
  const slugs = new Map(
    pages.filter(({ isUnlisted }) => !isUnlisted).map(({ source, slug }) => [source, slug]),
  );
  return (file) => {
    const slug = slugs.get(file);
    if (slug !== undefined) return addressOf(slug);
    if (!existsSync(join(ROOT, file))) throw new Error(`a page links to ${file}, which does not exist`);
    return downloadOf(file);
  };
}

/** Files that people download: everything in docs and docs/guides that is not a page. */
export const DOWNLOADS = /^docs\/(?:guides\/)?([\w-]+\.(?:csv|json|py|mjs))$/;

const downloadOf = (file: string): string | null => {
  const name = DOWNLOADS.exec(file)?.[1];
  return name ? addressOf(name) : null;
};
