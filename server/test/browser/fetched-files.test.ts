// A file that could not be fetched from the web: the composer says why, and a member replaces or removes it.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { answering, FETCHING, useFileHost } from '../support/service/fetched-files.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { book, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { choose, mediaFile } from './steps/steps.js';

describe('a file that could not be fetched', () => {
  const service = useService('sqlite', { ...OBEDIENT, env: { ...OBEDIENT.env, ...FETCHING } });
  const browser = useBrowser();
  const host = useFileHost(() => service.app);

  /** Two slides, and between them a file that was rejected. */
  async function aPost() {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Three of three' });
    const urls = [
      host.serve('/first.jpg', 'small.jpg'),
      host.serve('/second.jpg', answering(404)),
      host.serve('/third.jpg', 'slide.jpg'),
    ];
    for (const url of urls) await org.call('POST', `/api/v1/posts/${id}/assets/import`, { url });
    const files = async () => org.sdk.posts.assets.list(id);
    await until('the files are fetched', async () => {
      const { data, rejected } = await files();
      return data.length === 2 && rejected.length === 1;
    });
    return { org, id, files };
  }
  const REASON =
    'The address answered 404 instead of a file. The post isn’t published until you remove or replace this file.';

  it('is shown with the reason, and replaced in its place', async () => {
    const { org, id, files } = await aPost();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      await page.getByText(REASON).waitFor();
      await page.getByText('second.jpg was rejected: The address answered 404 instead of a file.').waitFor();
      await choose(page, page.getByRole('button', { name: 'Replace second.jpg' }), [mediaFile('slide.png')]);
      await page.getByText(REASON).waitFor({ state: 'detached' });
    });
    await until('it is no longer rejected', async () => (await files()).rejected.length === 0);
    assert.deepEqual(
      (await files()).data.map(({ filename }) => filename),
      ['first.jpg', 'slide.png', 'third.jpg'],
    );
  });

  itInProofs('is told of in a neutral tone while it is fetched', async () => {
    const org = await service.newOrganization();
    const account = await org.connectAccount();
    const held: ServerResponse[] = [];
    const url = host.serve('/held.jpg', (_, response) => void held.push(response));
    const later = await org.addPost({ title: 'For next week' });
    const soon = await org.addPost({ title: 'For this hour' });
    for (const id of [later, soon]) {
      assert.equal((await org.call('POST', `/api/v1/posts/${id}/assets/import`, { url })).status, 202);
    }
    await book(org, later, account, service.clock.now() + 7 * DAY_MS);
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/library', 'Library');
      const attention = page.getByRole('region', { name: 'Needs attention' });
      await attention.getByText(/^Fetching its files/).waitFor();
      const card = page.getByRole('main').getByRole('listitem').filter({ hasText: 'For next week' });
      await card.getByText('Fetching its files', { exact: true }).waitFor();
      assert.equal(await page.getByText('Upload not finished').count(), 0);
      await book(org, soon, account, service.clock.now() + DAY_MS / 48);
      await attention.getByText('Still fetching files').waitFor();
      await page.getByRole('main').getByText('Still fetching its files', { exact: true }).waitFor();
    });
    for (const response of held) response.end();
  });

  itInProofs('is removed, and the post is ready', async () => {
    const { org, id, files } = await aPost();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      await page.getByRole('button', { name: 'Remove second.jpg' }).click();
      await page.getByText(REASON).waitFor({ state: 'detached' });
    });
    assert.deepEqual((await files()).rejected, []);
  });
});
