// Every screen, in light and in dark, as people with screen readers and people with slow lines get it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { type Organization, useService } from '../harness.js';
import { useBrowser } from './browser.js';
import {
  aPostWithSlide,
  book,
  control,
  DAY_MS,
  inTab,
  OBEDIENT,
  openAs,
  publishUntil,
  visit,
} from './people-in-tabs.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MOST_SCRIPT_BYTES = 250 * 1024;

/** What axe answers, as far as it is looked at. */
interface Findings {
  passes: { id: string }[];
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

interface Screen {
  name: string;
  path(): string;
  /** Waits until all of it is there. */
  ready(page: Page): Promise<unknown>;
  /** Nobody is signed in. */
  isOutside?: boolean;
  /** In the organization that has nothing yet. */
  isEmpty?: boolean;
}

describe('accessibility', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  const posts = { draft: '', scheduled: '', posted: '', failed: '' };
  let full: Organization;
  let empty: Organization;

  before(async () => {
    full = await service.newOrganization({ name: 'Field Notes', plan: 'growth' });
    empty = await service.newOrganization({ name: 'Blank Page', plan: 'growth' });
    const accountId = await full.connectAccount('field.notes');
    for (const state of ['draft', 'scheduled', 'posted', 'failed'] as const)
      posts[state] = await aPostWithSlide(full, `A ${state} post`, accountId);
    await book(full, posts.scheduled, accountId, service.clock.now() + DAY_MS);
    await publishUntil(full, posts.posted, accountId, 'published');
    await control(service, 'outcomes', { status: 'FAILED', fail_reason: 'picture_size_check_failed' });
    await publishUntil(full, posts.failed, accountId, 'failed');
  });

  const form = (page: Page) => page.getByLabel('Email').waitFor();
  const text = (words: string) => (page: Page) => page.getByText(words).first().waitFor();
  const postPage = (state: keyof typeof posts, badge: string): Screen => ({
    name: `the page of a ${state} post`,
    path: () => `/posts/${posts[state]}`,
    async ready(page) {
      await page.getByRole('region', { name: 'Status' }).getByText(badge, { exact: true }).waitFor();
      await page.getByRole('heading', { name: /^Attempts/ }).waitFor();
      await page.getByRole('button', { name: 'More actions' }).waitFor();
    },
  });
  const settings = (section: string, heading: string): Screen => ({
    name: `settings: ${section}`,
    path: () => `/settings/${section}`,
    async ready(page) {
      await page.getByRole('heading', { level: 2, name: heading, exact: true }).waitFor();
      await page.locator('table[aria-busy=true]').waitFor({ state: 'detached' });
    },
  });

  const screens: Screen[] = [
    {
      name: 'the library',
      path: () => '/library',
      ready: (page) =>
        page.getByRole('main').getByRole('link', { name: 'A failed post', exact: true }).waitFor(),
    },
    {
      name: 'the library as a table',
      path: () => '/library?view=table',
      ready: (page) =>
        page.getByRole('main').getByRole('link', { name: 'A failed post', exact: true }).waitFor(),
    },
    { name: 'an empty library', path: () => '/library', isEmpty: true, ready: text('No posts yet') },
    {
      name: 'a new post',
      path: () => '/posts/new',
      ready: (page) => page.getByLabel('Caption', { exact: true }).waitFor(),
    },
    {
      name: 'the editor',
      path: () => `/posts/${posts.draft}/edit`,
      ready: (page) => page.getByLabel('Caption', { exact: true }).waitFor(),
    },
    postPage('draft', 'Draft'),
    postPage('scheduled', 'Scheduled'),
    postPage('posted', 'Posted'),
    postPage('failed', 'Failed'),
    {
      name: 'the publish dialog',
      path: () => `/posts/${posts.draft}?publish=true`,
      ready: (page) => page.getByRole('dialog').getByText('Posting as').waitFor(),
    },
    {
      name: 'the calendar',
      path: () => '/calendar',
      ready: (page) =>
        page
          .getByRole('main')
          .getByRole('link', { name: /A posted post/ })
          .waitFor(),
    },
    {
      name: 'the calendar of a week',
      path: () => '/calendar?view=week',
      ready: (page) =>
        page
          .getByRole('main')
          .getByRole('link', { name: /A posted post/ })
          .waitFor(),
    },
    {
      name: 'analytics',
      path: () => '/analytics',
      ready: text('Lateness of scheduled posts'),
    },
    { name: 'accounts', path: () => '/accounts', ready: (page) => page.getByRole('article').waitFor() },
    settings('keys', 'API keys'),
    settings('members', 'Members'),
    settings('organization', 'Organization'),
    settings('security', 'Sessions'),
    settings('appearance', 'Colours'),
    { name: 'sign-in', path: () => '/sign-in', isOutside: true, ready: form },
  ];

  for (const screen of screens)
    it(`${screen.name} has nothing serious that axe would find, in light and in dark`, async () => {
      const tab = screen.isOutside
        ? await browser.open(service.url)
        : await openAs(browser, service, screen.isEmpty ? empty : full);
      await inTab(tab, async (page) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.goto(screen.path());
          await screen.ready(page);
          await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
          assert.deepEqual(await seriousFindings(page), [], `in ${colorScheme}`);
        }
      });
    });

  it('the first visit of the sign-in page fetches at most 250 KB of script', async () => {
    await inTab(await browser.open(service.url), async (page) => {
      const bytes = countScripts(page);
      await visit(page, '/sign-in', 'Sign in');
      await page.getByLabel('Email').waitFor();
      await assertSmall(bytes);
    });
  });

  it('the first visit of the library fetches at most 250 KB of script', async () => {
    await inTab(await openAs(browser, service, full), async (page) => {
      const bytes = countScripts(page);
      await visit(page, '/library', 'Library');
      await page.getByRole('main').getByRole('link', { name: 'A failed post', exact: true }).waitFor();
      await assertSmall(bytes);
    });
  });
});

/** What is wrong for somebody to the point that they cannot go on. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations, passes } = (await page.evaluate('axe.run()')) as Findings;
  assert.ok(
    passes.some(({ id }) => id === 'color-contrast'),
    'axe has looked at nothing',
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`));
}

/** The sizes of all scripts that the page fetches from now on, each packed as the slowest of browsers would get it. */
function countScripts(page: Page): Promise<number>[] {
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.endsWith('.js')) return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  return sizes;
}

async function assertSmall(sizes: Promise<number>[]): Promise<void> {
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 0, 'no script was seen');
  assert.ok(bytes <= MOST_SCRIPT_BYTES, `${bytes} bytes of script`);
}
