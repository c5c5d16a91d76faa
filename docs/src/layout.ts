// The frame around every page: menu, search, and the page itself. No inline script and no inline style: the content policy allows none.
import { addressOf, type Page, SITE } from './contents.js';
import { escapeHtml } from './markdown.js';

export function layout(page: Page, body: string, pages: Page[]): string {
  const title = page.slug === '' ? 'Airdate documentation' : `${page.title} – Airdate documentation`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" content="#fbfaf8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#14171f" media="(prefers-color-scheme: dark)">
<meta name="description" content="${escapeHtml(page.summary)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${SITE}/assets/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${SITE}/assets/styles.css">
${page.group && `<link rel="alternate" type="text/markdown" href="${addressOf(page.slug || 'index')}.md">`}
<script src="${SITE}/assets/color-scheme.js"></script>
${body.includes('role="tablist"') ? `<script src="${SITE}/assets/language.js"></script>\n` : ''}<script type="module" src="${SITE}/assets/search.js"></script>
<script type="module" src="${SITE}/assets/copy.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${SITE}"><span aria-hidden="true">◆</span> Airdate docs</a>
<form role="search" hidden>
<label class="quiet" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search ( / )" autocomplete="off" spellcheck="false" aria-controls="results">
<p class="quiet" role="status"></p>
<ol id="results" hidden></ol>
</form>
<nav class="out" aria-label="Elsewhere"><a class="menu" href="#menu">Menu</a><a href="${SITE}/console">Console</a><a href="/">Dashboard</a></nav>
</header>
<div class="columns">
<main id="content" tabindex="-1">
<h1>${escapeHtml(page.title)}</h1>
${body}
${footer(page, pages)}
</main>
<nav id="menu" aria-label="Documentation">
${menu(page, pages)}
</nav>
</div>
</body>
</html>
`;
}

function menu(current: Page, pages: Page[]): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return groups
    .map((group) => {
      const items = pages.filter((page) => page.group === group && !page.isUnlisted);
      const links = items.map(({ slug, title }) => {
        const isBelow = current.isUnlisted && slug !== '' && current.slug.startsWith(`${slug}/`);
        const isHere = slug === current.slug || isBelow;
        return `<li><a href="${addressOf(slug)}"${isHere ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
      });
      return `<h2>${group}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
    })
    .join('\n');
}

function footer(current: Page, pages: Page[]): string {
  if (current.group === '') return '';
  const listed = pages.filter(({ isUnlisted }) => !isUnlisted);
  const next = listed[listed.findIndex(({ slug }) => slug === current.slug) + 1];
  const onward =
    next && !current.isUnlisted
      ? `<a class="next" href="${addressOf(next.slug)}">Next: ${escapeHtml(next.title)}</a>`
      : '';
  return `<footer><a href="${addressOf(current.slug || 'index')}.md">This page as Markdown</a>${onward}</footer>`;
}
