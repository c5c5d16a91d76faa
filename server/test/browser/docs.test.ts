// The documentation in a browser: accessible, usable by keyboard and on a phone, and silent about everything but itself.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { AXE, seriousFindings } from './pages/axe.js';
import { openBeside, useBrowser } from './pages/browser.js';
import { inTab } from './steps/people-in-tabs.js';

describe('the documentation', () => {
  const browser = useBrowser();
  const service = useService('sqlite');

  for (const path of everyday(['/docs/api/labels'], ['/docs', '/docs/quick-start', '/docs/api/labels']))
    it(`${path} has no serious axe findings, in light and dark mode`, async () => {
      await inTab(await browser.open(service.url), async (page) => {
        await page.goto(path);
        await page.getByRole('searchbox').waitFor();
        await page.evaluate(AXE);
        assert.deepEqual(await seriousFindings(page), [], 'in light');
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.reload();
        await page.evaluate(AXE);
        assert.deepEqual(await seriousFindings(page, ['color-contrast']), [], 'in dark');
      });
    });

  it('is searched with the keyboard alone', async () => {
    await inTab(await browser.open(service.url), async (page) => {
      await page.goto('/docs');
      await page.getByRole('searchbox').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('what does an unknown outcome mean?');
      const first = page.getByRole('search').getByRole('listitem').first();
      await first.filter({ hasText: 'Unknown outcomes' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Unknown outcomes' }).waitFor();
    });
  });

  itInProofs('shows samples in the language that was chosen, here and on the next page', async () => {
    await inTab(await browser.open(service.url), async (page) => {
      await page.goto('/docs/api/labels');
      const samples = (language: string) => page.locator(`[data-shows=${language}]`).first();
      await page.getByRole('tab', { name: 'curl', selected: true }).first().focus();
      await page.keyboard.press('ArrowRight');
      await samples('ts').getByText('airdate.labels.list()').waitFor();
      await page.getByRole('tab', { name: 'Python' }).last().click();
      await page.goto('/docs/api/snippets');
      await samples('python').waitFor();
      assert.deepEqual([await samples('sh').isVisible(), await samples('ts').isVisible()], [false, false]);
    });
  });

  itInProofs('has a console that fills in no filter, and keeps the key in its tab only', async () => {
    const { key } = await service.newOrganization();
    const tab = await browser.open(service.url);
    await inTab(tab, async (page) => {
      await page.goto('/docs/console#/Posts/listPosts');
      await page.getByRole('button', { name: 'Try it out' }).click();
      const fields = page.locator('#operations-Posts-listPosts tr[data-param-name]').locator('input, select');
      const values = await fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value));
      assert.ok(values.length > 20);
      assert.deepEqual(
        values.filter((value) => value !== '' && value !== '--'),
        [],
      );

      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.getByText('The console keeps it in this tab').last().waitFor();
      await page.locator('#auth-bearer-value').first().fill(key);
      await page.getByRole('button', { name: 'Apply credentials' }).first().click();
      await page.reload();
      await page.getByRole('button', { name: 'Try it out' }).click();
      const answered = page.waitForResponse((response) => response.url().includes('/api/v1/posts'));
      await page.getByRole('button', { name: 'Execute' }).click();
      assert.equal((await answered).status(), 200);

      const beside = await openBeside(tab);
      await beside.page.goto('/docs/console');
      await beside.page.getByRole('button', { name: 'Authorize' }).first().waitFor();
      const stored = 'JSON.stringify({ ...localStorage, ...sessionStorage })';
      assert.ok(!String(await beside.page.evaluate(stored)).includes(key), 'another tab has the key');
      await beside.close();
    });
  });

  itInProofs('copies a sample with its button', async () => {
    await inTab(await browser.open(service.url), async (page) => {
      await page.goto('/docs/quick-start');
      await page.locator('pre').first().hover();
      await page.getByRole('button', { name: 'Copy' }).first().click();
      // Without access to the clipboard, the sample is selected instead.
      await page.getByRole('button', { name: /^(Copied|Selected)$/ }).waitFor();
    });
  });

  itInProofs('shows the table of variables without clipping it on a small laptop', async () => {
    await inTab(await browser.open(service.url, { width: 1280, height: 800 }), async (page) => {
      await page.goto('/docs/configuration');
      const clipped = `[...document.querySelectorAll('.table')].filter((table) => table.scrollWidth > table.clientWidth).length`;
      assert.equal(await page.evaluate(clipped), 0);
    });
  });

  itInProofs('fits a phone, and its menu is one tap away', async () => {
    await inTab(await browser.open(service.url, { width: 375, height: 700 }), async (page) => {
      await page.goto('/docs/configuration');
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, 375);
      await page.getByRole('link', { name: 'Menu' }).click();
      await page
        .getByRole('navigation', { name: 'Documentation' })
        .getByRole('link', { name: 'Backup and restore' })
        .click();
      await page.getByRole('heading', { level: 1, name: 'Backup and restore' }).waitFor();
    });
  });
});
