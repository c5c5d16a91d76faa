// The publish sheet: its date and time, the account that cannot be used, and what an account has as defaults.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { setPost } from '../support/service/posts.js';
import { complete, upload } from '../support/service/uploads.js';
import { useBrowser } from './pages/browser.js';
import { dayOf, wallOf } from './pages/zoned-times.js';
import { aPostWithSlide, book, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { sheetOn, signIn, slotIn } from './steps/steps.js';

const PHONE = { width: 390, height: 844 };
const TITLE = 'Boots after 800 kilometres';

const slotOf = async (org: Organization, id: string) =>
  wallOf((await org.call('GET', `/api/v1/posts/${id}`)).json.data.scheduled_at);

describe('the publish sheet', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  afterEach(() => service.clock.resume());

  it('reschedules by mouse and keyboard, on the clock that the person prefers', async () => {
    // Noon tomorrow: in the last minutes of a day, today cannot be chosen any more.
    const noon = Date.parse(`${dayOf(Date.now() + DAY_MS)}T11:00:00Z`);
    service.clock.advance(noon - Date.now());
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, TITLE, accountId);
    const day = dayOf(noon + 3 * DAY_MS);
    // One of them is 19:00 in Berlin, in summer or in winter.
    const evening = [17, 18].map((hour) => Date.parse(`${day}T${hour}:00:00Z`));
    await book(org, id, accountId, evening.find((at) => wallOf(at) === `${day} 19:00`) as number);
    const person = await newPerson(service, org.id, 'editor');
    await person.browser.call('PATCH', '/api/v1/me', { time_format: '12h' });

    const tab = await browser.open(service.url);
    await tab.context.clock.setSystemTime(noon);
    await signIn(tab, person, `/posts/${id}`);
    await inTab(tab, async (page) => {
      const status = page.getByRole('region', { name: 'Status' });
      await status.getByText(/7:00 pm your time/).waitFor();
      await status.getByText('Ready to go out', { exact: true }).waitFor();
      await status.getByRole('button', { name: 'Reschedule…' }).click();
      const sheet = page.getByRole('dialog', { name: 'Reschedule', exact: true });
      const told = sheet.getByText('Posting as');
      await told.waitFor();
      // The select above shows the same account.
      assert.match((await told.getAttribute('class')) ?? '', /unseen/);
      const time = sheet.getByLabel('Time', { exact: true });
      assert.equal(await slotIn(sheet), `${day}T7:00 pm`);
      assert.doesNotMatch(await sheet.innerText(), /19:00|18:00|17:00/);

      for (const [typed, shown] of [
        ['9', '9:00 pm'],
        ['9:30 am', '9:30 am'],
        ['14:05', '2:05 pm'],
      ] as const) {
        await time.fill(typed);
        await time.blur();
        assert.equal(await time.inputValue(), shown);
        await sheet.getByText(new RegExp(`Goes out .*${shown} your time`)).waitFor();
      }
      await time.press('ArrowUp');
      assert.equal(await time.inputValue(), '2:20 pm');
      await time.fill('later');
      await time.blur();
      await sheet.getByText('later is not a time. Write it like 6:00 pm.').waitFor();
      await time.fill('');
      await time.blur();
      await sheet.getByText('Type a time such as 2:30 pm.').waitFor();
      await time.fill('2:05 pm');

      await chooseByKeys(page, day);
      await sheet.getByRole('button', { name: /^Tomorrow 9:00 am/ }).click();
      assert.equal(await slotIn(sheet), `${dayOf(noon + DAY_MS)}T9:00 am`);
      await sheet.getByRole('button', { name: /^Next Monday 9:00 am/ }).waitFor();
      await sheet.getByRole('button', { name: /^In an hour/ }).waitFor();

      await refusesThePast(page);
      await sheet.getByRole('button', { name: /^Tomorrow 9:00 am/ }).click();
      await sheet.getByRole('button', { name: 'Reschedule', exact: true }).click();
      await sheet.waitFor({ state: 'detached' });
      await page.getByText('Rescheduled', { exact: true }).waitFor();
      assert.equal(await slotOf(org, id), `${dayOf(noon + DAY_MS)} 09:00`);

      await person.browser.call('PATCH', '/api/v1/me', { time_format: '24h' });
      await page.reload();
      await status.getByText(/09:00 your time/).waitFor();
    });
  });

  /** Two days on, a month on and back, one day back: the day after the chosen one. */
  async function chooseByKeys(page: Page, day: string): Promise<void> {
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-day'));
    await page.locator(`[data-day="${day}"]`).focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowLeft'])
      await page.keyboard.press(key);
    const next = dayOf(Date.parse(`${day}T12:00:00Z`) + DAY_MS);
    assert.equal(await focused(), next);
    await page.keyboard.press('PageDown');
    assert.notEqual((await focused())?.slice(0, 7), next.slice(0, 7));
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Enter');
    await page.locator('[data-day][aria-pressed=true]').and(page.locator(':focus')).waitFor();
    assert.ok((await slotIn(sheetOn(page))).endsWith('T2:05 pm'));
  }

  /** Neither a day before today, nor an hour of today that is over. */
  async function refusesThePast(page: Page): Promise<void> {
    const sheet = sheetOn(page);
    await sheet.getByRole('button', { name: /^In an hour/ }).click();
    const chosen = await slotIn(sheet);
    // The keys move from the day that has the focus, which need not be the chosen one.
    await sheet.locator(`[data-day="${chosen.slice(0, 10)}"]`).focus();
    await page.keyboard.press('ArrowLeft');
    const past = page.locator(':focus');
    assert.match((await past.getAttribute('aria-label')) ?? '', /You can’t schedule in the past/);
    await page.keyboard.press('Enter');
    await sheet.getByRole('status').getByText('You can’t schedule in the past.').waitFor();
    // Back first: the grid shows one month, and the chosen day may be in the next one.
    await page.keyboard.press('ArrowRight');
    assert.equal(await slotIn(sheet), chosen);
    await sheet.getByLabel('Time', { exact: true }).fill('12:00 am');
    await sheet.getByText('This time has passed. Choose a later one.').first().waitFor();
    await sheet.getByRole('button', { name: 'Reschedule', exact: true, disabled: true }).waitFor();
  }

  itInProofs('fits a phone, with days that a finger can hit', async () => {
    const org = await service.newOrganization();
    const id = await aPostWithSlide(org, TITLE, await org.connectAccount());
    await inTab(await openAs(browser, service, org, 'editor', PHONE), async (page) => {
      await visit(page, `/posts/${id}`, TITLE);
      await page.getByRole('button', { name: 'Schedule…', exact: true }).click();
      const sheet = page.getByRole('dialog', { name: 'Schedule', exact: true });
      await sheet.getByText('Posting as').waitFor();
      const day = await sheet.locator('[data-day][aria-pressed=true]').boundingBox();
      assert.ok(day && day.width >= 40 && day.height >= 40, JSON.stringify(day));
      const month = await sheet.getByRole('table').boundingBox();
      assert.ok(month && month.x >= 0 && month.x + month.width <= PHONE.width, JSON.stringify(month));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
      // Safari zooms into fields with smaller text.
      const sizes = await sheet
        .locator('select, input[type=text], input:not([type])')
        .evaluateAll((fields) => fields.map((field) => Number.parseFloat(getComputedStyle(field).fontSize)));
      assert.ok(sizes.length >= 3 && sizes.every((size) => size >= 16), JSON.stringify(sizes));
    });
  });

  itInProofs('shows the cover that was chosen: a slide, or a moment of the video', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, TITLE, accountId);
    const { object_key } = await upload(org, id, 'slide.png');
    await complete(org, id, object_key);
    const film = await org.addPost({ title: 'A film', post_type: 'video', social_account_id: accountId });
    await complete(org, film, (await upload(org, film, 'tiny.webm')).object_key);
    await setPost(service, id, { cover_index: 1 });
    await setPost(service, film, { cover_ms: 1500 });
    const [, second] = (await org.call('GET', `/api/v1/posts/${id}/assets`)).json.data;
    const fileOf = (url: string | null) => new URL(url ?? '', service.url).pathname;
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}?publish=true`, TITLE);
      const slide = sheetOn(page).locator('img').first();
      await slide.waitFor();
      assert.equal(fileOf(await slide.getAttribute('src')), fileOf(second.thumbnail_url));
      await visit(page, `/posts/${film}?publish=true`, 'A film');
      const video = sheetOn(page).locator('video');
      await video.waitFor({ state: 'attached' });
      assert.match((await video.getAttribute('src')) ?? '', /#t=1\.5$/);
    });
  });

  itInProofs('gives one piece of advice for an account that must be reconnected', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount('field.notes');
    const otherId = await org.connectAccount('other.notes');
    const id = await aPostWithSlide(org, TITLE, accountId);
    await book(org, id, accountId, service.clock.now() + DAY_MS);
    await service.app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({ status: 'reconnect_required', status_reason: 'Access was revoked (auth_removed)' })
        .where('org_id', '=', org.id)
        .where('id', '=', accountId)
        .execute(),
    );
    const advice = (text: string) => text.match(/reconnect/gi) ?? [];

    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}?publish=true`, TITLE);
      const sheet = sheetOn(page);
      await sheet.getByText('Ask an owner or admin to reconnect it, or choose another account.').waitFor();
      assert.equal(advice(await sheet.innerText()).length, 1);
    });
    await inTab(await openAs(browser, service, org, 'owner'), async (page) => {
      await visit(page, `/posts/${id}`, TITLE);
      const status = page.getByRole('region', { name: 'Status' });
      await status.getByText('This post will wait', { exact: true }).waitFor();
      await status.getByText('Reconnect field.notes.', { exact: true }).waitFor();
      assert.equal(await status.getByRole('button', { name: /^Reconnect/ }).count(), 1);
      await status.getByRole('button', { name: 'Reschedule…' }).click();
      const sheet = sheetOn(page);
      const button = sheet.getByRole('button', { name: 'Reconnect @field.notes' });
      await button.waitFor();
      const text = await sheet.innerText();
      assert.equal(advice(text).length, 1, text);
      assert.doesNotMatch(text, /Request |isn’t taking posts|auth_removed/);
      await org.call('DELETE', `/api/v1/social-accounts/${otherId}`);
      await visit(page, `/posts/${await aPostWithSlide(org, 'Without an account')}?publish=true`, /Without/);
      await button.waitFor();
      await visit(page, `/posts/${id}?publish=true`, TITLE);
      await button.click();
      await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
      await page.getByLabel('Username').fill('field.notes');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('link', { name: 'Back to your post' }).click();
      await page.waitForURL(`**/posts/${id}`);
    });
  });

  itInProofs('never takes another account in place of one that was disconnected', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount('field.notes');
    const other = await org.connectAccount('other.notes');
    const id = await aPostWithSlide(org, TITLE, accountId);
    await org.call('DELETE', `/api/v1/social-accounts/${accountId}`);
    await inTab(await openAs(browser, service, org, 'owner'), async (page) => {
      await visit(page, `/posts/${id}?publish=true`, TITLE);
      const sheet = sheetOn(page);
      const accounts = sheet.getByRole('combobox', { name: 'Account', exact: true });
      await sheet.getByText('Connect field.notes again, or choose another account.').waitFor();
      await sheet.getByRole('button', { name: 'Connect again @field.notes' }).waitFor();
      assert.equal(await accounts.inputValue(), accountId);
      assert.equal(await accounts.locator('option:checked').textContent(), '@field.notes (disconnected)');
      await sheet.getByText('Fix the problem above first.').waitFor();
      await sheet.getByRole('button', { name: 'Publish now', exact: true, disabled: true }).waitFor();

      await accounts.selectOption(other);
      await accounts.locator('option:checked', { hasText: '(@other.notes)' }).waitFor({ state: 'attached' });
      await sheet.getByText('Choose who can see the post.').waitFor();
      assert.equal(await sheet.getByText('was disconnected').count(), 0);

      // The chosen one is disconnected while the sheet is open.
      await org.call('DELETE', `/api/v1/social-accounts/${other}`);
      await org.connectAccount('third.notes');
      await sheet.getByText('Connect it again, or choose another account.').waitFor();
      assert.equal(await accounts.inputValue(), other);
    });
  });

  itInProofs('begins with the delivery that an admin has set for the account', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount('field.notes');
    const id = await aPostWithSlide(org, TITLE, accountId);
    await inTab(await openAs(browser, service, org, 'admin'), async (page) => {
      await visit(page, '/accounts', 'Accounts');
      const open = () => page.getByRole('button', { name: 'Defaults…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Defaults for @field.notes' });
      await open();
      await dialog.getByRole('radio', { name: 'Send to inbox' }).check();
      await dialog.getByLabel('Hashtags').fill('#maps #outdoors');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await open();
      assert.equal(await dialog.getByLabel('Hashtags').inputValue(), '#maps #outdoors');
      assert.ok(await dialog.getByRole('radio', { name: 'Send to inbox' }).isChecked());
    });
    const [account] = (await org.call('GET', '/api/v1/social-accounts')).json.data;
    assert.deepEqual([account.default_mode, account.default_hashtags], ['inbox', '#maps #outdoors']);

    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/accounts', 'Accounts');
      await page.getByRole('article').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Defaults…' }).count(), 0);
      await visit(page, `/posts/${id}?publish=true`, TITLE);
      const sheet = sheetOn(page);
      await sheet.getByText('Goes to the inbox of').waitFor();
      assert.ok(await sheet.getByRole('radio', { name: 'Send to inbox' }).isChecked());
      await sheet.getByRole('radio', { name: 'Post directly' }).check();
      await sheet.getByText('Posting as').waitFor();
      assert.equal(await sheet.getByRole('combobox', { name: 'Who can see it' }).inputValue(), '');
    });
  });
});
