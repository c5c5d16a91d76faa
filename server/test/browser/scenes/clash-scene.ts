// The composer when its text was changed elsewhere.
import type { Page } from 'playwright-core';
import { answerWith } from '../steps/scene-steps.js';
import type { Scene } from './stage.js';

export const CLASH: Scene = {
  name: 'the editor with a text that was changed elsewhere',
  isVariant: true,
  prepare: changedElsewhere,
  path: ({ posts }) => `/posts/${posts.draft}/edit`,
  async ready(page) {
    await page.getByLabel('Title', { exact: true }).fill('Mine');
    await page.getByLabel('Caption', { exact: true }).fill('What I have written meanwhile. '.repeat(20));
    await page.getByRole('button', { name: 'Keep mine' }).waitFor();
  },
};

/** Every save is refused, because the post has another title and another caption by then. */
async function changedElsewhere(page: Page): Promise<void> {
  let isChanged = false;
  await page.route(/\/api\/v1\/posts\/[^/?]+$/, async (route) => {
    if (route.request().method() === 'PATCH') {
      isChanged = true;
      return route.fulfill({ status: 412, json: { code: 'precondition_failed', detail: 'It has changed.' } });
    }
    if (!isChanged) return route.continue();
    return answerWith<object>(
      route,
      (post) => ({ ...post, title: 'Theirs', caption: 'What another member has saved meanwhile.' }),
      { etag: '"theirs"' },
    );
  });
}
