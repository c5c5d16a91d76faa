// Many posts at once, and a change of mind.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useService } from '../harness.js';
import { until } from '../uploads.js';
import { useBrowser } from './browser.js';
import { inTab, OBEDIENT, openAs, visit } from './people-in-tabs.js';

describe('the library', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('archives two posts together, and Undo brings both back', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (const title of ['Stays', 'Goes first', 'Goes second']) ids.push(await org.addPost({ title }));
    const statuses = () =>
      Promise.all(ids.map(async (id) => (await org.call('GET', `/api/v1/posts/${id}`)).json.data.status));
    const reach = (...wanted: string[]) =>
      until(async () => (await statuses()).join() === wanted.join(), `they are never ${wanted}`);

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
      // It leaves by itself, but not from under the pointer.
      await page.getByText('2 posts archived.').hover();
      await reach('draft', 'archived', 'archived');

      await page.getByRole('button', { name: 'Undo' }).click();
      await card('Goes first').waitFor();
      await card('Goes second').waitFor();
      await reach('draft', 'draft', 'draft');
    });
  });
});
