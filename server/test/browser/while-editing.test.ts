// What happens around a writer: text found in the browser, another role, the end of the session. One page, from the post's to the end.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { newPerson, type TestPerson } from '../support/service/people.js';
import { useBrowser } from './pages/browser.js';
import { aPostWithSlide, inTab, OBEDIENT } from './steps/people-in-tabs.js';
import { holdRequests, saved, signIn } from './steps/steps.js';

describe('a writer', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  itInProofs(
    'is asked before restored text is saved, keeps the text when the role changes, and is told once of the end of the session',
    async () => {
      const org = await service.newOrganization();
      const id = await aPostWithSlide(org, 'Maps');
      for (const name of ['field.notes', 'city.notes']) await org.connectAccount(name);
      const owner = await newPerson(service, org.id, 'owner');
      const writer = await newPerson(service, org.id, 'editor');
      const captionOf = async () => (await org.call('GET', `/api/v1/posts/${id}`)).json.data.caption;
      const tab = await browser.open(service.url);
      await inTab(tab, async (page) => {
        const saves = countSaves(page, id);
        await signIn(tab, writer, `/posts/${id}`);
        await isNotReadyWithoutAccount(page);

        await leaveText(page, await idOf(writer), id);
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await page.getByText('We restored text that wasn’t saved last time.').waitFor();
        await shows(page, 'Typed on the train');
        await caption(page).fill('Typed on the train, and here');
        await page.getByRole('status').filter({ hasText: 'Not saved yet' }).waitFor();
        await page.getByRole('button', { name: 'Use saved version' }).click();
        await shows(page, 'Maps.');
        await saved(page);
        assert.equal(saves(), 0, 'it was saved unasked');

        const held = await holdRequests(page, `**/api/v1/posts/${id}`);
        await caption(page).fill('Written as an editor');
        await until('it is saved', async () => saves() === 1);
        await changeRole(owner, writer, 'viewer');
        // Without a letter typed: the sidebar and the buttons follow.
        await sidebar(page).getByText('Viewer', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Publish…', exact: true, disabled: true }).waitFor();
        held.release();
        await only(page, 'You now have view-only access. Your text is kept in this browser.');
        await shows(page, 'Written as an editor');
        assert.equal(await caption(page).isEditable(), false);
        assert.equal(await captionOf(), 'Maps.');

        await changeRole(owner, writer, 'editor');
        await until('it is saved again', async () => (await captionOf()) === 'Written as an editor');
        await saved(page);

        assert.equal((await writer.browser.call('POST', '/api/v1/auth/sign-out')).status, 204);
        await caption(page).fill('Written too late');
        await only(page, 'You’re signed out. Unsaved text stays in this browser until you sign back in.');
        await page.getByRole('button', { name: 'Saved captions' }).click();
        await page
          .getByRole('dialog', { name: 'Saved captions' })
          .getByText('Sign in to see this.')
          .waitFor();
        await only(page, 'You’re signed out. Unsaved text stays in this browser until you sign back in.');
        assert.doesNotMatch(await page.locator('body').innerText(), /Authorization|API key|posts:|scope/);
        await page.keyboard.press('Escape');
        await page.getByRole('alert').getByRole('link', { name: 'Sign in', exact: true }).click();
        await page.getByText('Your unsaved text is kept in this browser.').waitFor();
      });
    },
  );
});

const caption = (page: Page) => page.getByLabel('Caption', { exact: true });
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' });

const shows = (page: Page, text: string): Promise<void> =>
  until(`it shows “${text}”`, async () => (await caption(page).inputValue()) === text);

/** One message, and no other. */
async function only(page: Page, text: string): Promise<void> {
  const alerts = page.getByRole('alert');
  await alerts.filter({ hasText: text }).waitFor();
  assert.deepEqual(await alerts.count(), 1, (await alerts.allInnerTexts()).join(' | '));
}

async function isNotReadyWithoutAccount(page: Page): Promise<void> {
  const status = page.getByRole('region', { name: 'Status' });
  await status.getByText('Choose the account to publish to.').waitFor();
  assert.equal(await status.getByText('Ready to publish').count(), 0);
  await status.getByRole('button', { name: 'Publish…' }).waitFor();
}

const idOf = async ({ browser }: TestPerson): Promise<string> =>
  (await browser.call('GET', '/api/v1/me')).json.data.user.id;

/** As an earlier visit does that could not save any more. */
const leaveText = (page: Page, person: string, id: string): Promise<void> =>
  page.evaluate(
    (name) =>
      localStorage.setItem(
        name,
        JSON.stringify({ fields: { caption: 'Typed on the train' }, saved: { caption: 'Maps.' }, lost: {} }),
      ),
    `airdate:unsaved:${person}:${id}`,
  );

function countSaves(page: Page, id: string): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.method() === 'PATCH' && request.url().endsWith(id)) count++;
  });
  return () => count;
}

async function changeRole(owner: TestPerson, person: TestPerson, role: string): Promise<void> {
  const { status } = await owner.browser.call('PATCH', `/api/v1/members/${await idOf(person)}`, { role });
  assert.equal(status, 200);
}
