// Parts of the composer that are opened, and uploads on another screen.

import { choose, mediaPanel, UPLOADS } from '../steps/steps.js';
import type { Scene } from './stage.js';

export const COMPOSER_PARTS: Scene[] = [
  {
    name: 'the editor with saved captions',
    isVariant: true,
    path: ({ posts }) => `/posts/${posts.draft}/edit`,
    async ready(page) {
      await page.getByRole('button', { name: 'Saved captions' }).click();
      await page
        .getByRole('dialog', { name: 'Saved captions' })
        .getByText('No saved captions yet.')
        .waitFor();
    },
  },
  {
    name: 'the upload tray',
    isVariant: true,
    path: ({ posts }) => `/posts/${posts.uploads}/edit`,
    async ready(page) {
      await page.route(UPLOADS, () => undefined);
      await choose(page, mediaPanel(page, 'Slides').getByRole('button', { name: /^Add slides/ }), [
        { name: 'under-way.png', mimeType: 'image/png', buffer: Buffer.from('under way') },
      ]);
      await page.getByRole('progressbar', { name: 'Upload of under-way.png' }).waitFor({ state: 'attached' });
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Accounts' }).click();
      await page.getByRole('article').waitFor();
      await page
        .getByRole('region', { name: 'Upload tray' })
        .getByRole('button', { name: /^Uploading/ })
        .click();
    },
  },
];
