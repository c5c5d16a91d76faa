// From the first visit to a published post, as a user would do it, on a desktop and on a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type BrowserName, pathOfBrowser } from '../support/browser/installed-browsers.js';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { anEmail, newPerson, PASSWORD } from '../support/service/people.js';
import { inBrowsers, type Tab } from './pages/browser.js';
import {
  addSlides,
  filesOf,
  findOnPlatform,
  markDocument,
  newPost,
  publish,
  saved,
  seeItLive,
  signIn,
  slideAt,
  slides,
} from './steps/steps.js';

const WORDS = {
  title: 'Five ways to fold a map',
  caption: 'Five ways to fold a map, and the one that lasts.',
};
const FILES = ['ridge.jpg', 'valley.jpg', 'summit.jpg'];

/** Chromium, which has all other stories, tells this one only where there is no Firefox. */
const ONE: BrowserName = pathOfBrowser('firefox') === undefined ? 'chromium' : 'firefox';

inBrowsers(everyday([ONE], ['chromium', 'firefox']), 'The main story', (browser) => {
  const env = { SANDBOX_CONTROL: 'on', SANDBOX_PROCESSING_MS: '0' };
  const service = useService('sqlite', { env });
  // Without an operator, the very first visitor is asked to create the first account.
  const unmanaged = useService('sqlite', { env: { ...env, ADMIN_TOKEN: '' } });

  test('the first visitor signs up, connects an account, writes a carousel, orders it by keyboard and sees it go live', async () => {
    const service = unmanaged;
    const tab = await browser.open(service.url);
    const { page } = tab;
    await signUpAsTheFirst(page);
    await connectAccount(page, 'field.notes');

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Library' }).click();
    const id = await newPost(page, 'Slides', WORDS);
    await addSlides(page, await slides(0, FILES));
    await saved(page);
    assert.deepEqual(await filesOf(tab, service.url, id), FILES);
    await moveLastToFront(tab, id);

    await page.getByRole('link', { name: 'View post' }).click();
    await page.getByRole('heading', { level: 1, name: WORDS.title }).waitFor();
    await page.getByRole('region', { name: 'Status' }).getByText('Draft', { exact: true }).waitFor();
    const mark = await markDocument(page);
    await publish(page, { username: 'field.notes' });
    await seeItLive(page);
    assert.ok(await mark.isStillThere(), 'the page was loaded anew');

    const post = await findOnPlatform(page, WORDS.caption);
    await post.getByText('field.notes', { exact: true }).waitFor();
    await post.getByText('Everyone', { exact: true }).waitFor();
    assert.equal(await post.getByRole('img', { name: /^Slide \d of 3$/ }).count(), 3);
    await tab.close();
  });

  itInProofs(
    'on a phone a member writes a carousel, chooses one of two accounts and sees it go live',
    async () => {
      const org = await service.newOrganization();
      const account = { id: await org.connectAccount('pocket.notes'), username: 'pocket.notes' };
      await org.connectAccount('other.notes');
      const tab = await browser.open(service.url, { width: 390, height: 844 });
      const { page } = tab;
      await signIn(tab, await newPerson(service, org.id, 'editor'));

      const words = { title: 'Packing for one night', caption: 'Packing for one night: what stays at home.' };
      const id = await newPost(page, 'Slides', words);
      await addSlides(page, await slides(1, FILES));
      await saved(page);
      assert.deepEqual(await filesOf(tab, service.url, id), FILES);
      assert.ok(await fitsTheScreen(page), 'the composer is wider than the phone');

      const mark = await markDocument(page);
      await publish(page, account);
      await page.getByRole('heading', { level: 1, name: words.title }).waitFor();
      await seeItLive(page);
      assert.ok(await mark.isStillThere(), 'the page was loaded anew');
      assert.ok(await fitsTheScreen(page), 'the page of the post is wider than the phone');

      const post = await findOnPlatform(page, words.caption);
      await post.getByText(account.username, { exact: true }).waitFor();
      await tab.close();
    },
  );

  /** Third, second, first place: each move is complete when the screen reader announcement comes. */
  async function moveLastToFront(tab: Tab, id: string): Promise<void> {
    const { page } = tab;
    const says = (words: string) => page.getByText(words, { exact: true }).waitFor({ state: 'attached' });
    await slideAt(page, 3, 'summit.jpg').focus();
    await page.keyboard.press('Space');
    await says('Slide 3 is over position 3 of 3.');
    await page.keyboard.press('ArrowLeft');
    await says('Slide 3 is over position 2 of 3.');
    await page.keyboard.press('ArrowLeft');
    await says('Slide 3 is over position 1 of 3.');
    const isReorder = (url: string, method: string) => url.endsWith('/assets') && method === 'PATCH';
    const [answer] = await Promise.all([
      page.waitForResponse((response) => isReorder(response.url(), response.request().method())),
      page.keyboard.press('Space'),
    ]);
    assert.equal(answer.status(), 200);
    await says('Slide 3 moved to position 1 of 3.');
    const order = ['summit.jpg', 'ridge.jpg', 'valley.jpg'];
    for (const [i, name] of order.entries()) await slideAt(page, i + 1, name).waitFor();
    assert.deepEqual(await filesOf(tab, new URL(page.url()).origin, id), order);
  }
});

async function signUpAsTheFirst(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByRole('heading', { name: 'Create your organization' }).waitFor();
  await page.getByLabel('Your name').fill('Ada Field');
  await page.getByLabel('Email').fill(anEmail());
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Organization name').fill('Field Notes');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL(/\/library$/);
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
  await page.getByText('No posts yet', { exact: true }).waitFor();
}

/** To the platform's consent page and back, in the same tab. */
async function connectAccount(page: Page, username: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Accounts' }).click();
  await page.getByText('No accounts connected yet', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Connect account' }).click();
  await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
  await page.getByLabel('Username').fill(username);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText(`Connected as @${username}`, { exact: true }).waitFor();
  const card = page.getByRole('article').filter({ hasText: `@${username}` });
  await card.getByText('Connected', { exact: true }).waitFor();
}

const fitsTheScreen = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
