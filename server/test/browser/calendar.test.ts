// Posts are scheduled on free days and hours of the calendar, and shown there.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { inBrowsers, type View } from './pages/browser.js';
import { dayOf, wallOf, ZONE } from './pages/zoned-times.js';
import { cellOf, chipIn } from './steps/calendar-steps.js';
import {
  aPostWithSlide,
  book,
  DAY_MS,
  inTab,
  OBEDIENT,
  openAs,
  publishUntil,
  visit,
} from './steps/people-in-tabs.js';
import { addSlides, saved, slides, slotIn } from './steps/steps.js';

const TALL: View = { timezoneId: ZONE, height: 1200 };
/** Far enough ahead that all of its hours are free. */
const DAY = dayOf(Date.now() + 3 * DAY_MS);

const postOf = async (org: Organization, id: string) =>
  (await org.call('GET', `/api/v1/posts/${id}`)).json.data;

inBrowsers(everyday(['chromium'], ['chromium', 'firefox']), 'the calendar', (browser) => {
  const service = useService('sqlite', OBEDIENT);

  it('a draft is scheduled on a free day of the month, and shown there at its time', async () => {
    const org = await service.newOrganization();
    const id = await aPostWithSlide(org, 'Dawn in the old town', await org.connectAccount());
    await org.addPost({ title: 'Notes without slides' });

    await inTab(await openAs(browser, service, org, 'editor', TALL), async (page) => {
      await visit(page, `/calendar?date=${DAY}`, 'Calendar');
      // The days are one stop of the Tab key, and the arrow keys go from day to day.
      const days = page.getByRole('grid').locator('[role=link]');
      await cellOf(page, DAY).locator('[role=link]').focus();
      assert.equal(await days.evaluateAll((all) => all.filter(({ tabIndex }) => tabIndex === 0).length), 1);
      const wentTo = async (key: string) => {
        await page.keyboard.press(key);
        return page.locator(':focus').evaluate((at) => at.closest<HTMLElement>('[data-date]')?.dataset.date);
      };
      const first = (await wentTo('Home')) ?? '';
      assert.equal(await wentTo('End'), daysAfter(first, 6));
      assert.equal(await wentTo('ArrowLeft'), daysAfter(first, 5));
      const slot = page.getByRole('dialog', { name: /^Schedule for / });
      await page.keyboard.press('Enter');
      await slot.waitFor();
      await page.keyboard.press('Escape');
      await slot.waitFor({ state: 'hidden' });
      await cellOf(page, DAY).click();
      await slot.getByLabel('Time', { exact: true }).fill('14:30');
      // What a draft lacks is said before it is chosen.
      await slot.getByRole('button', { name: 'Notes without slides No slides yet' }).waitFor();
      await slot.getByRole('button', { name: 'Dawn in the old town', exact: true }).click();
      await schedule(page, `${DAY}T14:30`);
      await chipIn(page, DAY, /14:30.*Dawn in the old town.*Scheduled/).waitFor();

      // When the clocks go back, an hour comes twice: a person says which is meant.
      const longDay = lastSundayOfOctober(Number(DAY.slice(0, 4)) + 1);
      await visit(page, `/calendar?date=${longDay}`, 'Calendar');
      await cellOf(page, longDay).click();
      await slot.getByLabel('Time', { exact: true }).fill('02:30');
      const link = slot.getByRole('link', { name: 'New post' });
      const leadsTo = (at: string) =>
        until(`a new post is for ${at}`, async () =>
          decodeURIComponent((await link.getAttribute('href')) ?? '').includes(`${longDay}T${at}`),
        );
      await leadsTo('00:30');
      await slot.getByRole('radio', { name: /^The second time \(UTC\+1/ }).check();
      await leadsTo('01:30');
    });
    assert.equal(wallOf((await postOf(org, id)).scheduled_at), `${DAY} 14:30`);
  });

  itInProofs('a post is written for a free hour of the week, and shown there', async () => {
    const org = await service.newOrganization();
    await org.connectAccount();

    await inTab(await openAs(browser, service, org, 'editor', TALL), async (page) => {
      await visit(page, `/calendar?view=week&date=${DAY}`, 'Calendar');
      await clickAt(cellOf(page, DAY), 14.3);
      const slot = page.getByRole('dialog', { name: /^Schedule for / });
      assert.equal(await slot.getByLabel('Time', { exact: true }).inputValue(), '14:15');
      await slot.getByRole('link', { name: 'New post' }).click();
      await page.getByLabel('Title', { exact: true }).fill('Cold water, warm feet');
      await page.waitForURL(/\/posts\/[^/]+\/edit$/);
      await saved(page);
      await addSlides(page, await slides(1, ['feet.jpg']));
      await page.getByRole('button', { name: 'Schedule…', exact: true }).click();
      await schedule(page, `${DAY}T14:15`);

      await visit(page, `/calendar?view=week&date=${DAY}`, 'Calendar');
      await chipIn(page, DAY, /14:15.*Cold water, warm feet.*Scheduled/).waitFor();
    });
    const [post] = (await org.call('GET', '/api/v1/posts')).json.data;
    assert.equal(wallOf(post.scheduled_at), `${DAY} 14:15`);
  });

  itInProofs('the week shows scheduled and published posts, each at its time', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const gone = await aPostWithSlide(org, 'Boots after 800 kilometres', accountId);
    const next = await aPostWithSlide(org, 'Huts worth the climb', accountId);
    await publishUntil(org, gone, accountId, 'published');
    await book(org, next, accountId, Date.parse(`${DAY}T10:00:00Z`));
    const { posted_at } = await postOf(org, gone);
    const { scheduled_at } = await postOf(org, next);

    await inTab(await openAs(browser, service, org, 'viewer', TALL), async (page) => {
      for (const [at, words] of [
        [posted_at, 'Boots after 800 kilometres.*Posted'],
        [scheduled_at, 'Huts worth the climb.*Scheduled'],
      ]) {
        await visit(page, `/calendar?view=week&date=${dayOf(at)}`, 'Calendar');
        await chipIn(page, dayOf(at), new RegExp(`${wallOf(at).slice(11)}.*${words}`)).waitFor();
      }
    });
  });
});

const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

function lastSundayOfOctober(year: number): string {
  const last = new Date(Date.UTC(year, 9, 31));
  return new Date(last.getTime() - last.getUTCDay() * DAY_MS).toISOString().slice(0, 10);
}

/** On a day of the week, so many hours after midnight. */
async function clickAt(day: Locator, hour: number): Promise<void> {
  await day.waitFor();
  const box = await day.boundingBox();
  assert.ok(box);
  await day.click({ position: { x: box.width / 2, y: (box.height * hour) / 24 } });
}

/** Completes the dialog, which starts with the chosen time. */
async function schedule(page: Page, wall: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Schedule', exact: true });
  await dialog.getByText('Posting as').waitFor();
  assert.equal(await slotIn(dialog), wall);
  // The day is chosen, so its month is folded, and no other one is suggested.
  assert.equal(await dialog.getByRole('list', { name: 'Suggestions' }).count(), 0);
  await dialog.getByRole('button', { name: 'Change day' }).click();
  await dialog.locator('[data-day][aria-pressed=true]').and(page.locator(':focus')).waitFor();
  assert.equal(await slotIn(dialog), wall);
  await dialog.getByRole('combobox', { name: 'Who can see it' }).selectOption('Everyone');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
