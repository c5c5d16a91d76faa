// The documentation for language models: a list of pages, and all of their text in one file (see llmstxt.org).
import { addressOf, type Page } from './contents.js';

const markdownOf = ({ slug }: Page) => `${addressOf(slug || 'index')}.md`;

export function llmsText(pages: Page[]): string {
  const [first] = pages as [Page];
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) => {
    const links = pages
      .filter((page) => page.group === group && !page.isUnlisted)
      .map((page) => `- [${page.title}](${markdownOf(page)}): ${page.summary}`);
    return `## ${group}\n\n${links.join('\n')}`;
  });
  return `# Airdate\n\n> ${first.summary}\n\nEverything in one file: [llms-full.txt](/llms-full.txt). The API as data: [openapi.json](/openapi.json).\n\n${groups.join('\n\n')}\n`;
}

export const llmsFullText = (pages: Page[], markdown: (page: Page) => string): string =>
  pages.map((page) => `${markdown(page).trim()}\n`).join('\n---\n\n');
