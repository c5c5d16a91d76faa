// The library of an organization with ten thousand posts: as correct, and as fast, as with ten. The times are reported and
// not asserted, because they depend on the machine.
import assert from 'node:assert/strict';
import { before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { scenery } from '../support/browser/sample-images.js';
import { addManyPosts, type KnownPost } from '../support/databases/many-posts.js';
import { type Organization, useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

const ALL = 10_000;
const PAGE = 42;
const number = new Intl.NumberFormat('en');

describe('a library of 10,000 posts', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  const accounts = { field: '', harbour: '' };
  let org: Organization;
  let posts: KnownPost[];
  let active: KnownPost[];

  before(async () => {
    org = await service.newOrganization({ plan: 'agency' });
    accounts.field = await org.connectAccount('field.notes');
    accounts.harbour = await org.connectAccount('harbour.notes');
    posts = await addManyPosts(service.app, org.id, Object.values(accounts), {
      posts: ALL,
      withFiles: 400,
      thumbnail: await sharp(await scenery(1, 1))
        .resize(360, 640)
        .webp()
        .toBuffer(),
    });
    active = posts.filter(({ status }) => status !== 'archived');
  });

  const inLibrary = async (test: TestContext, work: (library: Shown) => Promise<void>) =>
    inTab(await openAs(browser, service, org), async (page) => {
      const watched = await watch(page);
      await visit(page, '/library', 'Library');
      const library = seen(page);
      await library.shows(active, 1);
      await watched.begin();
      await work(library);
      const { mostCards, ...costs } = await watched.end();
      for (const [what, figures] of Object.entries(costs)) test.diagnostic(`${what}: ${figures}`);
      assert.equal(mostCards, PAGE, 'so many posts were in the page at once');
    });

  it('is paged through to the last page, and scrolled', async (test) => {
    await inLibrary(test, async ({ page, shows, turnTo }) => {
      await scrollThrough(page);
      for (const next of [2, 3, 4]) {
        await turnTo(next);
        await shows(active, next);
        await scrollThrough(page);
      }
      const last = Math.ceil(active.length / PAGE);
      await turnTo(last);
      await shows(active, last);
      await page.goBack();
      await shows(active, 4);
      await page.getByRole('button', { name: 'Show as table' }).click();
      await page.getByRole('table', { name: 'Posts' }).waitFor();
      await shows(active, 4);
      await scrollThrough(page);
      await turnTo(5);
      await shows(active, 5);
    });
  });

  it('is filtered by status, type and account, and by all of them together', async (test) => {
    await inLibrary(test, async ({ shows, tab, choose }) => {
      for (const [name, status] of [
        ['Drafts', 'draft'],
        ['Posted', 'posted'],
        ['Archived', 'archived'],
      ] as const) {
        await tab(name);
        await shows(
          posts.filter((post) => post.status === status),
          1,
        );
      }
      await tab('Scheduled');
      // The next slot comes first, and those posts were created last.
      const scheduled = posts.filter(({ status }) => status === 'scheduled');
      await shows(scheduled, 1);
      await choose('Type', 'Video');
      const videos = scheduled.filter(({ type }) => type === 'video');
      await shows(videos, 1);
      await choose('Account', 'field.notes');
      const ofField = videos.filter(({ accountId }) => accountId === accounts.field);
      await shows(ofField, 1);
      await tab('Active');
      const isOfField = ({ type, accountId }: KnownPost) => type === 'video' && accountId === accounts.field;
      await shows(active.filter(isOfField), 1);
      // Choosing the same filter again clears it.
      await choose('Type', 'Video');
      await shows(
        active.filter(({ accountId }) => accountId === accounts.field),
        1,
      );
    });
  });

  it('is searched by words, among all posts and among those of a filter', async (test) => {
    await inLibrary(test, async ({ page, shows, tab, turnTo }) => {
      const box = page.getByRole('searchbox', { name: 'Search title, caption and hashtags' });
      const isOfHarbours = ({ title }: KnownPost) => title.endsWith('harbours');
      await box.pressSequentially('HARBOURS', { delay: 20 });
      // A search finds 1,000 posts.
      const found = active.filter(isOfHarbours).slice(0, 1_000);
      await shows(found, 1);
      await turnTo(2);
      await shows(found, 2);
      await tab('Drafts');
      await shows(
        posts.filter((post) => post.status === 'draft' && isOfHarbours(post)),
        1,
      );
      await tab('Active');
      // The oldest post is found as easily as the newest.
      const oldest = active.at(-1) as KnownPost;
      await box.fill(oldest.title);
      await shows([oldest], 1);
      await box.fill('');
      await shows(active, 1);
    });
  });

  it('selects, archives and restores whole pages', async (test) => {
    await inLibrary(test, async ({ page, shows, turnTo }) => {
      const bar = page.getByRole('region', { name: 'Selected posts' });
      await page.getByRole('checkbox', { name: `Select ${active[0]?.title}`, exact: true }).check();
      await bar.getByText('1 selected', { exact: true }).waitFor();
      for (const count of [1, 2]) {
        await turnTo(count);
        await shows(active, count);
        await bar.getByRole('button', { name: 'Select all on this page' }).click();
        await bar.getByText(`${count * PAGE} selected`, { exact: true }).waitFor();
        assert.equal(await page.getByRole('checkbox', { checked: true }).count(), PAGE);
      }
      await turnTo(1);
      await bar.getByRole('button', { name: 'Archive', exact: true }).click();
      await shows(active.slice(2 * PAGE), 1);
      // The notice disappears by itself, but not while the pointer is on it.
      await page.getByText(new RegExp(`^${2 * PAGE} posts archived, and \\d+ unscheduled\\.`)).hover();
      const { total } = (await org.call('GET', '/api/v1/posts?status=archived')).json.pagination;
      assert.equal(total, ALL - active.length + 2 * PAGE);
      await page.getByRole('button', { name: 'Undo' }).click();
      await shows(active, 1);
    });
  });
});

type Shown = ReturnType<typeof seen>;

/** What a user does in the library, and what they see. */
function seen(page: Page) {
  const results = page.getByRole('region', { name: 'Results' });
  const pages = page.getByRole('navigation', { name: 'Pages' });
  return {
    page,
    /** Waits until this page shows these posts: their number, and each of them in its place. */
    async shows(found: KnownPost[], at: number): Promise<void> {
      const [first, last] = [(at - 1) * PAGE, Math.min(at * PAGE, found.length)];
      const total = `${number.format(found.length)} ${found.length === 1 ? 'post' : 'posts'}`;
      const range = `${number.format(first + 1)}–${number.format(last)} of `;
      await pages.getByText(found.length > PAGE ? range + total : total, { exact: true }).waitFor();
      const wanted = found.slice(first, last).map(({ title }) => title);
      // The previous list may still be shown when the number is already right.
      await page.waitForFunction((titles) => {
        const shown = [...document.querySelectorAll('main [data-open]')].map((link) => link.textContent);
        return shown.join('\n') === titles;
      }, wanted.join('\n'));
      assert.equal(await results.locator('[data-post]').count(), wanted.length);
    },
    turnTo: (to: number) => pages.getByRole('button', { name: `Page ${to}`, exact: true }).click(),
    tab: (name: string) =>
      page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name, exact: true }).click(),
    async choose(what: string, value: string): Promise<void> {
      await page.getByRole('combobox', { name: what, exact: true }).click();
      await page.getByRole('option', { name: value, exact: true }).click();
    },
  };
}

/** With the mouse wheel, from the top to the end. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo({ top: 0 }));
  await page.mouse.move(700, 500);
  const isAtEnd = () =>
    page.evaluate(() => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2);
  for (let rounds = 0; !(await isAtEnd()); rounds++) {
    assert.ok(rounds < 500, 'the page has no end');
    await page.mouse.wheel(0, 400);
  }
}

interface Costs {
  mostCards: number;
  tasks: number[];
}

/** Counts the posts in the page at every change, and records its long tasks. */
async function watch(page: Page) {
  await page.addInitScript(() => {
    const costs: Costs = { mostCards: 0, tasks: [] };
    Object.assign(window, { costs });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) costs.tasks.push(duration);
    }).observe({ type: 'longtask' });
    new MutationObserver(() => {
      costs.mostCards = Math.max(costs.mostCards, document.querySelectorAll('[data-post]').length);
    }).observe(document, { childList: true, subtree: true });
  });
  const lists: number[] = [];
  page.on('requestfinished', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === '/api/v1/posts' && search.includes(`per_page=${PAGE}`))
      lists.push(request.timing().responseEnd);
  });
  const costs = () => page.evaluate(() => (window as unknown as { costs: Costs }).costs);
  return {
    /** Discards the figures of the first load. */
    async begin() {
      lists.length = 0;
      await page.evaluate(() => {
        (window as unknown as { costs: Costs }).costs.tasks.length = 0;
      });
    },
    async end() {
      const { mostCards, tasks } = await costs();
      return { mostCards, 'tasks over 50 ms': inWords(tasks), 'lists asked for': inWords(lists) };
    },
  };
}

function inWords(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)} ms`;
  return `${sorted.length}, median ${at(0.5)}, longest ${at(1)}`;
}
