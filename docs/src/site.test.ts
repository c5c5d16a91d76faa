// The site as it is built: its links lead somewhere, and its search finds what people ask.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { find, OPTIONS } from './browser/query.js';
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
    assert.ok(own.reduce((sum, name) => sum + packed(name), 0) < 8_000, 'scripts and styles');
    assert.ok(
      packed('assets/search-index.json') < 160_000,
      'the index of the search, loaded when its field is first used',
    );
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

describe('the reference', () => {
  const api = JSON.parse(readFileSync(new URL('../../sdk/openapi.json', import.meta.url), 'utf8'));
  const operations = Object.entries(api.paths as Record<string, Record<string, { tags: string[] }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { tags }]) => ({
        request: `\`${method.toUpperCase()} ${path}\``,
        tag: tags[0] as string,
      })),
  );
  const listed = (text: string) =>
    [...text.matchAll(/^\| \[.+\]\(\S+\) \| (`.+`) \|$/gm)].map(([, one]) => one);

  it('lists every operation on a page of its own', () => {
    assert.ok(operations.length > 80);
    assert.deepEqual(listed(read('api.md')).sort(), operations.map(({ request }) => request).sort());
  });

  it('begins each page that has several operations with their list', () => {
    for (const { name } of api.tags as { name: string }[]) {
      const own = operations.filter(({ tag }) => tag === name).map(({ request }) => request);
      const [start = ''] = read(`api/${name.toLowerCase()}.md`).split('\n## ');
      assert.deepEqual(listed(start), own.length > 1 ? own : [], name);
    }
  });

  it('marks one page of the menu as the current one', () => {
    for (const page of ['api.html', 'api/posts.html', 'commands.html', 'cli.html', 'errors/no_media.html'])
      assert.equal(read(page).match(/aria-current="page"/g)?.length, 1, page);
  });
});

describe('the reference of the command line', () => {
  const page = read('commands.md');
  const helpOf = (name: string) =>
    new RegExp(`^## ${name}\\n\\n\`\`\`text\\n([\\s\\S]*?)\\n\`\`\``, 'm').exec(page)?.[1];

  for (const name of ['airdate', 'airdate login', 'airdate labels', 'airdate posts create', 'airdate export'])
    it(`has the help of ${name} as it is printed`, () => {
      const main = fileURLToPath(new URL('../../cli/dist/main.js', import.meta.url));
      const env = { PATH: process.env.PATH, HOME: '/home/me' };
      const help = execFileSync(process.execPath, [main, ...name.split(' ').slice(1), '--help'], { env });
      const own = String(help)
        .replace(/^Global Options:\n[\s\S]*?\n(?:\n|$)/m, '')
        .replace('/home/me/', '~/');
      assert.equal(helpOf(name), own.trim());
    });

  it('has every command that the help of others names', () => {
    const groups = [...page.matchAll(/^## (airdate.*)$/gm)].map(([, name]) => name as string);
    assert.ok(groups.length > 50);
    for (const group of groups) {
      const [, commands = ''] = /^Commands:\n((?: .*\n?)+)/m.exec(helpOf(group) ?? '') ?? [];
      for (const [, name] of commands.matchAll(/^ {2}([a-z-]+)/gm))
        if (name !== 'help') assert.ok(groups.includes(`${group} ${name}`), `${group} ${name}`);
    }
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
  ['create an API key with fewer scopes', '/docs/api/keys'],
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

/** What people type who know a name, and where it must be among the first hits. */
const NAMES: [question: string, page: string, within: number][] = [
  ['If-Match', '/docs/api-basics', 1],
  ['airdate labels', '/docs/commands#airdate-labels', 1],
  ['airdate posts resolve', '/docs/commands#airdate-posts-resolve', 1],
  ['posts resolve', '/docs/commands#airdate-posts-resolve', 1],
  ['airdate posts create --at', '/docs/commands#airdate-posts-create', 2],
  ['AIRDATE_API_KEY', '/docs/cli', 5],
  ['AIRDATE_API_KEY', '/docs/sdk', 5],
  ['AIRDATE_API_KEY', '/docs/python', 5],
  ['--json', '/docs/cli', 3],
  ['changelog', '/docs/changelog', 1],
  ['listen', '/docs/commands#airdate-listen', 1],
  ['airdate listen', '/docs/commands#airdate-listen', 1],
  ['remove slide', '/docs/uploads', 1],
  ['remove slide', '/docs/api/assets', 5],
  ['delete a slide', '/docs/uploads', 1],
  ['POST /posts', '/docs/api/posts#create-a-draft-or-a-scheduled-post', 1],
  ['POST /api/v1/posts', '/docs/api/posts#create-a-draft-or-a-scheduled-post', 1],
  ['/posts/{id}/publish', '/docs/api/publishing', 1],
  ['GET /posts/:id', '/docs/api/posts#get-a-post', 1],
  ['get started', '/docs/quick-start', 1],
  ['publish-status', '/docs/publishing', 2],
  ['post.published', '/docs/webhooks', 2],
];

describe('the search of the documentation', () => {
  const index = MiniSearch.loadJSON(read('assets/search-index.json'), OPTIONS);
  const idsFor = (question: string, count: number) =>
    find(index, question)
      .slice(0, count)
      .map(({ id }) => id as string);
  const isOn = (page: string) => (id: string) => id === page || id.split('#')[0] === page;

  for (const [question, page] of QUESTIONS)
    it(`answers "${question}" among its first two results`, () => {
      const found = idsFor(question, 2);
      assert.ok(found.some(isOn(page)), `${question}: ${found.join(', ')}`);
    });

  for (const [name, page, within] of NAMES)
    it(`finds ${page} among the first ${within} for "${name}"`, () => {
      const found = idsFor(name, within);
      assert.ok(found.some(isOn(page)), `${name}: ${found.join(', ')}`);
    });

  it('asks for nothing when nothing is asked', () => assert.deepEqual(find(index, ' ?! '), []));
});
