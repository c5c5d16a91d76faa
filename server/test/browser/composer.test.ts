// The defaults that a new post is saved with.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { inBrowsers } from './pages/browser.js';
import { aPostWithSlide, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { holdRequests, saved } from './steps/steps.js';

inBrowsers(everyday(['chromium'], ['chromium', 'firefox']), 'a new post', (browser) => {
  const service = useService('sqlite', OBEDIENT);

  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const only = async (org: Organization) => (await org.call('GET', '/api/v1/posts')).json.data[0];

  itInProofs(
    'that was saved without a title shows an empty field: the typed title replaces the default one',
    async () => {
      const org = await service.newOrganization();
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, '/posts/new', 'New post');
        await field(page, 'Caption').fill('Half a thought.');
        await saved(page);
        assert.equal((await only(org)).title, 'Untitled post');
        assert.equal(await field(page, 'Title').inputValue(), '');

        await page.reload();
        await field(page, 'Caption').waitFor();
        await field(page, 'Title').click();
        await page.keyboard.type('A whole one');
        await saved(page);
      });
      assert.deepEqual(
        [(await only(org)).title, (await only(org)).caption],
        ['A whole one', 'Half a thought.'],
      );
    },
  );

  itInProofs('says on a phone, beside the buttons, why it cannot go out yet', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Bare', post_type: 'slides' });
    const phone = { width: 390, height: 844 };
    await inTab(await openAs(browser, service, org, 'editor', phone), async (page) => {
      await page.goto(`/posts/${id}/edit`);
      const reason = page.getByText('Add slides first.');
      await reason.waitFor();
      const publish = page.getByRole('button', { name: 'Publish…', exact: true });
      const words = await reason.boundingBox();
      const button = await publish.boundingBox();
      assert.ok(words && button && words.height > 12 && words.width > 80, 'the reason cannot be read');
      assert.ok(words.y + words.height <= button.y, 'the reason is not above the button');
      const colour = () => reason.evaluate((it) => getComputedStyle(it).color);
      const neutral = await reason.evaluate((it) =>
        getComputedStyle(it.parentElement as HTMLElement).getPropertyValue('color'),
      );
      assert.equal(await colour(), neutral);
      // The slides come first, below the type.
      const slides = await page.getByRole('button', { name: 'Add slides' }).first().boundingBox();
      const title = await page.getByLabel('Title', { exact: true }).boundingBox();
      assert.ok(slides && title && slides.y < title.y, 'the slides are below the title');
      // What a fresh draft lacks is still to do; it becomes a problem when publishing is tried.
      const lacks = page.getByRole('listitem').filter({ hasText: 'Add at least one slide.' });
      await lacks.getByRole('img', { name: 'To do:' }).waitFor();
      await publish.click({ force: true });
      await lacks.getByRole('img', { name: 'Problem:' }).waitFor();
      assert.notEqual(await colour(), neutral);
    });
  });

  itInProofs('names its account after that was disconnected, and leads to connecting it', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount('city.notes');
    const id = await aPostWithSlide(org, 'Night walk', accountId);
    await org.call('DELETE', `/api/v1/social-accounts/${accountId}`);
    await inTab(await openAs(browser, service, org, 'owner'), async (page) => {
      await page.goto(`/posts/${id}/edit`);
      const account = page.getByRole('combobox', { name: 'Account' });
      await until(
        'the account has a name',
        async () => (await account.inputValue()) === '@city.notes (disconnected)',
      );
      await page.getByRole('region', { name: 'Preview' }).getByText('@city.notes', { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Publish…', exact: true }).count(), 0);
      await page.getByRole('button', { name: 'Schedule…', disabled: true }).waitFor();
      await page.getByRole('button', { name: 'Connect again @city.notes' }).click();
      await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
    });
  });

  itInProofs('that has labels moves nothing when their names arrive', async () => {
    const org = await service.newOrganization();
    const { id: label } = (await org.call('POST', '/api/v1/labels', { name: 'Spring', colour: 'teal' })).json
      .data;
    const id = await org.addPost({ title: 'Labelled', labels: [label] });
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      const labels = await holdRequests(page, '**/api/v1/labels');
      await page.goto(`/posts/${id}/edit`);
      await field(page, 'Title').waitFor();
      await page.evaluate(() => {
        Object.assign(window, { shift: 0 });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            (window as unknown as { shift: number }).shift += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift' });
      });
      labels.release();
      await page.getByRole('button', { name: 'Remove Spring' }).waitFor();
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      assert.equal(await page.evaluate(() => (window as unknown as { shift: number }).shift), 0);
    });
  });

  it('belongs to the only account, even if the user types before the accounts are loaded', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      const accounts = await holdRequests(page, '**/api/v1/social-accounts?*');
      await visit(page, '/posts/new', 'New post');
      await field(page, 'Title').fill('Faster than the network');
      await page.getByText('Saving', { exact: false }).first().waitFor();
      accounts.release();
      await saved(page);
    });
    assert.equal((await only(org)).social_account_id, accountId);
  });
});
