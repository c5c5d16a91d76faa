// What a writer need not type again: saved captions, hashtag groups, the hashtags of the account, and labels.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { readPost } from '../support/service/posts.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { saved } from './steps/steps.js';

describe('saved texts', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const open = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  it('are saved from the field, renamed, inserted into another post, deleted and brought back', async () => {
    const org = await service.newOrganization();
    const [first, second] = [
      await org.addPost({ title: 'First', caption: 'Fold it twice.', hashtags: '#maps #outdoors' }),
      await org.addPost({ title: 'Second', caption: 'Start. End.', hashtags: '#own #Maps' }),
    ];
    const names = async () =>
      (await org.call('GET', '/api/v1/snippets')).json.data.map(
        ({ kind, name, text }: Record<string, string>) => `${kind}: ${name}: ${text}`,
      );
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${first}/edit`, 'Edit post');
      await open(page, 'Hashtag groups');
      const groups = page.getByRole('dialog', { name: 'Hashtag groups' });
      await groups.getByText('No hashtag groups yet.').waitFor();
      await groups.getByRole('button', { name: 'Save current hashtags as…' }).click();
      await page.keyboard.type('Outdoors');
      await page.keyboard.press('Enter');
      await groups.getByRole('button', { name: 'Insert Outdoors' }).waitFor();
      await groups.getByRole('button', { name: 'Save current hashtags as…' }).click();
      await page.keyboard.type('outdoors');
      await page.keyboard.press('Enter');
      // The API's own words about the name.
      await groups.getByText(/name/i).last().waitFor();
      await page.keyboard.press('Escape');
      await groups.getByRole('button', { name: 'Rename Outdoors' }).click();
      await groups.getByLabel('New name for Outdoors').fill('Hiking');
      await page.keyboard.press('Enter');
      await groups.getByRole('button', { name: 'Insert Hiking' }).waitFor();
      await page.keyboard.press('Escape');
      await groups.waitFor({ state: 'hidden' });

      await open(page, 'Saved captions');
      const captions = page.getByRole('dialog', { name: 'Saved captions' });
      await captions.getByRole('button', { name: 'Save current caption as…' }).click();
      await page.keyboard.type('Folding');
      await page.keyboard.press('Enter');
      await captions.getByRole('button', { name: 'Insert Folding' }).waitFor();
      assert.deepEqual(await names(), [
        'caption: Folding: Fold it twice.',
        'hashtags: Hiking: #maps #outdoors',
      ]);

      await visit(page, `/posts/${second}/edit`, 'Edit post');
      await field(page, 'Caption').click();
      await page.keyboard.press('Home');
      for (const _ of 'Start.') await page.keyboard.press('ArrowRight');
      await open(page, 'Saved captions');
      await captions.getByRole('button', { name: 'Insert Folding' }).click();
      assert.equal(await field(page, 'Caption').inputValue(), 'Start. Fold it twice. End.');
      await open(page, 'Hashtag groups');
      await groups.getByRole('button', { name: 'Insert Hiking' }).click();
      assert.equal(await field(page, 'Hashtags').inputValue(), '#own #Maps #outdoors');
      assert.ok(
        await field(page, 'Hashtags').evaluate((element) => element === document.activeElement),
        'the focus is lost',
      );
      await saved(page);

      await open(page, 'Hashtag groups');
      await groups.getByRole('button', { name: 'Delete Hiking' }).click();
      await groups.getByText('No hashtag groups yet.').waitFor();
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await until('it is back', async () => (await names()).length === 2);
    });
    assert.equal((await readPost(org, second)).hashtags, '#own #Maps #outdoors');
  });

  itInProofs(
    'of the account are filled in for a new post, unless the writer removes them; labels are chosen',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount();
      await org.call('PATCH', `/api/v1/social-accounts/${accountId}`, { default_hashtags: '#fieldnotes' });
      const { json } = await org.call('POST', '/api/v1/labels', { name: 'Spring', colour: 'green' });
      const newest = async () => (await org.call('GET', '/api/v1/posts?sort=-created_at')).json.data[0];
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, '/posts/new', 'New post');
        await page.getByText('Filled in from your account').waitFor();
        assert.equal(await field(page, 'Hashtags').inputValue(), '#fieldnotes');
        assert.equal((await org.call('GET', '/api/v1/posts')).json.pagination.total, 0);
        await field(page, 'Title').fill('With hashtags');
        await saved(page);
        assert.equal((await newest()).hashtags, '#fieldnotes');
        assert.equal(await field(page, 'Hashtags').inputValue(), '#fieldnotes');

        await page.getByRole('button', { name: /^Add label/ }).click();
        await page.getByRole('checkbox', { name: 'Spring' }).check();
        await saved(page);
        assert.deepEqual((await newest()).labels, [json.data.id]);

        await visit(page, '/posts/new', 'New post');
        await page.getByText('Filled in from your account').waitFor();
        await field(page, 'Hashtags').fill('');
        await field(page, 'Title').fill('Without hashtags');
        await saved(page);
        assert.deepEqual([(await newest()).title, (await newest()).hashtags], ['Without hashtags', null]);
        assert.equal(await field(page, 'Hashtags').inputValue(), '');
      });
    },
  );
});
