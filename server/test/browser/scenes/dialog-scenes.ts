// Every dialog of the screens, each with the steps that open it.
import type { Locator } from 'playwright-core';
import { DAY_MS } from '../steps/people-in-tabs.js';
import { answerWith, dialog, press } from '../steps/scene-steps.js';
import { sheetOn } from '../steps/steps.js';
import type { Scene, Stage } from './stage.js';

const publishing = (
  name: string,
  state: keyof Stage['posts'],
  ready: (sheet: Locator) => Promise<unknown>,
  more: Partial<Scene> = {},
): Scene => ({
  ...more,
  name: `the publish dialog ${name}`,
  path: ({ posts }) => `/posts/${posts[state]}?publish=true`,
  async ready(page) {
    await sheetOn(page).waitFor();
    await ready(sheetOn(page));
  },
});

export const DIALOGS: Scene[] = [
  publishing('to post directly', 'draft', (sheet) => sheet.getByText('Posting as').waitFor(), {
    isVariant: true,
  }),
  publishing(
    'to send to the inbox',
    'draft',
    async (sheet) => {
      await sheet.getByText('Posting as').waitFor();
      await sheet.getByRole('radio', { name: 'Send to inbox' }).check();
      await sheet.getByRole('button', { name: 'Send to inbox' }).waitFor();
    },
    { isVariant: true },
  ),
  publishing('to schedule', 'draft', async (sheet) => {
    await sheet.getByText('Posting as').waitFor();
    await sheet.getByText('Schedule for…', { exact: true }).click();
    await sheet.getByLabel('Time', { exact: true }).waitFor();
  }),
  publishing(
    'for an account to reconnect',
    'draft',
    (sheet) => sheet.getByRole('button', { name: 'Reconnect @field.notes' }).waitFor(),
    {
      isVariant: true,
      prepare: (page) =>
        page.route('**/api/v1/social-accounts?*', (route) =>
          answerWith<object[]>(route, (accounts) =>
            accounts.map((account) => ({
              ...account,
              status: 'reconnect_required',
              status_reason: 'Access was revoked (auth_removed)',
            })),
          ),
        ),
    },
  ),
  publishing(
    'with problems',
    'bare',
    (sheet) => sheet.getByText('Fix this first', { exact: true }).waitFor(),
    { isVariant: true },
  ),
  {
    name: 'the import of a file with problems',
    isVariant: true,
    path: () => '/library',
    async ready(page) {
      await press(page, 'Import posts');
      const opened = await dialog(page, 'Import posts');
      await opened.getByLabel('CSV file', { exact: true }).setInputFiles({
        name: 'posts.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('title,status\nA,posted\n'),
      });
      await opened.getByLabel('Line 2, status').waitFor();
    },
  },
  {
    name: 'the dialog about an unknown outcome',
    isVariant: true,
    path: ({ posts }) => `/posts/${posts.unknown}`,
    async ready(page) {
      await press(page, 'Resolve…');
      await dialog(page, 'Is it in the sandbox?');
    },
  },
  {
    name: 'the dialog before a post is deleted',
    isVariant: true,
    path: ({ posts }) => `/posts/${posts.draft}`,
    async ready(page) {
      await press(page, 'More actions');
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await dialog(page, 'Delete this post?');
    },
  },
  {
    name: 'the dialog of an invitation',
    isVariant: true,
    path: () => '/settings/members',
    async ready(page) {
      await press(page, 'Invite');
      await dialog(page, 'Invite someone');
    },
  },
  {
    name: 'the link of an invitation',
    isVariant: true,
    path: () => '/settings/members',
    async ready(page) {
      await press(page, 'Invite');
      await press(page, 'Create link');
      await dialog(page, 'Copy the link now');
    },
  },
  {
    name: 'the dialog before a member is removed',
    isVariant: true,
    path: () => '/settings/members',
    async ready(page) {
      await press(page, 'Remove The editor');
      await dialog(page, 'Remove The editor?');
    },
  },
  {
    name: 'the dialog of a new key',
    isVariant: true,
    path: () => '/settings/keys',
    async ready(page) {
      await press(page, 'New API key');
      await dialog(page, 'New API key');
    },
  },
  {
    name: 'a new key',
    isVariant: true,
    path: () => '/settings/keys',
    async ready(page) {
      await press(page, 'New API key');
      await (await dialog(page, 'New API key')).getByLabel('Name').fill('Nightly import');
      await press(page, 'Create key');
      await dialog(page, 'Copy the key now');
    },
  },
  {
    name: 'the defaults of an account',
    isVariant: true,
    path: () => '/accounts',
    async ready(page) {
      await press(page, 'Defaults…');
      await dialog(page, 'Defaults for @field.notes');
    },
  },
  {
    name: 'the dialog before an account is disconnected',
    isVariant: true,
    path: () => '/accounts',
    async ready(page) {
      await press(page, 'Disconnect…');
      const asking = await dialog(page, 'Disconnect @field.notes?');
      await asking.getByText('1 scheduled post', { exact: true }).waitFor();
    },
  },
  {
    name: 'the dialog of a free slot',
    isVariant: true,
    // All of its days are in the future.
    path: () => `/calendar?view=week&date=${new Date(Date.now() + 14 * DAY_MS).toISOString().slice(0, 10)}`,
    async ready(page) {
      await page
        .getByRole('link', { name: /: schedule a post$/ })
        .first()
        .click();
      await (await dialog(page, /^Schedule for /)).getByRole('button', { name: /A draft post/ }).waitFor();
    },
  },
  {
    name: 'the keyboard shortcuts',
    isVariant: true,
    path: () => '/accounts',
    async ready(page) {
      await page.getByRole('article').waitFor();
      await page.keyboard.press('Shift+?');
      await dialog(page, 'Keyboard shortcuts');
    },
  },
];
