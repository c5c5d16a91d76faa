// What went wrong and what will go wrong is seen in the calendar, and nothing that is due is hidden there.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { setPost } from '../support/service/posts.js';
import { complete, upload } from '../support/service/uploads.js';
import { inBrowsers, type View } from './pages/browser.js';
import { cellOf, chipIn, dragHint, pointIn, rail, scheduleAsSuggested } from './steps/calendar-steps.js';
import { aPostWithSlide, book, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { type NamedFile, signIn, slideAt, slides } from './steps/steps.js';

/** Its days are those of the tests themselves. */
const WIDE: View = { timezoneId: 'UTC', width: 1440, height: 800 };
const PHONE: View = { timezoneId: 'UTC', width: 390, height: 844 };
const dayAt = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const YESTERDAY = dayAt(-1);
const DAY = dayAt(3);
const BUSY = dayAt(4);
const CROWDED = dayAt(5);
const REASON = 'The first slide is too small for the sandbox';

inBrowsers(everyday(['chromium'], ['chromium', 'firefox']), 'trouble in the calendar', (browser) => {
  const service = useService('sqlite', OBEDIENT);
  let org: Organization;
  let failed: string;
  let field: string;

  before(async () => {
    org = await service.newOrganization();
    field = await org.connectAccount('field.notes');
    const city = await org.connectAccount('city.notes');
    failed = await aPostWithSlide(org, 'The knot everyone gets wrong', field);
    await setPost(service, failed, {
      last_slot: Date.parse(`${YESTERDAY}T10:00:00Z`),
      last_publish_error: REASON,
    });
    const bare = await org.addPost({ title: 'Stove test', post_type: 'slides', social_account_id: field });
    await book(org, bare, field, Date.parse(`${DAY}T06:45:00Z`));
    const late = await aPostWithSlide(org, 'A valley at midnight', field);
    await book(org, late, field, Date.parse(`${DAY}T23:45:00Z`));
    const film = await org.addPost({ title: 'Three days along the coast', post_type: 'video' });
    // Every Chromium can play this format.
    const { object_key } = await upload(org, film, 'tiny.webm');
    await complete(org, film, object_key);
    await book(org, film, city, Date.parse(`${DAY}T12:00:00Z`));
    for (let hour = 8; hour < 15; hour++)
      await book(
        org,
        await aPostWithSlide(org, `Busy ${hour}`, field),
        field,
        Date.parse(`${BUSY}T${String(hour).padStart(2, '0')}:00:00Z`),
      );
    const bareAt = async (title: string, time: string) =>
      book(org, await org.addPost({ title, post_type: 'slides' }), field, Date.parse(`${time}:00Z`));
    await bareAt('Busy 15', `${BUSY}T15:00`);
    for (const title of ['Tent', 'Stove'])
      await book(org, await aPostWithSlide(org, title, field), field, Date.parse(`${CROWDED}T10:00:00Z`));
    await bareAt('Rope', `${CROWDED}T10:00`);
    await bareAt('Lamp', `${CROWDED}T10:20`);
  });

  it('a failed post is on the day it was due, one that will fail says why, and filters find both', async () => {
    await inTab(await openAs(browser, service, org, 'editor', WIDE), async (page) => {
      await visit(page, `/calendar?date=${DAY}`, 'Calendar');
      const failing = chipIn(page, DAY, /06:45.*Stove test.*Will fail: Add at least one slide/);
      await failing.waitFor();
      assert.match(
        (await failing.locator('..').getAttribute('title')) ?? '',
        /Will fail: Add at least one slide/,
      );
      await chipIn(page, DAY, /23:45.*A valley at midnight.*Scheduled/).waitFor();

      // A video has a frame of itself as its cover.
      const frame = await chipIn(page, DAY, /Three days along the coast/)
        .locator('canvas')
        .elementHandle();
      await page.waitForFunction(
        (canvas) =>
          canvas instanceof HTMLCanvasElement &&
          canvas.width > 1 &&
          canvas.getContext('2d')?.getImageData(20, 60, 1, 1).data[3] === 255,
        frame,
      );

      // All posts of a full day open from the keyboard, and Esc leads back.
      const more = cellOf(page, BUSY).getByRole('button', { name: '+5 more' });
      await more.press('Enter');
      const list = page.getByRole('dialog');
      await list.getByRole('link', { name: /14:00.*Busy 14/ }).waitFor();
      assert.equal(await list.getByRole('link').count(), 8);
      await page.keyboard.press('Escape');
      await list.waitFor({ state: 'detached' });
      assert.ok(await more.evaluate((it) => it === document.activeElement), 'the focus is lost');

      await choose(page, 'Account', 'city.notes');
      await failing.waitFor({ state: 'detached' });
      await chipIn(page, DAY, /Three days along the coast/).waitFor();
      await choose(page, 'Status', 'Posted');
      await page.getByText('No posts match these filters.').waitFor();
      assert.match(page.url(), /account=[^&]+.*status=posted/);
      await page.reload();
      await page.getByText('No posts match these filters.').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await failing.waitFor();
      assert.doesNotMatch(page.url(), /account|status/);

      await visit(page, `/calendar?date=${YESTERDAY}&status=failed`, 'Calendar');
      const chip = chipIn(page, YESTERDAY, new RegExp(`10:00.*The knot.*Failed: ${REASON}`));
      await chip.waitFor();
      assert.equal(await chip.locator('..').getAttribute('data-tone'), 'attention');
      await page.getByRole('button', { name: 'Move The knot everyone gets wrong…' }).press('Enter');
      await page.getByRole('dialog').getByText('Posting as').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await chip.click();
      await page.getByRole('heading', { level: 1, name: 'The knot everyone gets wrong' }).waitFor();
    });
  });

  itInProofs('what will fail comes first on a full day, and its words are not cut off', async () => {
    for (const width of [1280, 1440])
      for (const time_format of ['12h', '24h'] as const) {
        const person = await newPerson(service, org.id, 'editor');
        await person.browser.call('PATCH', '/api/v1/me', { time_format });
        const tab = await browser.open(service.url, { ...WIDE, width });
        await signIn(tab, person, `/calendar?date=${BUSY}`);
        await inTab(tab, async (page) => {
          const first = cellOf(page, BUSY).locator('a[href]').first();
          await first.filter({ hasText: 'Busy 15' }).waitFor();
          await rail(page).waitFor();
          await isWhole(first.getByText('Will fail', { exact: true }).locator('..'));
          await visit(page, `/calendar?view=week&date=${CROWDED}`, 'Calendar');
          // Beside the posts of 10:00.
          const beside = chipIn(page, CROWDED, /Lamp/);
          await isWhole(beside.getByText('Will fail', { exact: true }));
        });
      }
  });

  itInProofs(
    'the week has one chip for posts of the same minute, on the clock that the person prefers',
    async () => {
      const person = await newPerson(service, org.id, 'editor');
      await person.browser.call('PATCH', '/api/v1/me', { time_format: '12h' });
      const tab = await browser.open(service.url, WIDE);
      await signIn(tab, person, `/calendar?view=week&date=${CROWDED}`);
      await inTab(tab, async (page) => {
        const stack = cellOf(page, CROWDED).getByRole('button', { name: /^3 posts, 10:00 am.*1 will fail/ });
        await stack.press('Enter');
        const list = page.getByRole('dialog');
        for (const title of ['Tent', 'Stove', 'Rope'])
          await list.getByRole('link', { name: new RegExp(title) }).waitFor();
        assert.equal(await list.getByRole('link').count(), 3);
        await page.keyboard.press('Escape');
        await list.waitFor({ state: 'detached' });
        const isFocused = () => stack.evaluate((it) => it === document.activeElement);
        await until('the focus is back', isFocused);
        // A post is moved from the list, and the focus comes back.
        await stack.click();
        await list.getByRole('button', { name: 'Move Rope…' }).click();
        await page.getByRole('dialog', { name: 'Reschedule' }).getByText('Posting as').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await until('the focus is back after the sheet', isFocused);

        const hours = page.locator('[data-hours]');
        await hours.getByText('9:00 am', { exact: true }).last().waitFor();
        await person.browser.call('PATCH', '/api/v1/me', { time_format: '24h' });
        await page.reload();
        await hours.getByText('09:00', { exact: true }).last().waitFor();
        await hours.getByText('00:00', { exact: true }).last().waitFor({ state: 'attached' });
        await cellOf(page, CROWDED)
          .getByRole('button', { name: /^3 posts, 10:00/ })
          .waitFor();
      });
    },
  );

  itInProofs(
    'the week marks what is due outside its hours, and files dropped on an hour begin a post there',
    async () => {
      await inTab(await openAs(browser, service, org, 'editor', WIDE), async (page) => {
        await visit(page, `/calendar?view=week&date=${DAY}&account=${field}`, 'Calendar');
        const mark = (name: string) => page.getByRole('button', { name, exact: true });
        const isInView = async (name: RegExp) => {
          const chip = await chipIn(page, DAY, name).boundingBox();
          const hours = await page.locator('[data-hours]').boundingBox();
          assert.ok(chip && hours);
          return chip.y >= hours.y - 1 && chip.y + 20 <= hours.y + hours.height;
        };
        await mark('1 later').waitFor();
        await mark('1 earlier').click();
        await mark('1 earlier').waitFor({ state: 'detached' });
        assert.ok(await isInView(/06:45.*Stove test/), 'the earlier post is hidden');
        assert.match((await page.evaluate(() => document.activeElement?.textContent)) ?? '', /Stove test/);
        await mark('1 later').press('Enter');
        await mark('1 later').waitFor({ state: 'detached' });
        assert.ok(await isInView(/23:45.*A valley at midnight/), 'the later post is hidden');

        const files = await slides(0, ['ridge.jpg', 'valley.jpg']);
        await dropFiles(page, DAY, 17.1, files);
        await page.waitForURL(/\/posts\/[^/]+\/edit$/);
        for (const [i, { name }] of files.entries()) await slideAt(page, i + 1, name).waitFor();
        await page.getByRole('list', { name: 'Uploads' }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Schedule…', exact: true }).click();
        const accounts = page.getByRole('dialog').getByRole('combobox', { name: 'Account', exact: true });
        await accounts.selectOption(field);
        await scheduleAsSuggested(page);
      });
      const { data } = (await org.call('GET', '/api/v1/posts?q=ridge')).json;
      assert.deepEqual(
        data.map((post: { scheduled_at: string }) => post.scheduled_at),
        [`${DAY}T17:00:00Z`],
      );
    },
  );

  itInProofs('on a phone the list begins today, and earlier days are one tap away', async () => {
    await inTab(await openAs(browser, service, org, 'editor', PHONE), async (page) => {
      await visit(page, '/calendar', 'Calendar');
      const days = page.getByRole('main').locator('section[aria-label] h3');
      await page.getByText('Will fail', { exact: true }).first().waitFor();
      assert.match((await days.first().textContent()) ?? '', /, today$/);
      assert.equal(await days.count(), 7);
      await page.getByText('Add at least one slide.').first().waitFor();
      assert.equal(await page.getByText(REASON).count(), 0);

      await page.getByRole('button', { name: 'Earlier days' }).click();
      await page.getByText(REASON).waitFor();
      await page.getByRole('link', { name: /10:00.*The knot.*Failed/ }).waitFor();
      await page.getByRole('button', { name: 'Earlier days' }).click();
      await page.getByText('Nothing was posted on these days.').waitFor();
      await page.getByRole('button', { name: 'Today' }).click();
      await page.getByText('Will fail', { exact: true }).first().waitFor();

      await page.getByRole('combobox', { name: 'Status' }).selectOption('Posted');
      await page.getByText('No posts match these filters.').waitFor();
      assert.match(page.url(), /status=posted/);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByText('Will fail', { exact: true }).first().waitFor();
      const isTooWide = () => document.documentElement.scrollWidth > window.innerWidth;
      assert.equal(await page.evaluate(isTooWide), false, 'it is wider than the phone');
    });
    const empty = await service.newOrganization();
    await inTab(await openAs(browser, service, empty, 'editor', PHONE), async (page) => {
      await visit(page, '/calendar', 'Calendar');
      await page.getByText('Nothing scheduled on these days. Tap + on a day to start.').waitFor();
    });
  });
});

async function isWhole(words: Locator): Promise<void> {
  await words.waitFor();
  const [shown, full] = await words.evaluate((it) => [it.clientWidth, it.scrollWidth]);
  assert.ok(shown !== undefined && full !== undefined && full <= shown && shown > 0, `${shown} of ${full}`);
}

/** In the lists of the toolbar. */
async function choose(page: Page, name: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name }).click();
  await page.getByRole('option', { name: option }).click();
}

/** As if they were dragged from the desktop. */
async function dropFiles(page: Page, day: string, hour: number, files: NamedFile[]): Promise<void> {
  const cell = cellOf(page, day);
  const { x, y } = await pointIn(cell, hour);
  const dataTransfer = await page.evaluateHandle(
    (given) => {
      const transfer = new DataTransfer();
      for (const { name, type, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { type }));
      }
      return transfer;
    },
    files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, base64: buffer.toString('base64') })),
  );
  const at = { dataTransfer, clientX: x, clientY: y };
  await cell.dispatchEvent('dragover', at);
  await dragHint(page)
    .filter({ hasText: `${Math.floor(hour)}:00` })
    .waitFor();
  await cell.dispatchEvent('drop', at);
}
