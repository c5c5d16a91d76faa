// Signing out, even if the session has already ended.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { newPerson, PASSWORD } from '../support/service/people.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, visit } from './steps/people-in-tabs.js';
import { signIn } from './steps/steps.js';

describe('sign-out', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  async function aPersonInATab() {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'owner', { withPassword: true });
    const tab = await browser.open(service.url);
    /** Ends the session while the request is on its way, so that the screen cannot know. */
    const endMeanwhile = () =>
      tab.page.route('**/auth/sign-out', async (route) => {
        assert.equal((await person.browser.call('POST', '/api/v1/auth/sign-out')).status, 204);
        await route.continue();
      });
    return { person, tab, endMeanwhile };
  }

  it('ends at the sign-in page, where the user can sign in again', async () => {
    const { person, tab } = await aPersonInATab();
    await inTab(tab, async (page) => {
      await signIn(tab, person, '/library');
      await leaveByMenu(page);
      await comeInAgain(page, person.email);

      // If the session ends, the page still knows whose it was.
      await tab.context.clearCookies();
      // Unless a request in the background has noticed it first, and the link is gone.
      await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/calendar"]')?.click());
      await page.waitForURL('**/sign-in?next=*');
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      assert.equal(await page.getByLabel('Email').inputValue(), person.email);
      await page.keyboard.type(PASSWORD);
      assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), PASSWORD);
    });
  });

  itInProofs('of a session that ended elsewhere ends there too, without a message', async () => {
    const { person, tab, endMeanwhile } = await aPersonInATab();
    await inTab(tab, async (page) => {
      await signIn(tab, person, '/library');
      await endMeanwhile();
      await leaveByMenu(page);
      assert.equal(await page.getByText('You’re still signed in').count(), 0);
      await comeInAgain(page, person.email);
    });
  });

  itInProofs('does the same in the settings', async () => {
    const { person, tab, endMeanwhile } = await aPersonInATab();
    await inTab(tab, async (page) => {
      await signIn(tab, person, '/settings/security');
      await endMeanwhile();
      await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
      await comeInAgain(page, person.email);
    });
  });

  itInProofs(
    'is not needed when the service does not know the session: every screen leads to the sign-in page',
    async () => {
      const { person, tab } = await aPersonInATab();
      person.browser.cookie = `airdate=${'A'.repeat(43)}`;
      await inTab(tab, async (page) => {
        await signIn(tab, person, '/calendar');
        await page.waitForURL('**/sign-in?next=*');
        await page.getByLabel('Email').fill(person.email);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'Calendar' }).waitFor();
        await visit(page, '/library', 'Library');
      });
    },
  );
});

async function leaveByMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: /The owner/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

async function comeInAgain(page: Page, email: string): Promise<void> {
  await page.waitForURL(/\/sign-in$/);
  assert.equal(await page.getByLabel('Email').inputValue(), '');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
}
