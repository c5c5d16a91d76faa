// Posts of about the same time in the week: every chip can be read and clicked, and trouble is seen first.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { type Organization, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { useBrowser } from './pages/browser.js';
import { cellOf, chipIn, rail } from './steps/calendar-steps.js';
import { aPostWithSlide, book, DAY_MS, inTab, OBEDIENT } from './steps/people-in-tabs.js';
import { signIn } from './steps/steps.js';

const DAY = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);

describe('posts of about the same time in the week', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  let org: Organization;

  before(async () => {
    org = await service.newOrganization();
    const account = await org.connectAccount('field.notes');
    const at = (time: string) => Date.parse(`${DAY}T${time}:00Z`);
    await book(org, await aPostWithSlide(org, 'Map', account), account, at('09:30'));
    await book(org, await aPostWithSlide(org, 'Tent', account), account, at('10:00'));
    await book(org, await org.addPost({ title: 'Rope', post_type: 'slides' }), account, at('10:00'));
    await book(org, await org.addPost({ title: 'Lamp', post_type: 'slides' }), account, at('10:20'));
  });

  it('have chips that can all be read and clicked, and what does not fit opens as a list', async () => {
    for (const width of [1280, 1440])
      for (const time_format of ['12h', '24h'] as const) {
        const person = await newPerson(service, org.id, 'editor');
        await person.browser.call('PATCH', '/api/v1/me', { time_format });
        const tab = await browser.open(service.url, { timezoneId: 'UTC', width, height: 800 });
        await signIn(tab, person, `/calendar?view=week&date=${DAY}`);
        await inTab(tab, async (page) => {
          await rail(page).waitFor();
          const alone = chipIn(page, DAY, /Rope.*Will fail/);
          await isWhole(alone.getByText('Will fail', { exact: true }));
          const time = time_format === '12h' ? '10:00 am' : '10:00';
          await isWhole(alone.getByText(time).locator('..'));
          await page
            .getByText(time_format === '12h' ? '9:00 am' : '09:00', { exact: true })
            .last()
            .waitFor();
          const rest = cellOf(page, DAY).getByRole('button', { name: /^3 posts, .*1 will fail/ });
          await isWhole(rest.getByText('+3'));
          await isWhole(rest.getByText('1 will fail'));
          await areFree(page, cellOf(page, DAY).locator('a[href], [data-posts]'), 2);
          await rest.click();
          const list = page.getByRole('dialog');
          for (const title of ['Map', 'Tent', 'Lamp'])
            await list.getByRole('link', { name: new RegExp(title) }).waitFor();
          await page.keyboard.press('Escape');
          await list.waitFor({ state: 'detached' });
          await alone.click();
          await page.getByRole('heading', { level: 1, name: 'Rope' }).waitFor();
        });
      }
  });
});

async function isWhole(words: Locator): Promise<void> {
  await words.waitFor();
  const [shown, full] = await words.evaluate((it) => [it.clientWidth, it.scrollWidth]);
  assert.ok(shown !== undefined && full !== undefined && full <= shown && shown > 0, `${shown} of ${full}`);
}

/** No other chip covers a part of one, in its middle or near its corners. */
async function areFree(page: Page, chips: Locator, count: number): Promise<void> {
  assert.equal(await chips.count(), count);
  const covered = await chips.evaluateAll((all) =>
    all.flatMap((chip) => {
      const { left, right, top, bottom } = chip.getBoundingClientRect();
      const points = [
        [left + 6, top + 6],
        [left + 6, bottom - 6],
        [right - 6, bottom - 6],
        [(left + right) / 2, (top + bottom) / 2],
      ] as const;
      const isOwn = (x: number, y: number) => {
        const hit = document.elementFromPoint(x, y);
        return hit !== null && (chip.parentElement ?? chip).contains(hit);
      };
      return points.every(([x, y]) => isOwn(x, y)) ? [] : [chip.textContent];
    }),
  );
  assert.deepEqual(covered, [], `covered at ${page.viewportSize()?.width}`);
}
