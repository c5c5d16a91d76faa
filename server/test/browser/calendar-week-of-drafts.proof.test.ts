// A week is planned from ten drafts, each dragged from beside the calendar to its day and hour.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { dayOf, wallOf, ZONE } from './pages/zoned-times.js';
import {
  cellOf,
  chipIn,
  draftIn,
  dragHint,
  dragTo,
  pointIn,
  rail,
  scheduleAsSuggested,
} from './steps/calendar-steps.js';
import { aPostWithSlide, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { pickSlot } from './steps/steps.js';

const TITLES = [
  'Five ways to fold a map',
  'First light on the ridge',
  'What contour lines tell you',
  'One pot, one spoon',
  'The harbour before six',
  'Rain gear in real rain',
  'Packing for one night',
  'How to read the clouds',
  'Boots after 800 kilometres',
  'North without a compass',
];

/** These are dragged onto days of the month. */
const LAST_TWO = TITLES.length - 2;

/** The seven days of next week, from Monday. */
function nextWeek(): string[] {
  const soon = Date.parse(`${dayOf(Date.now() + 7 * DAY_MS)}T12:00:00Z`);
  const monday = soon - ((new Date(soon).getUTCDay() + 6) % 7) * DAY_MS;
  return Array.from({ length: 7 }, (_, i) => new Date(monday + i * DAY_MS).toISOString().slice(0, 10));
}

const PHONE = { timezoneId: ZONE, width: 390, height: 844 };

describe('a week of drafts', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('is planned by dragging: all but two onto hours of the week, two onto days of the month', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const bare = await org.addPost({ title: 'A post without slides', post_type: 'slides' });
    const ids = new Map<string, string>();
    for (const title of TITLES) ids.set(title, await aPostWithSlide(org, title, accountId));
    const days = nextWeek();
    const plan = TITLES.map((title, i) => ({
      title,
      day: days[i % 7] as string,
      hour: i >= LAST_TWO ? 12 : i < 7 ? 10 : 16,
    }));
    const slotOf = async (title: string) =>
      (await org.call('GET', `/api/v1/posts/${ids.get(title)}`)).json.data.scheduled_at;

    const view = { timezoneId: ZONE, width: 1440, height: 1000 };
    await inTab(await openAs(browser, service, org, 'editor', view), async (page) => {
      await visit(page, `/calendar?view=week&date=${days[0]}`, 'Calendar');
      await rail(page)
        .getByRole('link', { name: `All ${TITLES.length + 1}` })
        .waitFor();
      await draftIn(page, 'A post without slides').getByText('No slides yet').waitFor();
      for (const { title, day, hour } of plan.slice(0, LAST_TWO)) await plans(page, title, day, hour);

      await page.getByText('Month', { exact: true }).click();
      for (const { title, day } of plan.slice(LAST_TWO)) await plans(page, title, day);
      await rail(page).getByRole('link', { name: 'All 1', exact: true }).waitFor();

      // Without a mouse there is a button, which has the focus again afterwards.
      const button = page.getByRole('button', { name: 'Schedule A post without slides…' });
      await button.press('Enter');
      await page.getByRole('dialog').getByText('Posting as').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await until('the focus is back', () => button.evaluate((it) => it === document.activeElement));

      // A past day takes no draft, and says so.
      const yesterday = dayOf(Date.now() - DAY_MS);
      await visit(page, `/calendar?date=${yesterday}`, 'Calendar');
      await chipsAreThere(page);
      await dragTo(draftIn(page, 'A post without slides'), await pointIn(cellOf(page, yesterday)));
      await page.getByText('Not scheduled', { exact: true }).waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0);

      // The drafts can be put away, and stay away.
      await page.getByRole('button', { name: 'Hide drafts' }).click();
      await rail(page).waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('button', { name: 'Drafts', exact: true, expanded: false }).waitFor();
      assert.equal(await rail(page).count(), 0);
    });
    for (const { title, day, hour } of plan) assert.equal(wallOf(await slotOf(title)), `${day} ${hour}:00`);
    assert.equal((await org.call('GET', `/api/v1/posts/${bare}`)).json.data.status, 'draft');
  });

  it('is planned on a phone: two from the days of the list, eight together from the library', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const ids: string[] = [];
    for (const title of TITLES) ids.push(await aPostWithSlide(org, title, accountId));
    const days = nextWeek();
    const slots = async () =>
      Promise.all(
        ids.map(async (id) =>
          wallOf((await org.call('GET', `/api/v1/posts/${id}`)).json.data.scheduled_at ?? 0),
        ),
      );

    await inTab(await openAs(browser, service, org, 'editor', PHONE), async (page) => {
      await visit(page, `/calendar?date=${days[0]}`, 'Calendar');
      for (const [n, title] of TITLES.slice(0, 2).entries()) {
        const day = page.getByRole('main').locator('section[aria-label]').nth(n);
        await day.getByRole('button', { name: /^Schedule a post for/ }).tap();
        await page.getByRole('dialog').getByRole('button', { name: title }).tap();
        await scheduleAsSuggested(page);
        await day.getByRole('link', { name: new RegExp(`${title}.*Scheduled`) }).waitFor();
      }

      await visit(page, '/library?status=draft', 'Library');
      const bar = page.getByRole('region', { name: 'Selected posts' });
      for (const title of TITLES.slice(2))
        await page.getByRole('checkbox', { name: `Select ${title}`, exact: true }).check();
      await bar.getByRole('button', { name: 'Schedule…' }).tap();
      const dialog = page.getByRole('dialog', { name: 'Schedule 8 posts' });
      // Escape leaves the dialog, not the selection.
      await dialog.getByLabel('Time', { exact: true }).focus();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await bar.getByText('8 selected').waitFor();
      await bar.getByRole('button', { name: 'Schedule…' }).tap();
      await dialog.getByLabel('Account').selectOption({ value: accountId });
      await dialog.getByRole('combobox', { name: 'Who can see them' }).selectOption('Everyone');
      await pickSlot(dialog, days[2] as string, '10:00');
      await dialog.getByLabel('Then every').fill('12');
      await dialog.getByLabel('Unit').selectOption('hours');
      await dialog.getByRole('button', { name: 'Schedule 8 posts' }).tap();
      await page.getByText('8 posts scheduled.').waitFor();

      await visit(page, `/calendar?date=${days[0]}`, 'Calendar');
      const planned = page.getByRole('main').getByRole('link', { name: /Scheduled/ });
      await planned.nth(9).waitFor();
      assert.equal(await planned.count(), 10);
    });
    assert.deepEqual(
      (await slots()).map((slot) => slot.slice(0, 10)),
      [0, 1, 2, 2, 3, 3, 4, 4, 5, 5].map((n) => days[n]),
    );
  });
});

/** Drags a draft to its slot: without an hour, to a day of the month. */
async function plans(page: Page, title: string, day: string, hour?: number): Promise<void> {
  const cell = cellOf(page, day);
  await cell.waitFor();
  const time = `${hour ?? 12}:00`;
  const draft = draftIn(page, title);
  await draft.waitFor();
  const target = await pointIn(cell, hour === undefined ? undefined : hour + 0.1);
  await dragTo(draft, target, () => dragHint(page).filter({ hasText: time }).waitFor());
  await scheduleAsSuggested(page);
  await chipIn(page, day, new RegExp(`${time}.*${title}.*Scheduled`)).waitFor();
  await draft.waitFor({ state: 'detached' });
}

/** The grid is visible when it has been measured. */
const chipsAreThere = (page: Page) => page.locator('[data-settled=true]').waitFor();
