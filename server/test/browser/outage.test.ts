// The service cannot be reached: one banner says so for all screens, nothing typed is lost, and all goes on by itself.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { aPostWithSlide, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { saved } from './steps/steps.js';

const API = '**/api/**';
const cut = (context: BrowserContext) => context.route(API, (route) => route.abort());
const restore = (context: BrowserContext) => context.unroute(API);
const banner = (page: Page) => page.getByRole('alert').filter({ hasText: 'Can’t reach Airdate.' });

describe('an outage', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('is said once, keeps the screen and the text, and is over by itself', async () => {
    const org = await service.newOrganization();
    const id = await aPostWithSlide(org, 'Before the storm');
    const titleNow = async () => (await org.call('GET', `/api/v1/posts/${id}`)).json.data.title;
    const tab = await openAs(browser, service, org, 'editor');
    await inTab(tab, async (page) => {
      const title = page.getByLabel('Title', { exact: true });
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      await until('it has its title', async () => (await title.inputValue()) === 'Before the storm');

      await cut(tab.context);
      await title.fill('In the storm');
      await banner(page).getByText('Your text is safe in this browser.').waitFor();
      await page.getByRole('status').filter({ hasText: 'Not saved' }).waitFor();
      // Said once, and by nothing else.
      assert.equal(await page.getByText('Can’t reach Airdate').count(), 1);
      assert.equal(await page.getByRole('alert').count(), 1);

      // A reload in the middle of it loses nothing.
      await page.reload();
      await banner(page).waitFor();
      assert.equal(await page.getByText('Can’t reach Airdate').count(), 1);
      assert.equal(await titleNow(), 'Before the storm');

      // In vain, but the banner stays.
      const [tried] = await Promise.all([
        page.waitForEvent('requestfailed'),
        banner(page).getByRole('button', { name: 'Try now' }).click(),
      ]);
      assert.match(tried.url(), /\/api\//);
      await banner(page).waitFor();
      await restore(tab.context);
      await banner(page).waitFor({ state: 'detached' });
      await until('the text is back', async () => (await title.inputValue()) === 'In the storm');
      await page.getByRole('button', { name: 'Keep it' }).click();
      await saved(page);
      assert.equal(await titleNow(), 'In the storm');
    });
  });

  itInProofs('leaves the last data on the screen, and shows what has changed when it is over', async () => {
    const org = await service.newOrganization();
    await org.addPost({ title: 'Written before' });
    const tab = await openAs(browser, service, org, 'editor');
    await inTab(tab, async (page) => {
      await visit(page, '/library', 'Library');
      const card = (title: string) => page.getByRole('main').getByRole('link', { name: title, exact: true });
      await card('Written before').waitFor();
      await tab.context.setOffline(true);
      await banner(page).waitFor();
      assert.equal(await card('Written before').count(), 1);
      assert.equal(await page.getByRole('alert').count(), 1);
      await org.addPost({ title: 'Written meanwhile' });

      // A screen whose script was never loaded says so too, and opens by itself.
      const place = (name: string) =>
        page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
      await place('Accounts');
      await page.getByText('This page opens as soon as Airdate is back.').waitFor();
      await tab.context.setOffline(false);
      await banner(page).waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
      await place('Library');
      await card('Written meanwhile').waitFor();
    });
  });
});
