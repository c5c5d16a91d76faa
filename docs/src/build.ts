// Builds the site into dist/site: every page as HTML and as Markdown, the search index, llms.txt, and each file also packed.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from './contents.js';
import { layout } from './layout.js';
import { llmsFullText, llmsText } from './llms.js';
import { render, withAddresses, withoutMarks } from './markdown.js';
import { allPages, DOWNLOADS, ROOT, resolver } from './pages.js';
import { entriesOf, indexOf } from './search-index.js';

const SITE = fileURLToPath(new URL('site/', import.meta.url));
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const NOT_FOUND: Page = {
  slug: '404',
  title: 'No such page',
  summary: 'This page does not exist.',
  group: '',
  isUnlisted: true,
  markdown: 'There is no page at this address. Search for it, or choose one from the menu.',
};

/** What is too small to gain from it stays as it is. */
const MIN_PACKED = 1024;

function write(path: string, text: string): void {
  const file = join(SITE, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (text.length >= MIN_PACKED) writeFileSync(`${file}.gz`, gzipSync(text));
}

function build(): void {
  rmSync(SITE, { recursive: true, force: true });
  const pages = allPages();
  const resolve = resolver(pages);
  const markdownOf = (page: Page) =>
    `# ${page.title}\n\n${withoutMarks(withAddresses(page.markdown, page.source, resolve)).trim()}\n`;
  const entries = pages.flatMap((page) => {
    const { html, sections } = render(page.markdown, page.source, resolve);
    write(`${page.slug || 'index'}.html`, layout(page, html, pages));
    write(`${page.slug || 'index'}.md`, markdownOf(page));
    return entriesOf(page, sections);
  });
  write('404.html', layout(NOT_FOUND, render(NOT_FOUND.markdown, undefined, resolve).html, pages));
  write('llms.txt', llmsText(pages));
  write('llms-full.txt', llmsFullText(pages, markdownOf));
  write('assets/search-index.json', indexOf(entries));
  copyFiles();
}

function copyFiles(): void {
  const search = createRequire(import.meta.url).resolve('minisearch');
  const files = {
    'assets/styles.css': here('../src/styles.css'),
    'assets/search.js': here('browser/search.js'),
    'assets/copy.js': here('browser/copy.js'),
    'assets/language.js': here('browser/language.js'),
    'assets/query.js': here('browser/query.js'),
    'assets/minisearch.js': join(dirname(search), '../es/index.js'),
    'assets/color-scheme.js': join(ROOT, 'web/public/color-scheme.js'),
    'assets/favicon.svg': join(ROOT, 'web/public/favicon.svg'),
  };
  // The maps that scripts name stay here. A script that runs before the page is drawn is no module.
  for (const [to, from] of Object.entries(files))
    write(to, readFileSync(from, 'utf8').replace(/\n(?:export \{\};\n)?\/\/# sourceMappingURL=.*\n?$/, '\n'));
  for (const folder of ['docs', 'docs/guides'])
    for (const name of readdirSync(join(ROOT, folder)))
      if (DOWNLOADS.test(`${folder}/${name}`) && !/^(package|tsconfig)\.json$/.test(name))
        copyFileSync(join(ROOT, folder, name), join(SITE, name));
}

build();
