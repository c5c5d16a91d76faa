// Posts from a spreadsheet: drop the file, correct it, import it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { COLUMNS } from '../../src/posts/import/columns.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { fileOf } from '../support/service/import-files.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { dialog, press } from './steps/scene-steps.js';

describe('the import of a CSV file', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  const file = (csv: string) => ({ name: 'posts.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });

  it('shows problems by line and column, takes corrections, and imports all posts', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/library', 'Library');
      await press(page, 'Import posts');
      const opened = await dialog(page, 'Import posts');
      const example = opened.getByRole('link', { name: 'Download an example' });
      const template = decodeURIComponent(
        ((await example.getAttribute('href')) ?? '').split(',').slice(1).join(','),
      );
      assert.equal(
        template,
        readFileSync(new URL('../../../../docs/import-example.csv', import.meta.url), 'utf8'),
      );

      const csv = fileOf([
        { title: 'First of the sheet', post_type: 'slides', Owner: 'Anna' },
        { title: '', caption: 'Two,\n"lines"' },
        { title: 'Third of the sheet', post_type: 'text', Owner: 'Ben' },
      ]);
      await opened.getByLabel('CSV file', { exact: true }).setInputFiles(file(csv));
      await opened.getByText('3 problems found').waitFor();
      // A column of their own: one of those that the file does not have, or none.
      const owner = opened.getByLabel('Column “Owner”');
      const offered = await owner.locator('option:enabled').allTextContents();
      const taken = ['title', 'post_type', 'caption'];
      assert.deepEqual([...offered, ...taken].sort(), ['Leave this column out', ...COLUMNS.keys()].sort());
      await owner.selectOption({ label: 'Leave this column out' });
      await opened.getByLabel('Line 3, title').fill('Second of the sheet');
      await opened.getByText('This must be one of Slides, Video.').waitFor();
      await opened.getByLabel('Line 4, post_type').selectOption({ label: 'Video' });
      await opened.getByRole('button', { name: 'Check again' }).click();
      await opened.getByText('3 drafts.', { exact: true }).waitFor();
      assert.equal((await org.call('GET', '/api/v1/posts')).json.pagination.total, 0);
      await opened.getByRole('button', { name: 'Import 3 posts' }).click();
      await opened.getByText('3 posts imported').waitFor();
      await opened.getByRole('button', { name: 'Done' }).click();
      await opened.waitFor({ state: 'hidden' });
      await page.getByRole('main').getByRole('link', { name: 'Second of the sheet', exact: true }).waitFor();
    });
    const { json } = await org.call('GET', '/api/v1/posts');
    const posts = json.data as { title: string; caption: string | null; post_type: string }[];
    assert.deepEqual(posts.map(({ title, caption, post_type }) => [title, caption, post_type]).reverse(), [
      ['First of the sheet', null, 'slides'],
      ['Second of the sheet', 'Two,\n"lines"', 'slides'],
      ['Third of the sheet', null, 'video'],
    ]);
  });

  itInProofs(
    'asks once for what lines have alike, and can be undone for posts that no one has changed',
    async () => {
      const org = await service.newOrganization();
      await org.connectAccount('field.notes');
      const lines = Array.from({ length: 6 }, (_, i) => ({ title: `Kept ${i}`, account: 'fieldnotes' }));
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        const importing = async (posts: Record<string, string>[]) => {
          await press(page, 'Import posts');
          const opened = await dialog(page, 'Import posts');
          await opened.getByLabel('CSV file', { exact: true }).setInputFiles(file(fileOf(posts)));
          return opened;
        };
        await visit(page, '/library', 'Library');
        const opened = await importing(lines);
        await opened.getByText('1 problem found').waitFor();
        await opened.getByText('No connected account has this user name.').waitFor();
        await opened.getByLabel('6 lines, account').selectOption('field.notes');
        await opened.getByRole('button', { name: 'Check again' }).click();
        await opened.getByText('6 drafts.', { exact: true }).waitFor();
        await opened.getByRole('button', { name: 'Import 6 posts' }).click();
        await opened.getByText('6 posts imported').waitFor();
        const [changed] = (await org.call('GET', '/api/v1/posts')).json.data;
        // The API tells the time in seconds.
        service.clock.advance(1000);
        await org.call('PATCH', `/api/v1/posts/${changed.id}`, { caption: 'By a colleague.' });
        await opened.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('5 posts deleted.').waitFor();
        await page.getByText('It has changed since the import.').waitFor();
        await opened.waitFor({ state: 'hidden' });
        assert.deepEqual(
          (await org.call('GET', '/api/v1/posts')).json.data.map(({ id }: { id: string }) => id),
          [changed.id],
        );

        const timed = { status: 'draft', scheduled_at: '2032-12-01T18:00:00Z' };
        const again = await importing(['Another', 'And one more'].map((title) => ({ title, ...timed })));
        await again.getByRole('button', { name: 'Import 2 posts' }).click();
        await again.getByRole('button', { name: 'Show them' }).click();
        const bar = page.getByRole('region', { name: 'Selected posts' });
        await bar.getByText('2 selected').waitFor();
        assert.match(page.url(), /status=draft/);
        assert.ok(await page.getByRole('checkbox', { name: 'Select And one more', exact: true }).isChecked());

        // Their times are those of the file, and the only account need not be chosen.
        await bar.getByRole('button', { name: 'Schedule…' }).click();
        const scheduling = await dialog(page, 'Schedule 2 posts');
        await scheduling.getByText('Choose who can see the posts.').waitFor();
        assert.ok(await scheduling.getByRole('radio', { name: 'At their own times' }).isChecked());
        const slots = scheduling.getByRole('list', { name: 'Slots' }).locator('time');
        assert.deepEqual(
          await slots.evaluateAll((times) => times.map((time) => time.getAttribute('datetime'))),
          ['2032-12-01T18:00:00Z', '2032-12-01T18:00:00Z'],
        );
      });
    },
  );

  itInProofs('keeps its buttons in view below a long list of problems, and fills a phone', async () => {
    const org = await service.newOrganization();
    const lines = Array.from({ length: 40 }, (_, i) => ({ title: `Line ${i}`, post_type: `wrong${i}` }));
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const)
      await inTab(await openAs(browser, service, org, 'editor', { width, height }), async (page) => {
        await visit(page, '/library', 'Library');
        await press(page, 'Import posts');
        const opened = await dialog(page, 'Import posts');
        await opened.getByLabel('CSV file', { exact: true }).setInputFiles(file(fileOf(lines)));
        await opened.getByText('40 problems found').waitFor();
        await opened.getByLabel(/^Line 41, post_type/).scrollIntoViewIfNeeded();
        const footer = await opened.getByRole('button', { name: 'Check again' }).boundingBox();
        assert.ok(footer && footer.y + footer.height <= height, 'the buttons are out of view');
        const scrolling = await opened.evaluate(
          (box) =>
            [box, ...box.querySelectorAll('*')].filter(
              (one) =>
                one.scrollHeight > one.clientHeight + 1 &&
                ['auto', 'scroll'].includes(getComputedStyle(one).overflowY),
            ).length,
        );
        assert.equal(scrolling, 1);
        if (width < 768) assert.deepEqual(await opened.boundingBox(), { x: 0, y: 0, width, height });
      });
  });

  itInProofs(
    'asks once for the whole file: schedule or draft, which account, new labels, which time zone',
    async () => {
      const org = await service.newOrganization();
      const account = await org.addAccount();
      const { username } = (await org.call('GET', '/api/v1/social-accounts')).json.data[0];
      const lines = Array.from({ length: 60 }, (_, i) => ({
        title: `Planned ${i}`,
        scheduled_at: i === 0 ? '2032-10-31 02:30' : '2032-12-01 18:00',
        labels: 'Spring, Maps',
      }));
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, '/library', 'Library');
        await press(page, 'Import posts');
        const opened = await dialog(page, 'Import posts');
        await opened
          .getByLabel('CSV file', { exact: true })
          .setInputFiles(file(fileOf([...lines, { title: 'An idea' }])));
        await opened.getByText('Schedule these 60 posts, or import them as drafts?').waitFor();
        await opened.getByText('1 problem found').waitFor();
        await opened.getByRole('button', { name: '2032-10-31T02:30+01:00' }).click();
        await opened.getByRole('button', { name: 'Schedule 60 posts' }).click();

        await opened.getByText('2 problems found').waitFor();
        await opened.getByLabel(/^Account/).selectOption(username);
        await opened.getByLabel(/^Who can see it/).selectOption({ label: 'Only me' });
        await opened.getByRole('button', { name: 'Check again' }).click();

        await opened.getByText('Create 2 labels?').waitFor();
        assert.equal(await opened.getByText('problems found').count(), 0);
        await opened.getByRole('button', { name: 'Create 2 labels' }).click();
        await opened.getByText('61 posts: 1 draft, 60 scheduled. New labels: “Spring”, “Maps”.').waitFor();
        await opened.getByText('60 posts have no media yet.').waitFor();
        await opened.getByText('For 59 times in the file without one.').waitFor();
        await opened.getByRole('combobox', { name: 'Time zone' }).fill('Tokyo');
        await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
        await opened.getByRole('button', { name: 'Import 61 posts' }).click();
        await opened.getByText('61 posts imported').waitFor();
      });
      const { json } = await org.call('GET', '/api/v1/posts?status=scheduled&sort=scheduled_at&per_page=100');
      const posts = json.data as Record<string, unknown>[];
      assert.deepEqual(
        [posts.length, posts[0]?.scheduled_at, posts[59]?.scheduled_at, posts[59]?.social_account_id],
        [60, '2032-10-31T01:30:00Z', '2032-12-01T09:00:00Z', account],
      );
      const drafts = (await org.call('GET', '/api/v1/posts?status=draft')).json.data;
      assert.deepEqual([drafts.length, drafts[0].social_account_id], [1, null]);
    },
  );

  itInProofs('takes the corrected file in place of the first', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/library', 'Library');
      await press(page, 'Import posts');
      const opened = await dialog(page, 'Import posts');
      await opened.getByLabel('CSV file', { exact: true }).setInputFiles(file('titel\nA\n'));
      await opened.getByText('1 problem found').waitFor();
      await opened.getByText('This is an unknown column. Did you mean “title”?').waitFor();
      await opened.getByRole('button', { name: 'Choose another file' }).waitFor();
      await opened.getByLabel('CSV file', { exact: true }).setInputFiles(file('title\nA\n'));
      await opened.getByRole('button', { name: 'Import 1 post' }).click();
      await opened.getByText('1 post imported').waitFor();
    });
  });

  itInProofs('shows the title of a line with a problem, and takes another name for a column', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/library', 'Library');
      await press(page, 'Import posts');
      const opened = await dialog(page, 'Import posts');
      const csv = 'title,post-typ\nOne of the sheet,text\n';
      await opened.getByLabel('CSV file', { exact: true }).setInputFiles(file(csv));
      await opened.getByLabel('Column “post-typ”').selectOption('post_type');
      await opened.getByRole('button', { name: 'Check again' }).click();
      await opened.getByLabel('Line 2, post_type · One of the sheet').selectOption('slides');
      await opened.getByRole('button', { name: 'Check again' }).click();
      await opened.getByText('Ready to import').waitFor();
      await opened.getByRole('button', { name: 'Cancel' }).click();
      await opened.waitFor({ state: 'hidden' });
    });
    assert.equal((await org.call('GET', '/api/v1/posts')).json.pagination.total, 0);
  });

  itInProofs('is not offered to people who may only read', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'viewer'), async (page) => {
      await visit(page, '/library', 'Library');
      assert.equal(await page.getByRole('button', { name: 'Import posts' }).count(), 0);
    });
  });
});
