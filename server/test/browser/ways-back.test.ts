// After a dialog, a visit to the feed or a link to a filtered list, people are where they expect to be.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { aPostWithSlide, book, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

const PHONE = { width: 390, height: 844 };

describe('the way back', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  itInProofs(
    'from the publish dialog, opened by a key or the URL, leads to the actions of the post',
    async () => {
      const org = await service.newOrganization();
      const id = await aPostWithSlide(org, 'Quiet harbour', await org.connectAccount());
      await inTab(await openAs(browser, service, org), async (page) => {
        const focused = () => page.evaluate(() => document.activeElement?.textContent);
        const dialog = page.getByRole('dialog', { name: 'Publish now' });
        const leave = async () => {
          await dialog.getByText('Posting as').waitFor();
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });
          await until('the focus is back', async () => (await focused()) === 'Publish…');
        };
        await visit(page, `/posts/${id}?publish=true`, 'Quiet harbour');
        await leave();
        await page.reload();
        await page.getByRole('button', { name: 'Publish…' }).waitFor();
        await page.keyboard.press('p');
        await leave();
        // As the menu of a card opens it.
        await visit(page, `/posts/${id}?schedule=true`, 'Quiet harbour');
        const later = page.getByRole('dialog', { name: 'Schedule', exact: true });
        await later.getByText('Posting as').waitFor();
        await page.keyboard.press('Escape');
        await later.waitFor({ state: 'detached' });
        await until('the URL is that of the post', () => new URL(page.url()).search === '');
      });
    },
  );

  itInProofs(
    'from the publish dialog, opened by a key in the library, leads back to the post there',
    async () => {
      const org = await service.newOrganization();
      await aPostWithSlide(org, 'Quiet harbour', await org.connectAccount());
      await aPostWithSlide(org, 'Loud harbour');
      await inTab(await openAs(browser, service, org), async (page) => {
        const focused = () => page.evaluate(() => document.activeElement?.textContent);
        await visit(page, '/library', 'Library');
        await page.getByRole('link', { name: 'Quiet harbour', exact: true }).focus();
        await page.keyboard.press('p');
        const dialog = page.getByRole('dialog', { name: 'Publish now' });
        await dialog.getByText('Posting as').waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await until('the focus is back', async () => (await focused()) === 'Quiet harbour');
        assert.match(page.url(), /\/library$/);
        await page.keyboard.press('k');
        await until('the keys continue at the next post', async () => (await focused()) === 'Loud harbour');
      });
    },
  );

  itInProofs(
    'from a post leads to the list or calendar that it was opened from, with its filters',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount();
      const id = await aPostWithSlide(org, 'Quiet harbour', accountId);
      const day = service.clock.now() + 2 * DAY_MS;
      await book(org, await aPostWithSlide(org, 'Loud harbour', accountId), accountId, day);
      await inTab(await openAs(browser, service, org), async (page) => {
        const back = (place: string) => page.getByRole('link', { name: `Back to ${place}`, exact: true });
        const open = async (name: string | RegExp, title: string) => {
          await page.getByRole('main').getByRole('link', { name, exact: true }).click();
          await page.getByRole('heading', { level: 1, name: title }).waitFor();
        };
        await visit(page, '/library?status=draft&q=harbour', 'Library');
        await open('Quiet harbour', 'Quiet harbour');
        await back('Library').click();
        await page.waitForURL(/\/library\?status=draft&q=harbour$/);

        const date = new Date(day).toISOString().slice(0, 10);
        await visit(page, `/calendar?view=week&date=${date}`, 'Calendar');
        await open(/Loud harbour/, 'Loud harbour');
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await back('Calendar').waitFor();
        await page.getByRole('link', { name: 'View post' }).click();
        await back('Calendar').click();
        await page.waitForURL(/\/calendar\?view=week&date=/);
        // By keyboard it goes on at the post.
        await page.locator('a:focus').getByText('Loud harbour').waitFor();

        await visit(page, `/posts/${id}`, 'Quiet harbour');
        await back('Library').click();
        await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      });
    },
  );

  itInProofs('from a post to its copy leads a button, which then is gone', async () => {
    const org = await service.newOrganization();
    const id = await aPostWithSlide(org, 'Quiet harbour', await org.connectAccount());
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, `/posts/${id}`, 'Quiet harbour');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
      const open = page.getByRole('button', { name: 'Open copy' });
      await open.click();
      await page.waitForURL((url) => !url.pathname.includes(id) && url.pathname.endsWith('/edit'));
      await open.waitFor({ state: 'detached' });
      await page.getByText('1 of 35').waitFor();
      assert.equal(await page.getByLabel('Title').inputValue(), 'Quiet harbour');
    });
    assert.equal((await org.call('GET', '/api/v1/posts')).json.pagination.total, 2);
  });

  itInProofs('from the feed of the sandbox leads to the dashboard', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      await page.getByRole('link', { name: 'See the feed' }).click();
      await page.getByRole('link', { name: 'Back to Airdate' }).click();
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    });
  });

  itInProofs('on a phone, the tab of the list is in view', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'owner', PHONE), async (page) => {
      await visit(page, '/library?attention=true', 'Library');
      const tab = page.getByRole('link', { name: 'Needs attention' });
      const isInView = async () => {
        const box = await tab.boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= PHONE.width;
      };
      await until('the tab is on the screen', isInView);
      assert.equal(await tab.getAttribute('aria-current'), 'page');
    });
  });
});
