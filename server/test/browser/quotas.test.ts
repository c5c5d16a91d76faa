// Quotas in the dashboard: what is used, a warning when little is left, and what a refused upload says.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { setQuotas } from '../support/service/quotas.js';
import { media, upload } from '../support/service/uploads.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { choose, mediaFile, mediaPanel } from './steps/steps.js';

const SLIDE = media('slide.png').length;
const CLIP = 'clip-12s-moov-at-end.mp4';

describe('quotas', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  const bar = (page: Page, name: string) => page.getByRole('progressbar', { name, exact: true });

  itInProofs('are shown with a bar each, and say in words when one is nearly or quite used up', async () => {
    const org = await service.newOrganization();
    await setQuotas(service, org, { bytes: 10 * SLIDE, keys: 5, members: 1 });
    for (const _ of [2, 3, 4]) await org.keyWith(['posts:read']);
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/settings/organization', 'Settings');
      const usage = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Usage' }) });
      await usage.getByText('0 bytes of').waitFor();
      assert.equal(await bar(page, 'API keys').getAttribute('aria-valuetext'), '4 of 5');
      await usage.getByText('Almost used up.').waitFor();
      await usage.getByText('1 of 1').waitFor();
      await usage.getByText('Used up. Remove one, or ask your Airdate administrator for more.').waitFor();
      await usage.getByText('No limit on posts per day, connected accounts, or open invitations.').waitFor();
    });
  });

  itInProofs(
    'refuse an upload that does not fit, say why and what to do, and take it when there is room',
    async () => {
      const org = await service.newOrganization();
      const full = await org.addPost({ title: 'A long clip', post_type: 'video' });
      await upload(org, full, CLIP);
      const id = await org.addPost({ title: 'One more' });
      await setQuotas(service, org, { bytes: media(CLIP).length + 1 });
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, `/posts/${id}/edit`, 'Edit post');
        const panel = mediaPanel(page, 'Slides');
        // Little is left, so the editor shows it before a file is chosen.
        await bar(page, 'Storage').waitFor();
        await choose(page, panel.getByRole('button', { name: /^Add slides/ }), [mediaFile('slide.png')]);
        const list = page.getByRole('list', { name: 'Uploads' });
        await list
          .getByText(/^The organization stores .*\. This file is .*\. Delete posts or files/)
          .waitFor();
        assert.deepEqual((await org.call('GET', `/api/v1/posts/${id}/assets`)).json.data, []);

        await org.call('DELETE', `/api/v1/posts/${full}`);
        await page.getByRole('button', { name: 'Retry slide.png' }).click();
        await page.getByRole('button', { name: 'Slide 1, slide.png', exact: true }).waitFor();
      });
    },
  );

  itInProofs('refuse a key and an account in the words of the API', async () => {
    const org = await service.newOrganization();
    await org.connectAccount('harbour.light');
    await setQuotas(service, org, { keys: 1, accounts: 1 });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/settings/keys', 'Settings');
      assert.equal(await bar(page, 'API keys').getAttribute('aria-valuetext'), '1 of 1');
      await page.getByRole('button', { name: 'New API key' }).click();
      const making = page.getByRole('dialog', { name: 'New API key' });
      await making.getByLabel('Name').fill('One too many');
      await making.getByRole('button', { name: 'Create key' }).click();
      await making.getByText(/has 1 of its 1 API keys\. Revoke one/).waitFor();

      await visit(page, '/accounts', 'Accounts');
      await bar(page, 'Connected accounts').waitFor();
      await page.getByRole('button', { name: 'Connect account' }).click();
      await page.getByLabel('Username').fill('another.light');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('alert').getByText('has reached its account limit').waitFor();
    });
  });
});
