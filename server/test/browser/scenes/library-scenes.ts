// The dialogs of the library, for the check of their accessibility.
import type { Page } from 'playwright-core';
import { manageLabels } from '../steps/steps.js';
import type { Scene } from './stage.js';

const inLibrary = (
  name: string,
  open: (page: Page) => Promise<unknown>,
  more: Partial<Scene> = {},
): Scene => ({
  ...more,
  name,
  path: () => '/library',
  async ready(page) {
    await page.getByRole('main').getByRole('link', { name: 'A failed post', exact: true }).waitFor();
    await open(page);
  },
});

const select = async (page: Page): Promise<void> => {
  for (const title of ['A draft post', 'A scheduled post'])
    await page.getByRole('checkbox', { name: `Select ${title}` }).check();
};

export const LIBRARY: Scene[] = [
  inLibrary('the labels', async (page) => {
    await manageLabels(page);
    const managing = page.getByRole('dialog', { name: 'Manage labels' });
    await managing.getByRole('button', { name: 'Edit Spring' }).click();
    await managing.getByRole('radio', { name: 'Purple' }).waitFor({ state: 'attached' });
  }),
  inLibrary(
    'the labels of several posts',
    async (page) => {
      await select(page);
      await page.getByRole('button', { name: 'Labels…' }).click();
      await page.getByRole('dialog', { name: 'Labels for 2 posts' }).getByText('Spring').waitFor();
    },
    { isVariant: true },
  ),
  inLibrary('the dialog to schedule several posts', async (page) => {
    await select(page);
    await page.getByRole('button', { name: 'Schedule…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Schedule 2 posts' });
    await dialog.getByText('Posting as').waitFor();
  }),
  inLibrary(
    'the dialog to move several posts',
    async (page) => {
      await select(page);
      await page.getByRole('button', { name: 'Move…' }).click();
      await page.getByRole('dialog', { name: /^Move/ }).getByLabel('Days').waitFor();
    },
    { isVariant: true },
  ),
];
