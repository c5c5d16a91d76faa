// How scenes wait for what they show, and press what leads there.
import type { Locator, Page, Route } from 'playwright-core';

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

/** Answers as the service does, with other data. Asked without a condition: "not modified" has no data to change. */
export async function answerWith<T>(
  route: Route,
  change: (data: T) => T,
  headers: Record<string, string> = {},
): Promise<void> {
  const { 'if-none-match': _, ...asked } = route.request().headers();
  const response = await route.fetch({ headers: asked });
  const { data, ...rest } = await response.json();
  await route.fulfill({
    response,
    json: { ...rest, data: change(data) },
    headers: { ...response.headers(), ...headers },
  });
}
