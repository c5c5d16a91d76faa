// Batch actions in the library, and undoing them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { aPostWithSlide, book, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

describe('the library', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  itInProofs('archives two posts together, and Undo brings both back', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (const title of ['Stays', 'Goes first', 'Goes second']) ids.push(await org.addPost({ title }));
    const statuses = () =>
      Promise.all(ids.map(async (id) => (await org.call('GET', `/api/v1/posts/${id}`)).json.data.status));
    const reach = (...wanted: string[]) =>
      until(`they are ${wanted}`, async () => (await statuses()).join() === wanted.join());

    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      const card = (title: string) => page.getByRole('link', { name: title, exact: true });
      await page.getByRole('checkbox', { name: 'Select Goes first' }).check();
      await page.getByRole('checkbox', { name: 'Select Goes second' }).check();
      const bar = page.getByRole('region', { name: 'Selected posts' });
      await bar.getByText('2 selected').waitFor();
      await bar.getByRole('button', { name: 'Archive', exact: true }).click();

      await card('Goes first').waitFor({ state: 'detached' });
      await card('Goes second').waitFor({ state: 'detached' });
      assert.equal(await card('Stays').count(), 1);
      // The notice disappears by itself, but not while the pointer is on it.
      await page.getByText('2 posts archived.').hover();
      await reach('draft', 'archived', 'archived');

      await page.getByRole('button', { name: 'Undo' }).click();
      await card('Goes first').waitFor();
      await card('Goes second').waitFor();
      await reach('draft', 'draft', 'draft');
    });
  });

  it('Undo restores the slot that a post had when it was archived, not the one it had when it was selected', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, 'Moves', accountId);
    const [selected, archived] = [DAY_MS, 2 * DAY_MS].map((ms) => service.clock.now() + ms) as [
      number,
      number,
    ];
    await book(org, id, accountId, selected);
    const post = async () => (await org.call('GET', `/api/v1/posts/${id}`)).json.data;

    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      await page.getByRole('checkbox', { name: 'Select Moves' }).check();
      await book(org, id, accountId, archived);
      const { scheduled_at } = await post();
      await page.getByRole('button', { name: 'Archive', exact: true }).click();
      await page.getByText('archived and unscheduled. Undo schedules it again.').hover();
      assert.equal((await post()).scheduled_at, null);
      // Letters typed into a field are undone there.
      await page.getByRole('searchbox').focus();
      await page.keyboard.press('Control+z');
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      await page.getByRole('heading', { name: 'Library', exact: true }).click();
      await page.keyboard.press('Control+z');
      await page.getByText('“Moves” restored and scheduled again.').waitFor();
      await until('it is scheduled again', async () => (await post()).status === 'scheduled');
      assert.equal((await post()).scheduled_at, scheduled_at);
    });
  });

  itInProofs('offers to undo the part of a batch that succeeded before it failed', async () => {
    const org = await service.newOrganization();
    for (let n = 0; n < 53; n++) await org.addPost({ title: `Post ${n}` });
    const drafts = async () => (await org.call('GET', '/api/v1/posts?status=draft')).json.pagination.total;

    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      const bar = page.getByRole('region', { name: 'Selected posts' });
      await page.getByRole('checkbox', { name: 'Select Post 52', exact: true }).check();
      await bar.getByRole('button', { name: 'Select all on this page' }).click();
      await page.getByRole('button', { name: 'Page 2' }).click();
      await page.getByRole('link', { name: 'Post 0', exact: true }).waitFor();
      await bar.getByRole('button', { name: 'Select all on this page' }).click();
      await bar.getByText('53 selected').waitFor();

      let batches = 0;
      const away = (route: Route) => (++batches === 2 ? route.abort() : route.continue());
      await page.route('**/api/v1/posts/batch', away);
      await bar.getByRole('button', { name: 'Archive', exact: true }).click();
      await page.getByText('50 of 53 posts archived').waitFor();
      await page.getByText('50 posts archived.', { exact: true }).hover();
      assert.equal(await drafts(), 3);
      await page.getByRole('button', { name: 'Undo' }).click();
      await until('they come back', async () => (await drafts()) === 53);
      await page.getByText('1–42 of 53 posts').waitFor();
    });
  });
});
