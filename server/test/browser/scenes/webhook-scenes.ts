// The screen of webhooks, and its dialogs.
import { dialog, press, text } from '../steps/scene-steps.js';
import type { Scene } from './stage.js';

export const WEBHOOKS: Scene[] = [
  {
    name: 'settings: no webhooks',
    viewer: 'beginner',
    isVariant: true,
    path: () => '/settings/webhooks',
    ready: text('No webhooks yet'),
  },
  {
    name: 'settings: webhooks',
    isVariant: true,
    path: () => '/settings/webhooks',
    ready: (page) => page.getByRole('link', { name: 'https://hooks.example.com/airdate' }).waitFor(),
  },
  {
    name: 'a webhook with its log',
    path: ({ webhook }) => `/settings/webhooks?webhook=${webhook}`,
    async ready(page) {
      await page.getByRole('list', { name: 'Deliveries' }).locator('summary').first().click();
      await page.getByText('Out of order').waitFor();
    },
  },
  {
    name: 'the dialog of a new webhook',
    isVariant: true,
    path: () => '/settings/webhooks',
    async ready(page) {
      await press(page, 'New webhook');
      await (await dialog(page, 'New webhook')).getByLabel('Only these').check();
      await page.getByLabel('Post created').waitFor();
    },
  },
  {
    name: 'the dialog that sends missed events',
    isVariant: true,
    path: ({ webhook }) => `/settings/webhooks?webhook=${webhook}`,
    async ready(page) {
      await press(page, 'Send missed events…');
      await dialog(page, 'Send missed events again');
    },
  },
  {
    name: 'the dialog that replaces the secret of a webhook',
    isVariant: true,
    path: ({ webhook }) => `/settings/webhooks?webhook=${webhook}`,
    async ready(page) {
      await press(page, 'Replace secret…');
      await dialog(page, 'Replace the secret?');
    },
  },
];
