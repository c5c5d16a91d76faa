// Whatever URL a link to Airdate contains, the browser stays with Airdate: each source of a URL, in every spelling.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { newPerson, PASSWORD } from '../support/service/people.js';
import { ROOT } from '../support/sources/deploy-files.js';
import { useBrowser } from './pages/browser.js';
import { inTab, openAs, visit } from './steps/people-in-tabs.js';

const ALL: string[] = JSON.parse(readFileSync(`${ROOT}web/src/text/foreign-urls.json`, 'utf8'));
const SPELLINGS = everyday(
  ALL.filter((url) => /^\/(\.|x\/\.\.|%2e)\/\/foreign\.invalid$/.test(url)),
  ALL,
);

const query = (names: string[], url: string) =>
  `?${names.map((name) => `${name}=${encodeURIComponent(url)}`).join('&')}`;

/** What the screens read from their URL. */
const SCREENS: Record<string, (url: string) => string> = {
  'the secret of a one-time link': (url) => `/enter#${url}`,
  'the secret of an invitation': (url) => `/invitation#${url}`,
  'the result of a consent': (url) => `/accounts${query(['connected', 'error', 'account'], url)}`,
  'the filters of the library': (url) => `/library${query(['status', 'account', 'label', 'sort', 'q'], url)}`,
  'the day of the calendar': (url) => `/calendar${query(['view', 'date', 'account', 'status'], url)}`,
  'a section of the settings': (url) => `/settings/${encodeURIComponent(url)}`,
  'a webhook of the settings': (url) => `/settings/webhooks${query(['webhook', 'state'], url)}`,
  'the id of a post': (url) => `/posts/${encodeURIComponent(url)}`,
  'the slot of a new post': (url) => `/posts/new${query(['at', 'type'], url)}`,
};

/** What the server reads from its URLs. */
const PAGES: Record<string, (url: string) => string | null> = {
  'the path itself': (url) => (url.startsWith('/') ? url : null),
  'the callback of a consent': (url) =>
    `/oauth/callback${query(['state', 'code', 'error', 'redirect_uri', 'next'], url)}`,
  'the documentation': (url) => `/docs${query(['q', 'next'], url)}#${url}`,
};

describe('a URL in a link to Airdate', () => {
  const service = useService('sqlite');
  const browser = useBrowser();

  const isForeign = (url: URL) => url.protocol.startsWith('http') && url.origin !== service.url;

  /** Requests to other hosts are recorded, and never sent. */
  async function watch(page: Page): Promise<string[]> {
    const left: string[] = [];
    await page.route(isForeign, (route) => {
      left.push(route.request().url());
      return route.abort();
    });
    return left;
  }
  const isShown = (page: Page) =>
    page
      .evaluate(() => document.body.innerText.trim() !== '')
      // The page is just being replaced.
      .catch(() => false);

  it(`leads a person who is signed in to the library: next, in ${SPELLINGS.length} spellings`, async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org), async (page) => {
      const left = await watch(page);
      const library = page.getByRole('heading', { level: 1, name: 'Library' });
      const escaped: string[] = [];
      for (const screen of everyday(['/sign-in'], ['/sign-in', '/sign-up']))
        for (const spelling of SPELLINGS) {
          const before = left.length;
          await page.goto(`${screen}${query(['next'], spelling)}`);
          await until(
            `something came of ${spelling}`,
            async () => left.length > before || (await library.isVisible()),
          );
          if (new URL(page.url()).pathname !== '/library') escaped.push(`${screen} ${spelling}`);
        }
      assert.deepEqual([escaped, left], [[], []]);
    });
  });

  itInProofs('leads nowhere else after the form, and back to a screen that was asked for', async () => {
    const org = await service.newOrganization();
    const { email } = await newPerson(service, org.id, 'owner', { withPassword: true });
    for (const [next, end] of [
      ['/.//foreign.invalid', '/library'],
      ['/calendar?view=week', '/calendar'],
    ] as const)
      await inTab(await browser.open(service.url), async (page) => {
        const left = await watch(page);
        await page.goto(`/sign-in${query(['next'], next)}`);
        await page.getByLabel('Email').fill(email);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.waitForURL((url) => url.pathname === end);
        assert.deepEqual(left, []);
      });
  });

  itInProofs('leads nowhere else: what the screens read', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org), async (page) => {
      const left = await watch(page);
      await visit(page, '/library', 'Library');
      for (const [source, path] of Object.entries(SCREENS))
        for (const spelling of SPELLINGS) {
          // As the browser's own buttons do: the router takes it from there, without loading the page again.
          await page.evaluate((url) => {
            window.history.pushState({}, '', url);
            window.dispatchEvent(new PopStateEvent('popstate'));
            return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
          }, path(spelling));
          await until(`${source} shows something: ${spelling}`, () => isShown(page));
          assert.deepEqual([new URL(page.url()).origin, left], [service.url, []], `${source}: ${spelling}`);
        }
      await visit(page, '/library', 'Library');
      assert.deepEqual(left, []);
    });
  });

  for (const [source, path] of Object.entries(PAGES))
    itInProofs(`leads nowhere else: ${source}`, async () => {
      await inTab(await browser.open(service.url), async (page) => {
        const left = await watch(page);
        for (const spelling of SPELLINGS) {
          const opened = path(spelling);
          if (opened === null) continue;
          await page.goto(service.url + opened);
          await until(`something came of ${opened}`, async () => left.length > 0 || (await isShown(page)));
          assert.deepEqual([new URL(page.url()).origin, left], [service.url, []], opened);
        }
      });
    });
});
