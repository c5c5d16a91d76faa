// How scenes wait for what they show, and press what leads there.
import type { Locator, Page } from 'playwright-core';

export const heading = (name: string) => (page: Page) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
export const text = (words: string) => (page: Page) => page.getByText(words).first().waitFor();
export const link = (name: string | RegExp) => (page: Page) =>
  page.getByRole('main').getByRole('link', { name, exact: true }).waitFor();
export const caption = (page: Page) => page.getByLabel('Caption', { exact: true }).waitFor();

export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
export const dialog = async (page: Page, name: string | RegExp): Promise<Locator> => {
  const opened = page.getByRole('dialog', { name });
  await opened.waitFor();
  return opened;
};
