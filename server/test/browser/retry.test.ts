// A post fails, is found in the calendar, mended, and goes out with what its writer had chosen.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { setPost } from '../support/service/posts.js';
import { useBrowser, type View } from './pages/browser.js';
import { dayOf } from './pages/zoned-times.js';
import { aPostWithSlide, control, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { choose, sheetOn, slideAt, slides } from './steps/steps.js';

const TITLE = 'The harbour before six';
const VIEWS: [name: string, view: View][] = [
  ['on a desktop', {}],
  ['on a phone', { width: 390, height: 844 }],
];

describe('a retry', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  afterEach(() => service.clock.resume());

  for (const [name, view] of everyday(VIEWS.slice(0, 1), VIEWS))
    it(`is found in the calendar, says what to mend, and keeps the earlier choices, ${name}`, async () => {
      const org = await service.newOrganization();
      const id = await aPostWithSlide(org, TITLE, await org.connectAccount('field.notes'));
      const post = async () => (await org.call('GET', `/api/v1/posts/${id}`)).json.data;

      await inTab(await openAs(browser, service, org, 'editor', view), async (page) => {
        const status = page.getByRole('region', { name: 'Status' });
        const sheet = sheetOn(page);
        await visit(page, `/posts/${id}`, TITLE);
        await status.getByText('Ready to publish', { exact: true }).waitFor();
        assert.match(await fact(page, 'Publishing').innerText(), /choose the audience and options/);

        await status.getByRole('button', { name: 'Publish…', exact: true }).click();
        await sheet.getByText('Posting as').waitFor();
        assert.deepEqual(await choicesIn(sheet), ['', false, false]);
        await sheet.getByRole('combobox', { name: 'Who can see it' }).selectOption('Everyone');
        await sheet.getByRole('switch', { name: 'Allow comment' }).check({ force: true });
        await sheet.getByRole('switch', { name: 'Disclose post content' }).check({ force: true });
        await sheet.getByRole('checkbox', { name: 'Your brand' }).check();
        await control(service, 'outcomes', { status: 'FAILED', fail_reason: 'picture_size_check_failed' });
        await Promise.all([
          page.getByText('Accepted by the sandbox', { exact: true }).waitFor(),
          // It goes away once the outcome is on the page.
          page.getByText('This page says when it’s live.').waitFor(),
          sheet.getByRole('button', { name: 'Publish now', exact: true }).click(),
        ]);
        // It is open already.
        assert.equal(await page.getByRole('link', { name: 'See the post' }).count(), 0);

        await status.getByText('Failed', { exact: true }).waitFor();
        await status.getByText(/^Failed just now/).waitFor();
        await status.getByText(/The sandbox didn’t accept the size of slide 1 \(135 × 240\)/).waitFor();
        assert.equal(await status.getByText('Ready to publish').count(), 0);
        assert.doesNotMatch(await status.innerText(), /picture_size|Edited/);
        const attempts = page.getByRole('region', { name: 'Attempts (1)' });
        await attempts.getByText('Technical details').click();
        await attempts.getByText('picture_size_check_failed', { exact: true }).waitFor();
        assert.equal(await fact(page, 'Who can see it').innerText(), 'Everyone');
        assert.equal(await fact(page, 'Interactions').innerText(), 'Comments on');

        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Library' }).click();
        await page
          .locator(`[data-post="${id}"]`)
          .getByText(/^Failed (just now|\d)/)
          .waitFor();

        // Later: nothing is remembered but by the service.
        service.clock.advance(60_000);
        // As if it had failed at its slot, which has a place in the calendar.
        const slot = Date.now() - 60_000;
        await setPost(service, id, { last_slot: slot });
        await visit(page, `/calendar?date=${dayOf(slot)}`, 'Calendar');
        await page
          .getByRole('main')
          .getByRole('link', { name: new RegExp(`${TITLE}.*Failed`) })
          .click();
        await page.getByRole('heading', { level: 1, name: TITLE }).waitFor();
        await status.getByRole('link', { name: 'Fix and retry' }).click();
        await page.getByText(/slide 1 \(135 × 240\)/).waitFor();
        const readiness = page.getByRole('region', { name: 'Readiness' });
        await readiness.getByText('Fix what failed last time, then publish again.').waitFor();
        assert.equal(await readiness.getByText('Ready to publish').count(), 0);
        await choose(
          page,
          page.getByRole('button', { name: 'Replace slide 1' }),
          await slides(0, ['harbour.jpg']),
        );
        await slideAt(page, 1, 'harbour.jpg').waitFor();
        await readiness.getByText('Ready to publish', { exact: true }).waitFor();

        await page.getByRole('link', { name: 'View post' }).click();
        await status.getByText('Something has changed since, so you can try again.').waitFor();
        await status.getByRole('button', { name: 'Publish…', exact: true }).click();
        await sheet.getByText('Posting as').waitFor();
        assert.deepEqual(await choicesIn(sheet), ['PUBLIC_TO_EVERYONE', true, true]);
        assert.ok(await sheet.getByRole('checkbox', { name: 'Your brand' }).isChecked());
        assert.equal(await sheet.getByText('Last attempt failed').count(), 0);
        await control(service, 'faults', { on: 'init', kind: 'http_400' });
        await sheet.getByRole('button', { name: 'Publish now', exact: true }).click();
        // Said once, at the button, with the way to mend it.
        await sheet.getByRole('alert').getByText('The sandbox doesn’t accept the post as it is.').waitFor();
        assert.equal(await sheet.getByText('doesn’t accept').count(), 1);
        assert.equal(await sheet.getByRole('link', { name: 'Edit post' }).count(), 1);
        await sheet.getByRole('button', { name: 'Publish now', exact: true }).click();
        await status.getByText('Posted', { exact: true }).waitFor();
      });
      const { privacy_level, disable_comment, brand_organic_toggle, brand_content_toggle } = await post();
      assert.deepEqual(
        [privacy_level, disable_comment, brand_organic_toggle, brand_content_toggle],
        ['PUBLIC_TO_EVERYONE', false, true, false],
      );
      await until('the error is gone', async () => (await post()).last_publish_error === null);
    });

  itInProofs('of a post that was refused immediately has what was chosen, after a reload too', async () => {
    const org = await service.newOrganization();
    const id = await aPostWithSlide(org, TITLE);
    await org.connectAccount('field.notes');
    const account = await org.connectAccount('other.notes');
    await inTab(await openAs(browser, service, org), async (page) => {
      const status = page.getByRole('region', { name: 'Status' });
      const sheet = sheetOn(page);
      const reopen = async () => {
        await visit(page, `/posts/${id}`, TITLE);
        await status.getByRole('button', { name: 'Publish…', exact: true }).click();
      };
      await reopen();
      await sheet.getByLabel('Account', { exact: true }).selectOption(account);
      await sheet.getByRole('combobox', { name: 'Who can see it' }).selectOption('Everyone');
      await control(service, 'faults', { on: 'init', kind: 'http_400' });
      await sheet.getByRole('button', { name: 'Publish now', exact: true }).click();
      await sheet.getByRole('alert').waitFor();
      await reopen();
      await sheet.getByText('Posting as').waitFor();
      assert.equal(await sheet.getByLabel('Account', { exact: true }).inputValue(), account);
      assert.deepEqual(await choicesIn(sheet), ['PUBLIC_TO_EVERYONE', false, false]);
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'hidden' });
      assert.match(await fact(page, 'Account').innerText(), /other\.notes\s+in the last attempt/);
      assert.equal(await status.getByText('Choose the account to publish to.').count(), 0);
    });
  });
});

/** A row of the details of a post. */
const fact = (page: Page, name: string): Locator =>
  page
    .getByRole('region', { name: 'Details' })
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');

/** What the sheet shows as chosen: the audience, comments, disclosure. */
const choicesIn = (sheet: Locator) =>
  Promise.all([
    sheet.getByRole('combobox', { name: 'Who can see it' }).inputValue(),
    sheet.getByRole('switch', { name: 'Allow comment' }).isChecked(),
    sheet.getByRole('switch', { name: 'Disclose post content' }).isChecked(),
  ]);
