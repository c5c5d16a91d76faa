// Many posts together: moved, scheduled, unscheduled and deleted from the library, and what of it can be undone.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { goThrough } from '../support/service/connecting.js';
import { type Organization, useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
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
import { pickSlot } from './steps/steps.js';

/** In a January: clocks do not change there, so a day has 24 hours. */
const FIRST_SLOT = Date.UTC(new Date().getUTCFullYear() + 1, 0, 10, 9);
const PHONE = { width: 390, height: 844 };
const slot = (days: number) => new Date(FIRST_SLOT + days * DAY_MS).toISOString().replace('.000Z', 'Z');

describe('bulk actions in the library', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  let org: Organization;
  let accountId: string;

  before(async () => {
    org = await service.newOrganization();
    accountId = await org.connectAccount('field.notes');
  });

  const read = async (ids: string[], field: string) =>
    Promise.all(ids.map(async (id) => (await org.call('GET', `/api/v1/posts/${id}`)).json.data?.[field]));
  const reach = (ids: string[], field: string, wanted: unknown[]) =>
    until(
      `${field} is ${wanted}`,
      async () => JSON.stringify(await read(ids, field)) === JSON.stringify(wanted),
    );
  const bar = (page: Page) => page.getByRole('region', { name: 'Selected posts' });
  const select = (page: Page, title: string) =>
    page.getByRole('checkbox', { name: `Select ${title}`, exact: true }).check();

  it('of ten scheduled posts moves by a day and back, and names the draft that cannot move', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      const id = await aPostWithSlide(org, `Planned ${n}`, accountId);
      await book(org, id, accountId, FIRST_SLOT + n * DAY_MS);
      ids.push(id);
    }
    await org.addPost({ title: 'Only a draft' });
    const slots = ids.map((_, n) => slot(n));
    assert.deepEqual(await read(ids, 'scheduled_at'), slots);

    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      await select(page, 'Only a draft');
      assert.ok(await bar(page).getByRole('button', { name: 'Move…' }).isDisabled());
      await bar(page).getByRole('button', { name: 'Select all on this page' }).click();
      await bar(page).getByText('11 selected').waitFor();
      await bar(page).getByRole('button', { name: 'Move…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Move 10 posts' });
      assert.equal(await dialog.getByLabel('Days').inputValue(), '1');
      await dialog.getByText('1 of the selected posts isn’t scheduled and won’t move.').waitFor();
      await dialog.getByRole('button', { name: 'Move 10 posts' }).click();

      // The notice disappears by itself, but not while the pointer is on it.
      await page.getByText('10 posts moved 1 day later.').hover();
      assert.deepEqual(
        await read(ids, 'scheduled_at'),
        ids.map((_, n) => slot(n + 1)),
      );
      await page.getByText('“Only a draft” wasn’t moved').waitFor();
      await page.getByText('Only scheduled posts can be moved.', { exact: true }).waitFor();
      await bar(page).getByText('1 selected').waitFor();
      assert.ok(await page.getByRole('checkbox', { name: 'Select Only a draft', exact: true }).isChecked());

      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('10 posts moved back.').waitFor();
      assert.deepEqual(await read(ids, 'scheduled_at'), slots);

      // Scheduling says which post would lose its time, and deleting which one stays.
      await select(page, 'Planned 0');
      await bar(page).getByRole('button', { name: 'Schedule…' }).click();
      const again = page.getByRole('dialog', { name: 'Schedule 2 posts' });
      await again.getByText('1 of these posts is already scheduled and will move to a new time.').waitFor();
      const moved = again.getByRole('list', { name: 'Slots' }).getByRole('listitem');
      assert.match(
        (await moved.filter({ hasText: 'Planned 0' }).textContent()) ?? '',
        /10 Jan.* → .*, 0?9:00/,
      );
      await again.getByRole('button', { name: 'Cancel' }).click();
      await again.waitFor({ state: 'hidden' });
      await bar(page).getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      const asking = page.getByRole('dialog', { name: 'Delete 1 post?' });
      await asking.getByText('Scheduled: “Planned 0”. Archive it first.').waitFor();
      await asking.getByRole('button', { name: 'Cancel' }).click();
      await asking.waitFor({ state: 'hidden' });
    });

    // The same on a phone, by touch.
    await inTab(await openAs(browser, service, org, 'editor', PHONE), async (page) => {
      await visit(page, '/library?status=scheduled', 'Library');
      const top = async () => (await page.locator('main [data-post]').first().boundingBox())?.y ?? 844;
      await until('the first cover is near the top', async () => (await top()) <= 256);
      const before = await top();
      await select(page, 'Planned 0');
      await bar(page).getByText('1 selected').waitFor();
      assert.equal(await top(), before, 'the bar moves the posts');
      // A title of any length would not fit the button.
      await bar(page).getByRole('button', { name: 'Schedule…' }).tap();
      const one = page.getByRole('dialog', { name: 'Schedule “Planned 0”' });
      await one.getByRole('button', { name: 'Schedule post', exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await one.waitFor({ state: 'hidden' });
      await bar(page).getByRole('button', { name: 'More actions' }).tap();
      await page.getByRole('menuitem', { name: 'Select all on this page' }).tap();
      await bar(page).getByText('10 selected').waitFor();
      await bar(page).getByRole('button', { name: 'Move…' }).tap();
      const dialog = page.getByRole('dialog', { name: 'Move 10 posts' });
      await dialog.getByText('Earlier', { exact: true }).tap();
      await dialog.getByRole('button', { name: 'Move 10 posts' }).tap();
      await page.getByText('10 posts moved 1 day earlier.').waitFor();
      assert.deepEqual(
        await read(ids, 'scheduled_at'),
        ids.map((_, n) => slot(n - 1)),
      );
      await page.getByRole('button', { name: 'Undo' }).tap();
      await page.getByText('10 posts moved back.').waitFor();
      assert.deepEqual(await read(ids, 'scheduled_at'), slots);
    });
    for (const id of ids) await org.call('PATCH', `/api/v1/posts/${id}`, { status: 'draft' });
    await org.call('PATCH', '/api/v1/posts/batch', { ids, action: 'archive' });
  });

  itInProofs('of drafts is scheduled one after the other, unscheduled and deleted', async () => {
    const ids: string[] = [];
    for (const title of ['First', 'Second', 'Third']) ids.push(await aPostWithSlide(org, title));
    const planned = [slot(0), slot(2), slot(4)];
    // A draft may have a time, which schedules nothing.
    await org.call('PATCH', `/api/v1/posts/${ids[0]}`, { scheduled_at: slot(9) });
    await org.call('PATCH', `/api/v1/social-accounts/${accountId}`, { default_mode: 'direct' });
    await goThrough(org, 'inbox.notes', ['user.info.basic', 'video.upload']);
    await publishUntil(org, await aPostWithSlide(org, 'Long gone', accountId), accountId, 'published');
    const accounts = (await org.call('GET', '/api/v1/social-accounts')).json.data;
    const inboxOnly = accounts.find(({ id }: { id: string }) => id !== accountId).id;

    await inTab(await openAs(browser, service, org), async (page) => {
      const notice = async (text: string) => page.getByText(text, { exact: true }).hover();
      const undo = () => page.getByRole('button', { name: 'Undo' }).click();
      await visit(page, '/library', 'Library');
      // Those that cannot have a slot are left out.
      await select(page, 'Long gone');
      assert.ok(await bar(page).getByRole('button', { name: 'Schedule…' }).isDisabled());
      for (const title of ['First', 'Second', 'Third']) await select(page, title);
      await bar(page).getByRole('button', { name: 'Schedule…' }).click();
      await page.getByText('“Long gone” is left out: it’s already posted.').waitFor();
      const dialog = page.getByRole('dialog', { name: 'Schedule 3 posts' });
      const send = dialog.getByRole('button', { name: 'Schedule 3 posts' });
      // A person chooses among several accounts, and always the audience: neither is preset.
      await dialog.getByText('Choose an account.').waitFor();
      await keepsDelivery(dialog, accountId, inboxOnly);
      await dialog.getByLabel('Account').selectOption({ value: accountId });
      await dialog.getByText('Choose who can see the posts.').waitFor();
      await dialog.getByRole('combobox', { name: 'Who can see them' }).selectOption('Everyone');
      await pickSlot(dialog, (planned[0] as string).slice(0, 10), '10:00');
      await dialog.getByLabel('Then every').fill('2');
      const slots = dialog.getByRole('list', { name: 'Slots' }).getByRole('listitem');
      assert.equal(await slots.count(), 3);
      assert.match((await slots.last().textContent()) ?? '', /^Third.*14 Jan.*10:00$/);
      await send.click();
      await notice('3 posts scheduled.');
      await reach(ids, 'scheduled_at', planned);
      assert.deepEqual(await read(ids, 'privacy_level'), Array(3).fill('PUBLIC_TO_EVERYONE'));
      assert.deepEqual(await read(ids, 'disable_comment'), [true, true, true]);
      await dialog.waitFor({ state: 'hidden' });
      await undo();
      await notice('3 posts restored.');
      await reach(ids, 'status', ['draft', 'draft', 'draft']);
      // As they were: no one had chosen an account, an audience or interactions for them.
      for (const [field, before] of [
        ['social_account_id', null],
        ['privacy_level', null],
        ['disable_comment', false],
      ] as const)
        await reach(ids, field, [before, before, before]);
      await reach(ids, 'scheduled_at', [slot(9), null, null]);

      for (const [n, id] of ids.entries()) await book(org, id, accountId, Date.parse(planned[n] as string));
      await page.getByRole('link', { name: 'Scheduled', exact: true }).click();
      for (const title of ['First', 'Second']) await select(page, title);
      // Escape closes the menu and leaves the selection.
      await bar(page).getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Unschedule' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('menuitem', { name: 'Unschedule' }).waitFor({ state: 'hidden' });
      await bar(page).getByText('2 selected').waitFor();
      // The bar goes, and the focus goes to a post that stays.
      await bar(page).getByRole('button', { name: 'Clear' }).press('Enter');
      const focused = page.getByRole('region', { name: 'Results' }).locator('[data-open]:focus');
      await focused.filter({ hasText: 'Third' }).waitFor();
      for (const title of ['First', 'Second']) await select(page, title);
      await bar(page).getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Unschedule' }).click();
      await notice('2 posts unscheduled.');
      await reach(ids, 'status', ['draft', 'draft', 'scheduled']);
      await undo();
      await notice('2 posts scheduled again.');
      await reach(ids, 'scheduled_at', planned);

      await org.call('PATCH', `/api/v1/posts/${ids[0]}`, { status: 'draft' });
      await org.call('PATCH', `/api/v1/posts/${ids[1]}`, { status: 'draft' });
      await page.getByRole('link', { name: 'Active', exact: true }).click();
      for (const title of ['First', 'Second', 'Third']) await select(page, title);
      await bar(page).getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      const asking = page.getByRole('dialog', { name: 'Delete 2 posts?' });
      await asking.getByText('You can’t undo this.').waitFor();
      await asking.getByText('1 of the 3 selected posts can’t be deleted and stays:').waitFor();
      await asking.getByText('Scheduled: “Third”. Archive it first.').waitFor();
      await asking.getByRole('button', { name: 'Delete 2 posts' }).click();
      await page.getByText('2 posts deleted.').waitFor();
      // It stays selected, ready to be archived.
      await bar(page).getByText('1 selected').waitFor();
      assert.deepEqual(await read(ids, 'status'), [undefined, undefined, 'scheduled']);
    });
  });
});

/** The delivery that a person has chosen stays, unless the account does not allow it. */
async function keepsDelivery(dialog: Locator, account: string, inboxOnly: string): Promise<void> {
  const choose = (name: string) => dialog.getByRole('radio', { name }).check();
  const goesTo = (value: string) => dialog.getByLabel('Account').selectOption({ value });
  const isInbox = () => dialog.getByRole('radio', { name: 'Send to inbox' }).isChecked();
  await choose('Send to inbox');
  await goesTo(account);
  assert.ok(await isInbox(), 'the default of the account replaces what was chosen');
  await choose('Post directly');
  await goesTo(inboxOnly);
  await until('the delivery is the one that the account allows', isInbox);
  await goesTo(account);
  await choose('Post directly');
}
