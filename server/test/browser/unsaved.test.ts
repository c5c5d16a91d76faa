// A new post that could not be saved yet: kept in the browser, apart from all others, until it can be saved.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs } from './steps/people-in-tabs.js';
import { saved } from './steps/steps.js';

const POSTS = '**/api/v1/posts';

describe('an unsaved new post', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('is not mixed up with the one in another tab, and comes back when its own tab is reloaded', async () => {
    const org = await service.newOrganization();
    const tab = await openAs(browser, service, org, 'editor');
    await inTab(tab, async (first) => {
      await loseCreations(tab.context);
      await write(first, 'First', 'One.');
      const second = await tab.context.newPage();
      await write(second, 'Second', 'Two.');
      await first.reload();
      await shows(first, 'First', 'One.');
      await second.reload();
      await shows(second, 'Second', 'Two.');

      await tab.context.unroute(POSTS);
      for (const page of [first, second]) await saved(page);
      await shows(first, 'First', 'One.');
      await shows(second, 'Second', 'Two.');
    });
    assert.deepEqual(await textsOf(org), ['First: One.', 'Second: Two.']);
  });

  itInProofs('of a closed tab is continued by the next new post, and by no other', async () => {
    const org = await service.newOrganization();
    const tab = await openAs(browser, service, org, 'editor');
    await inTab(tab, async (page) => {
      await loseCreations(tab.context);
      await page.goto('/library');
      const closed = await tab.context.newPage();
      await write(closed, 'Left behind', 'Half a thought.');
      await closed.close();

      await page.goto('/posts/new');
      await page.getByText('This new post wasn’t saved last time, so we kept it for you.').waitFor();
      await shows(page, 'Left behind', 'Half a thought.');
      const other = await tab.context.newPage();
      await write(other, 'Another', '');

      await tab.context.unroute(POSTS);
      for (const each of [page, other]) await saved(each);
      await shows(other, 'Another', '');
    });
    assert.deepEqual(await textsOf(org), ['Another: null', 'Left behind: Half a thought.']);
  });
});

/** Blocks every request that creates a post. */
const loseCreations = (context: BrowserContext): Promise<unknown> =>
  context.route(POSTS, (route) => (route.request().method() === 'POST' ? route.abort() : route.fallback()));

const title = (page: Page) => page.getByLabel('Title', { exact: true });
const caption = (page: Page) => page.getByLabel('Caption', { exact: true });

/** Types into a new post, and waits until the page says that it is not saved. */
async function write(page: Page, words: string, more: string): Promise<void> {
  await page.goto('/posts/new');
  await title(page).fill(words);
  if (more !== '') await caption(page).fill(more);
  await page.getByRole('status').filter({ hasText: 'Not saved' }).waitFor();
}

const shows = (page: Page, words: string, more: string): Promise<void> =>
  until(
    `it shows “${words}”`,
    async () => (await title(page).inputValue()) === words && (await caption(page).inputValue()) === more,
  );

async function textsOf(org: Organization): Promise<string[]> {
  const { data } = (await org.call('GET', '/api/v1/posts')).json as {
    data: { title: string; caption: string | null }[];
  };
  return data.map((post) => `${post.title}: ${post.caption}`).sort();
}
