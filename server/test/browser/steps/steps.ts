// The steps of a user on the dashboard: each ends when the screen shows that it is done.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { scenery } from '../../support/browser/sample-images.js';
import { DASHBOARD, type TestPerson } from '../../support/service/people.js';
import { media, typeOf } from '../../support/service/uploads.js';
import type { Tab } from '../pages/browser.js';

export interface NamedFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Images of one series. */
export const slides = (series: number, names: string[]): Promise<NamedFile[]> =>
  Promise.all(
    names.map(async (name, n) => ({ name, mimeType: 'image/jpeg', buffer: await scenery(series, n) })),
  );

/** A file of test/media. */
export const mediaFile = (name: string): NamedFile => ({
  name,
  mimeType: typeOf(name),
  buffer: Buffer.from(media(name)),
});

/** As a member who has signed in before. */
export async function signIn({ context, page }: Tab, { browser }: TestPerson, path = '/'): Promise<void> {
  const { origin } = new URL(browser.headers.origin as string);
  await context.addCookies([{ name: 'airdate', value: browser.token, url: origin }]);
  await page.goto(path);
}

interface Words {
  title: string;
  caption: string;
}

/** From the library: writes the text of a new post and saves it. Returns its id. */
export async function newPost(page: Page, type: 'Slides' | 'Video', words: Words): Promise<string> {
  await page.getByRole('link', { name: 'New post' }).click();
  const types = page.getByRole('radiogroup', { name: 'Post type' });
  await types.getByText(type, { exact: true }).click();
  await types.getByRole('radio', { name: type, checked: true }).waitFor({ state: 'attached' });
  await page.getByLabel('Title', { exact: true }).fill(words.title);
  await page.getByLabel('Caption', { exact: true }).fill(words.caption);
  await page.waitForURL(/\/posts\/[^/]+\/edit$/);
  await saved(page);
  return new URL(page.url()).pathname.split('/')[2] as string;
}

export const saved = (page: Page): Promise<void> =>
  page
    .getByRole('status')
    .filter({ hasText: /^Saved$/ })
    .waitFor();

/** The part of the composer with the files. */
export const mediaPanel = (page: Page, name: 'Slides' | 'Video'): Locator =>
  page.getByRole('region', { name, exact: true });

/** Presses the button that opens the file chooser, and chooses these files. */
export async function choose(page: Page, button: Locator, files: NamedFile[]): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
  await chooser.setFiles(files);
}

export const slideAt = (page: Page, place: number, name: string): Locator =>
  page.getByRole('button', { name: `Slide ${place}, ${name}`, exact: true });

export async function addSlides(page: Page, files: NamedFile[]): Promise<void> {
  await choose(page, mediaPanel(page, 'Slides').getByRole('button', { name: /^Add slides/ }), files);
  for (const [i, { name }] of files.entries()) await slideAt(page, i + 1, name).waitFor();
  await page.getByRole('list', { name: 'Uploads' }).waitFor({ state: 'detached' });
}

/** The names of the files, in their order, as the API has them for the person in this tab. */
export async function filesOf({ context }: Tab, origin: string, postId: string): Promise<string[]> {
  const url = `${origin}/api/v1/posts/${postId}/assets`;
  const answer = await context.request.get(url, { headers: DASHBOARD });
  assert.equal(answer.status(), 200, await answer.text());
  const { data } = (await answer.json()) as { data: { filename: string }[] };
  return data.map(({ filename }) => filename);
}

/** The publish sheet: its title says what its button will do. */
export const sheetOn = (page: Page): Locator =>
  page.getByRole('dialog', { name: /^(Publish now|Schedule|Reschedule)$/ });

/** In the publish sheet: chooses a day such as 2026-11-18 from the months ahead, and types a time. */
export async function pickSlot(sheet: Locator, day: string, time: string): Promise<void> {
  const button = sheet.locator(`[data-day="${day}"]`);
  const next = sheet.getByRole('button', { name: 'Next month' });
  await next.waitFor();
  for (let months = 0; months < 12 && (await button.count()) === 0; months++) await next.click();
  await button.click();
  await sheet.getByLabel('Time', { exact: true }).fill(time);
}

/** The slot that the publish sheet shows: "2026-11-18T14:30". */
export async function slotIn(sheet: Locator): Promise<string> {
  const folded = sheet.locator('fieldset time');
  const day =
    (await folded.count()) > 0
      ? await folded.getAttribute('datetime')
      : await sheet.locator('[data-day][aria-pressed=true]').getAttribute('data-day');
  return `${day}T${await sheet.getByLabel('Time', { exact: true }).inputValue()}`;
}

/** Completes the dialog, to everyone and now, until the platform has accepted the post. */
export async function publish(page: Page, account: { id?: string; username: string }): Promise<void> {
  await page.getByRole('button', { name: 'Publish…', exact: true }).click();
  const dialog = sheetOn(page);
  const accounts = dialog.getByRole('combobox', { name: 'Account', exact: true });
  await accounts.waitFor();
  if (account.id !== undefined) await accounts.selectOption(account.id);
  const option = accounts.locator('option:checked', { hasText: `(@${account.username})` });
  await option.waitFor({ state: 'attached' });
  // It is shown as soon as the platform has answered what the account may do.
  await dialog.getByRole('combobox', { name: 'Who can see it' }).selectOption('Everyone');
  await Promise.all([
    // Awaited from the start, because it disappears by itself.
    page.getByText('Accepted by the sandbox', { exact: true }).waitFor(),
    dialog.getByRole('button', { name: 'Publish now', exact: true }).click(),
  ]);
  await dialog.waitFor({ state: 'hidden' });
}

/** On the page of a post: its status, its status line and its attempt say that it is published. */
export async function seeItLive(page: Page): Promise<void> {
  const status = page.getByRole('region', { name: 'Status', exact: true });
  await status.getByText('Posted', { exact: true }).waitFor();
  await status
    .getByRole('status')
    .filter({ hasText: /^Posted/ })
    .waitFor();
  await status.getByRole('link', { name: 'Open in the sandbox' }).waitFor();
  const attempts = page.getByRole('region', { name: 'Attempts (1)', exact: true });
  await attempts.getByText('Posted', { exact: true }).waitFor();
  assert.equal(await page.getByText('few minutes').count(), 0, 'it is there, and yet to appear');
}

/** Marks the document. The mark is gone as soon as the page is reloaded. */
export async function markDocument(page: Page): Promise<{ isStillThere(): Promise<boolean> }> {
  await page.evaluate(() => document.documentElement.setAttribute('data-mark', ''));
  return { isStillThere: async () => (await page.locator('html[data-mark]').count()) === 1 };
}

/** Follows the banner to the platform. Returns the post with this text. */
export async function findOnPlatform(page: Page, words: string): Promise<Locator> {
  await page.getByRole('link', { name: 'See the feed' }).click();
  await page.waitForURL(/\/sandbox\/$/);
  const post = page.getByRole('article').filter({ hasText: words });
  await post.waitFor();
  return post;
}

/** The URLs that uploads are sent to. */
export const UPLOADS = '**/storage/uploads/**';

/** Delays requests to such a URL until the test releases them, and all later ones. */
export async function holdRequests(page: Page, address: string): Promise<{ release(): void }> {
  let release = () => {};
  const isOpen = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await isOpen;
    await route.continue();
  });
  return { release: release };
}

/** In the library: opens the dialog that changes labels, from the list of labels. */
export async function manageLabels(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Label', exact: true }).click();
  await page.getByRole('option', { name: 'Manage labels…' }).click();
}
