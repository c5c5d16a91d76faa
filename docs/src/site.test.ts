// The site as it is built: its links lead somewhere, and its search finds what people ask.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { weightOf, wordsOf } from './browser/query.js';
import { GUIDES, sourceOf } from './contents.js';

const SITE = fileURLToPath(new URL('site/', import.meta.url));
const files = (readdirSync(SITE, { recursive: true }) as string[]).filter((name) => !name.endsWith('.gz'));
const pages = files.filter((name) => name.endsWith('.html'));
const read = (name: string) => readFileSync(join(SITE, name), 'utf8');

/** What the product serves beside the documentation. */
const ELSEWHERE = ['/', '/docs/console', '/llms.txt', '/llms-full.txt', '/openapi.json'];

/** The file behind an address below /docs. */
function fileOf(path: string): string {
  const name = path.replace(/^\/docs\/?/, '') || 'index';
  return /\.\w+$/.test(name) ? name : `${name}.html`;
}

const anchorsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

function brokenLinks(page: string): string[] {
  const html = read(page);
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      if (ELSEWHERE.includes(path)) return false;
      const file = path === '' ? page : fileOf(path);
      return !files.includes(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
    });
}

describe('the documentation', () => {
  it('has no broken link', () => {
    assert.ok(pages.length > 80, `${pages.length} pages`);
    const broken = pages.flatMap((page) => brokenLinks(page).map((target) => `${page}: ${target}`));
    assert.deepEqual(broken, []);
  });

  it('has no broken link in its Markdown', () => {
    const broken = files
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => {
        const prose = read(name).replaceAll(/^```[\s\S]*?^```$/gm, '');
        return [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
          .map(([, target]) => target as string)
          .filter((target) => !/^https?:/.test(target) && !ELSEWHERE.includes(target))
          .filter((target) => !files.includes(fileOf(target)))
          .map((target) => `${name}: ${target}`);
      });
    assert.deepEqual(broken, []);
  });

  it('has every page also as Markdown, and every guide in the menu', () => {
    const bare = pages.filter((page) => page !== '404.html' && !files.includes(page.replace(/html$/, 'md')));
    assert.deepEqual(bare, []);
    const listed = [...GUIDES.flatMap(([, names]) => names), 'errors'].map(sourceOf);
    const written = readdirSync(new URL('../guides', import.meta.url)).filter((name) => name.endsWith('.md'));
    for (const name of written) assert.ok(listed.includes(`docs/guides/${name}`), `${name} is in no menu`);
  });

  it('has nothing inline that the content policy forbids', () => {
    const inline = pages.filter((page) => /<script(?![^>]* src=)|<style| style="| on\w+="/.test(read(page)));
    assert.deepEqual(inline, []);
  });

  it('loads little: its scripts and styles without the search library, and each page', () => {
    const packed = (name: string) => gzipSync(read(name)).length;
    const own = files.filter((name) => /^assets\/.+\.(js|css)$/.test(name) && !name.includes('minisearch'));
    assert.ok(own.reduce((sum, name) => sum + packed(name), 0) < 7_000, 'scripts and styles');
    assert.ok(packed('assets/search-index.json') < 100_000, 'the index of the search');
    const heavy = pages.filter((page) => page.startsWith('api/') && packed(page) > 20_000);
    assert.deepEqual(heavy, []);
  });

  it('has every entry of the changelog on the page of its audience', () => {
    const entriesIn = (text: string) => [...text.matchAll(/^- .*/gm)].length;
    const whole = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
    const audiences = ['api', 'dashboard', 'operators'].map((name) => read(`changelog/${name}.md`));
    assert.ok(audiences.every((page) => entriesIn(page) > 5));
    assert.equal(
      audiences.reduce((sum, page) => sum + entriesIn(page), 0),
      entriesIn(whole),
    );
  });

  it('is complete for language models', () => {
    const links = [...read('llms.txt').matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(
      ([, target]) => target as string,
    );
    assert.ok(links.length > 30);
    for (const link of links) assert.ok(existsSync(join(SITE, fileOf(link))), link);
    const full = read('llms-full.txt');
    for (const text of ['# Quick start', 'POST /api/v1/posts/{id}/publish', '# no_media'])
      assert.ok(full.includes(text), text);
  });
});

/** The commonest questions, and the page that answers each. */
const QUESTIONS: [question: string, page: string][] = [
  ['How do I publish a post?', '/docs/publishing'],
  ['How do I schedule a post in my time zone?', '/docs/scheduling'],
  ['Why was my post not published?', '/docs/publishing'],
  ['How do I upload a large video?', '/docs/uploads'],
  ['What does outcome unknown mean?', '/docs/unknown-outcomes'],
  ['How do I connect a TikTok account?', '/docs/connect'],
  ['verify webhook signature', '/docs/webhooks'],
  ['create an API key with fewer scopes', '/docs/api-basics'],
  ['How do I run it on Postgres?', '/docs/self-hosting'],
  ['restore a backup', '/docs/backup'],
  ['reconnect_required', '/docs/errors/reconnect_required'],
  ['Idempotency-Key', '/docs/idempotency'],
  ['unaudited_client_can_only_post_to_private_accounts', '/docs/connect'],
  ['import csv', '/docs/import'],
  ['mcp', '/docs/agents'],
  ['retry', '/docs/scheduling'],
  ['delete a post', '/docs/publishing'],
  ['change the port', '/docs/configuration'],
  ['cancel a scheduled post', '/docs/scheduling'],
  ['How do I log in to the dashboard?', '/docs/people'],
  ['forgot password', '/docs/people'],
  ['list all posts', '/docs/pagination'],
  ['pagination cursor', '/docs/pagination'],
  ['rate limit', '/docs/rate-limits'],
  ['429', '/docs/testing'],
  ['authentication', '/docs/api-basics'],
  ['SSE', '/docs/webhooks'],
  ['swagger', '/docs/api-basics'],
  ['mock server', '/docs/testing'],
  ['test a scheduled post', '/docs/testing'],
  ['simulate a failure in the sandbox', '/docs/testing'],
  ['test with the sandbox', '/docs/testing'],
  ['install sdk', '/docs/sdk'],
  ['install the command line', '/docs/cli'],
  ['edit a published post', '/docs/publishing'],
  ['docker', '/docs/self-hosting'],
  ['upgrade', '/docs/self-hosting'],
  ['reverse proxy', '/docs/self-hosting'],
  ['webhook body', '/docs/webhooks'],
  ['webhook payload', '/docs/webhooks'],
];

describe('the search of the documentation', () => {
  const { index, options } = JSON.parse(read('assets/search-index.json'));
  const search = MiniSearch.loadJS(index, options);
  for (const [question, page] of QUESTIONS)
    it(`answers "${question}" among its first two results`, () => {
      const found = search.search(wordsOf(question), { boostDocument: weightOf }).slice(0, 2);
      assert.ok(
        found.some(({ id }) => id.split('#')[0] === page),
        `${question}: ${found.map(({ id }) => id).join(', ')}`,
      );
    });
});
