// Finding posts in the library: counts, order and labels, on a wide screen and on a phone. And what a card says.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { grant } from '../support/service/uploads.js';
import { useBrowser } from './pages/browser.js';
import { aPostWithSlide, book, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { holdRequests, manageLabels } from './steps/steps.js';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const LONG_NAME = 'A client whose name is too long for any card';

describe('finding posts in the library', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  const tab = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name, exact: true });
  const card = (page: Page, title: string) =>
    page.locator('main [data-post]').filter({ has: page.getByRole('link', { name: title, exact: true }) });
  const titles = (page: Page) => page.locator('main [data-open]').allTextContents();
  const shows = (page: Page, wanted: string[]) =>
    until(`the list is ${wanted}`, async () => (await titles(page)).join() === wanted.join());

  it('tabs have counts that move nothing and follow changes, and the list has an order', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    for (let n = 1; n <= 18; n++) await org.addPost({ title: `Post ${n}` });
    for (const title of ['beta', 'Álamo']) await org.addPost({ title });
    const planned = await aPostWithSlide(org, 'Zulu', accountId);
    await book(org, planned, accountId, service.clock.now() + DAY_MS);

    await inTab(await openAs(browser, service, org, 'owner', WIDE), async (page) => {
      const counts = await holdRequests(page, '**/api/v1/posts/counts');
      await visit(page, '/library', 'Library');
      await card(page, 'Post 1').waitFor();
      const place = async () => JSON.stringify(await tab(page, 'Archived').boundingBox());
      const unknown = await place();
      counts.release();
      await tab(page, 'Drafts').getByText('20', { exact: true }).waitFor();
      await tab(page, 'Active').getByText('21', { exact: true }).waitFor();
      await tab(page, 'Needs attention').getByText('0', { exact: true }).waitFor();
      assert.equal(await place(), unknown, 'the counts have moved the tabs');
      await org.addPost({ title: 'Another' });
      await tab(page, 'Drafts').getByText('21', { exact: true }).waitFor();

      const boxes = await page.locator('main [data-post]').evaluateAll((cards) =>
        cards.map((one) => {
          const { top, bottom } = one.getBoundingClientRect();
          return { top, bottom };
        }),
      );
      const rows = [...new Set(boxes.map(({ top }) => top))];
      assert.equal(boxes.filter(({ top }) => top === rows[0]).length, 7, 'seven covers across');
      assert.ok((boxes[7]?.bottom ?? Number.POSITIVE_INFINITY) <= WIDE.height, 'two rows are visible');

      await page.getByLabel('Sort').selectOption('Title A–Z');
      await page.waitForURL(/sort=title/);
      await until(
        'it is sorted',
        async () => (await titles(page)).slice(0, 3).join() === 'Álamo,Another,beta',
      );
      // The order of titles suits every tab; otherwise each has its own.
      await tab(page, 'Scheduled').click();
      await shows(page, ['Zulu']);
      assert.equal(await page.getByLabel('Sort').inputValue(), 'title');
      await page.getByLabel('Sort').selectOption('Next slot');
      await page.waitForURL((url) => !url.search.includes('sort='));
      await tab(page, 'Drafts').click();
      await until('the newest is first', async () => (await titles(page))[0] === 'Another');
      assert.equal(await page.getByLabel('Sort').inputValue(), '-created_at');
    });
  });

  itInProofs('labels are created, put on posts, searched by, renamed and deleted', async () => {
    const org = await service.newOrganization();
    for (const title of ['One', 'Two', 'Three']) await org.addPost({ title });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      await manageLabels(page);
      const managing = page.getByRole('dialog', { name: 'Manage labels' });
      await managing.getByRole('button', { name: 'New label' }).click();
      await managing.getByLabel('Label name').fill('Spring');
      await managing.getByRole('radio', { name: 'Teal' }).check();
      await managing.getByRole('button', { name: 'Create' }).click();
      await managing.getByRole('listitem').filter({ hasText: 'Spring' }).waitFor();
      await page.keyboard.press('Escape');
      await managing.waitFor({ state: 'hidden' });

      for (const title of ['One', 'Two'])
        await page.getByRole('checkbox', { name: `Select ${title}` }).check();
      await page.getByRole('button', { name: 'Labels…' }).click();
      const labelling = page.getByRole('dialog', { name: 'Labels for 2 posts' });
      await labelling.getByRole('checkbox', { name: 'Spring' }).check();
      // Another one, created on the way.
      await labelling.getByRole('button', { name: 'New label' }).click();
      await labelling.getByLabel('Label name').fill('Client A');
      assert.equal(await labelling.getByRole('button', { name: 'Cancel' }).count(), 1);
      await labelling.getByRole('button', { name: 'Create' }).click();
      await labelling.getByRole('checkbox', { name: 'Client A', checked: true }).waitFor();
      await labelling.getByRole('button', { name: 'Save labels' }).click();
      await page.getByText('Labels changed on 2 posts.').waitFor();
      await card(page, 'One').getByText('Spring').waitFor();
      await card(page, 'Two').getByText('Client A').waitFor();
      assert.equal(await card(page, 'Three').getByText('Spring').count(), 0);
      // A name that another member changes is shown immediately.
      const labels = (await org.call('GET', '/api/v1/labels')).json.data as { id: string; name: string }[];
      const client = labels.find(({ name }) => name === 'Client A');
      for (const name of [LONG_NAME, 'Client A']) {
        await org.call('PATCH', `/api/v1/labels/${client?.id}`, { name });
        await card(page, 'Two').getByText(name).waitFor();
        // Beside a long label, a short one keeps its text.
        const [width, full] = await card(page, 'Two')
          .getByText('Spring', { exact: true })
          .evaluate((it) => [it.clientWidth, it.scrollWidth]);
        assert.equal(width, full, 'Spring is cut');
      }

      await page.getByRole('combobox', { name: 'Label', exact: true }).click();
      await page.getByRole('option', { name: 'Spring' }).click();
      await page.waitForURL(/label=/);
      await shows(page, ['Two', 'One']);

      // A copy has the labels too.
      await card(page, 'One').hover();
      await page.getByRole('button', { name: 'Actions for One' }).click();
      await page.getByRole('menuitem', { name: 'Schedule…' }).waitFor();
      // It has nothing to show yet.
      await page.getByRole('menuitem', { name: /^Publish….*Add \w+ first\.$/, disabled: true }).waitFor();
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
      await page.getByText('“One” duplicated.').waitFor();
      await shows(page, ['One', 'Two', 'One']);
      await page.getByRole('button', { name: 'Open copy' }).click();
      await page.waitForURL(/\/posts\/[^/]+\/edit$/);
      await until(
        'the copy opens',
        async () => (await page.getByLabel('Title', { exact: true }).inputValue()) === 'One',
      );
      await page.goBack();
      await shows(page, ['One', 'Two', 'One']);

      await manageLabels(page);
      await managing.getByRole('button', { name: 'Edit Spring' }).click();
      await managing.getByLabel('Label name').fill('client a');
      await managing.getByRole('button', { name: 'Save' }).click();
      await managing.locator('[class*=error]').first().waitFor();
      await managing.getByLabel('Label name').fill('Summer');
      await managing.getByRole('button', { name: 'Save' }).click();
      await card(page, 'Two').getByText('Summer').waitFor();
      await managing.getByRole('button', { name: 'Delete Summer' }).click();
      await managing.getByRole('button', { name: 'Delete label' }).click();
      await page.waitForURL((url) => !url.search.includes('label='));
      await shows(page, ['One', 'Three', 'Two', 'One']);
      assert.equal(await card(page, 'Two').getByText('Summer').count(), 0);
      await card(page, 'Two').getByText('Client A').waitFor();

      // A colleague creates a label and uses it: the page learns only of the post.
      const { json } = await org.call('POST', '/api/v1/labels', { name: 'Autumn', colour: 'red' });
      await org.addPost({ title: 'Four', labels: [json.data.id] });
      await card(page, 'Four').getByText('Autumn').waitFor();
    });
  });

  itInProofs(
    'a card says that a file has not arrived, and its time does not change when it is archived and restored',
    async () => {
      const org = await service.newOrganization();
      const film = await org.addPost({ title: 'A film', post_type: 'video' });
      await grant(org, film, { filename: 'tiny.webm', content_type: 'video/webm' });
      await org.addPost({ title: 'No film yet', post_type: 'video' });
      const old = await org.addPost({ title: 'Old' });
      await service.app.db.transact((tx) =>
        tx
          .updateTable('posts')
          .set({
            created_at: Date.parse('2026-01-05T09:30:00Z'),
            updated_at: Date.parse('2026-01-06T09:30:00Z'),
          })
          .where('id', '=', old)
          .execute(),
      );
      await inTab(await openAs(browser, service, org), async (page) => {
        await visit(page, '/library', 'Library');
        await card(page, 'A film').getByText('Upload not finished').waitFor();
        await page.getByRole('link', { name: 'Add video No film yet' }).waitFor({ state: 'attached' });
        assert.equal(await page.getByRole('link', { name: 'Add video A film' }).count(), 0);

        const time = () => card(page, 'Old').locator('time').getAttribute('datetime');
        assert.equal(await time(), '2026-01-05T09:30:00Z');
        await card(page, 'Old').getByText('Created', { exact: false }).waitFor();
        await page.getByRole('checkbox', { name: 'Select Old' }).check();
        await page.getByRole('button', { name: 'Archive', exact: true }).click();
        await page.getByText('“Old” archived.').hover();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('“Old” restored.').waitFor();
        await card(page, 'Old').waitFor();
        assert.equal(await time(), '2026-01-05T09:30:00Z');
      });
    },
  );

  itInProofs('on a phone the tabs stay visible, and the sheet has order and label', async () => {
    const org = await service.newOrganization();
    for (let n = 0; n < 12; n++) await org.addPost({ title: `Post ${n}` });
    const { json } = await org.call('POST', '/api/v1/labels', { name: 'Spring', colour: 'green' });
    const labelled = await org.addPost({ title: 'In spring', labels: [json.data.id] });
    assert.ok(labelled);
    await inTab(await openAs(browser, service, org, 'owner', PHONE), async (page) => {
      await visit(page, '/library?status=archived', 'Library');
      const isInView = async (name: string) => {
        const box = await tab(page, name).boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= PHONE.width && box.y >= 0;
      };
      await until('the tab is on the screen', () => isInView('Archived'));
      await tab(page, 'Drafts').click();
      await card(page, 'Post 0').scrollIntoViewIfNeeded();
      assert.ok((await page.evaluate(() => window.scrollY)) > 300);
      await until('the tab stays on the screen', () => isInView('Drafts'));

      await page.getByRole('button', { name: 'Filters', exact: true }).click();
      const sheet = page.getByRole('dialog', { name: 'Filters' });
      await sheet.getByLabel('Sort').selectOption('Title A–Z');
      await sheet.getByLabel('Label', { exact: true }).selectOption('Spring');
      await sheet.getByRole('button', { name: 'Show posts' }).click();
      await shows(page, ['In spring']);
      await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
      assert.match(page.url(), /sort=title/);

      await page.getByRole('checkbox', { name: 'Select In spring' }).check();
      const acts = page.getByRole('region', { name: 'Selected posts' });
      await acts.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Labels…' }).click();
      await page.getByRole('dialog', { name: 'Labels for “In spring”' }).waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= PHONE.width, `the page is ${width} wide`);
    });
  });
});
