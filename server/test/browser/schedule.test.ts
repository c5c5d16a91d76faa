// From a draft to a slot, from the slot to another day, and from there to the platform.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { at, changePost, readPost } from '../support/service/posts.js';
import { useBrowser, type View } from './pages/browser.js';
import { dayOf, wallOf, ZONE } from './pages/zoned-times.js';
import {
  aPostWithSlide,
  book,
  DAY_MS,
  HOUR_MS,
  inTab,
  OBEDIENT,
  openAs,
  visit,
} from './steps/people-in-tabs.js';
import { pickSlot } from './steps/steps.js';

/** A whole month is visible. */
const TALL: View = { timezoneId: ZONE, height: 1200 };

/** Two consecutive future days of the same month, so that the month shows both. */
function twoDays(): [first: string, second: string] {
  const soon = Date.now() + 3 * DAY_MS;
  const from = dayOf(soon).slice(0, 7) === dayOf(soon + DAY_MS).slice(0, 7) ? soon : soon + DAY_MS;
  return [dayOf(from), dayOf(from + DAY_MS)];
}

function lastSundayOfMarch(): string {
  const last = new Date(Date.UTC(Number(dayOf(Date.now()).slice(0, 4)) + 1, 2, 31));
  return new Date(last.getTime() - last.getUTCDay() * DAY_MS).toISOString().slice(0, 10);
}

describe('schedule', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  afterEach(() => service.clock.resume());

  it('a time that schedules nothing is told on the post, and removed there', async () => {
    const org = await service.newOrganization();
    const scheduled_at = at(service.clock.now() + DAY_MS);
    const id = await aPostWithSlide(org, 'Planned, not booked', await org.connectAccount());
    await changePost(org, id, { scheduled_at });
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}`, 'Planned, not booked');
      const remove = page.getByRole('button', { name: 'Remove time' });
      await remove.click();
      await remove.waitFor({ state: 'detached' });
      await page.getByText('Ready to publish').waitFor();
    });
    assert.equal((await readPost(org, id)).scheduled_at, null);
  });

  it('a post is scheduled in the dialog, dragged to another day, and published on that day', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, 'The harbour before six', accountId);
    const slot = async () => (await org.call('GET', `/api/v1/posts/${id}`)).json.data.scheduled_at;
    const [first, second] = twoDays();

    await inTab(await openAs(browser, service, org, 'editor', TALL), async (page) => {
      await visit(page, `/posts/${id}`, 'The harbour before six');
      await page.getByRole('button', { name: 'Schedule…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Schedule', exact: true });
      await dialog.getByText('Posting as').waitFor();
      // At an hour that the clocks skip, the dialog says so beside the time.
      await pickSlot(dialog, lastSundayOfMarch(), '02:30');
      const note = await dialog.getByText('02:30 doesn’t exist that day').boundingBox();
      const time = await dialog.getByLabel('Time', { exact: true }).boundingBox();
      assert.ok(
        note && time && Math.abs(note.y - time.y) < 120,
        `the note is ${note?.y}, the time ${time?.y}`,
      );
      // What was chosen before is forgotten.
      await visit(page, `/posts/${id}`, 'The harbour before six');
      await page.getByRole('button', { name: 'Schedule…' }).click();
      await dialog.getByText('Posting as').waitFor();
      await pickSlot(dialog, first, '12:00');
      // What is missing is one press away.
      const audience = dialog.getByRole('combobox', { name: 'Who can see it' });
      await dialog.getByRole('button', { name: 'Choose who can see the post.' }).click();
      await audience.and(page.locator(':focus')).waitFor();
      await audience.selectOption('Everyone');
      await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await badge(page, 'Scheduled');
      assert.equal(wallOf(await slot()), `${first} 12:00`);

      await visit(page, `/calendar?date=${first}`, 'Calendar');
      await drag(page, 'The harbour before six', second);
      await page.getByText('Moved', { exact: true }).waitFor();
      assert.equal(wallOf(await slot()), `${second} 12:00`);
      const undo = page.getByRole('button', { name: 'Undo' });
      await undo.click();
      await page.getByText('Moved back', { exact: true }).waitFor();
      assert.equal(wallOf(await slot()), `${first} 12:00`);
      await undo.waitFor({ state: 'detached' });

      // Undo leaves a post alone that someone has unscheduled since.
      await drag(page, 'The harbour before six', second);
      await undo.waitFor();
      const slotThere = await slot();
      await org.call('PATCH', `/api/v1/posts/${id}`, { status: 'draft' });
      await undo.click();
      await page.getByText('Not moved back', { exact: true }).waitFor();
      await page.getByText('The harbour before six is no longer scheduled.').waitFor();
      assert.equal(await slot(), null);
      await org.call('PATCH', `/api/v1/posts/${id}`, { status: 'scheduled', scheduled_at: slotThere });
      assert.equal(wallOf(await slot()), `${second} 12:00`);
    });

    // Days later the session has expired: another one watches.
    const slotMs = Date.parse(await slot());
    service.clock.advance(slotMs - HOUR_MS - service.clock.now());
    await inTab(await openAs(browser, service, org, 'editor', TALL), async (page) => {
      await visit(page, `/posts/${id}`, 'The harbour before six');
      await badge(page, 'Scheduled');
      service.clock.advance(slotMs - service.clock.now());
      await badge(page, 'Posted');
      await page.getByRole('heading', { name: 'Attempt 1, scheduled' }).waitFor();
      await page.getByRole('link', { name: 'Open in the sandbox' }).waitFor();
    });
  });

  itInProofs('without a mouse, a post is moved by the button on it', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, 'Boots after 800 kilometres', accountId);
    const [first, second] = twoDays();
    await book(org, id, accountId, Date.parse(`${first}T10:00:00Z`));
    const other = await aPostWithSlide(org, 'Socks after 400', accountId);
    const taken = [7, 8].map((hour) => Date.parse(`${second}T0${hour}:30:00Z`));
    await book(org, other, accountId, taken.find((moment) => wallOf(moment) === `${second} 09:30`) as number);

    await inTab(await openAs(browser, service, org, 'editor', TALL), async (page) => {
      await visit(page, `/calendar?date=${first}`, 'Calendar');
      await page.getByRole('button', { name: 'Move Boots after 800 kilometres…' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Reschedule' });
      await dialog.getByText('Posting as').waitFor();
      await pickSlot(dialog, second, '9:30');
      await dialog.getByText('1 other post of this account goes out then.').waitFor();
      await dialog.getByRole('button', { name: 'Reschedule', exact: true }).press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await page
        .getByRole('main')
        .getByRole('link', { name: /09:30.*Boots after 800 kilometres/ })
        .waitFor();
    });
    const { scheduled_at } = (await org.call('GET', `/api/v1/posts/${id}`)).json.data;
    assert.equal(wallOf(scheduled_at), `${second} 09:30`);
  });
});

/** The status that the page of a post shows. */
const badge = (page: Page, label: string) =>
  page.getByRole('region', { name: 'Status' }).getByText(label, { exact: true }).waitFor();

/** With the mouse, in the month, to the middle of a day. */
async function drag(page: Page, title: string, day: string): Promise<void> {
  const chip = page.getByRole('main').getByRole('link', { name: new RegExp(title) });
  // Waits until nothing moves any more by itself.
  await chip.hover();
  const box = await page.locator(`[data-date="${day}"]`).boundingBox();
  assert.ok(box, 'the day is not shown');
  await page.mouse.down();
  // In steps: a jump is no drag.
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 12 });
  await page.mouse.up();
}
