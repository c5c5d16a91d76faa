// Proving who one is: the dialog that asks for the password once more, codes of an authenticator app, and a new password by a link.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { codeNow, fromBase32 } from '../support/service/factors.js';
import { useService } from '../support/service/harness.js';
import { newPerson, PASSWORD, type TestPerson } from '../support/service/people.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, visit } from './steps/people-in-tabs.js';
import { signIn } from './steps/steps.js';

const QUARTER_MS = 15 * 60_000;

describe('proving who one is', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  const newOwner = async () =>
    newPerson(service, (await service.newOrganization()).id, 'owner', { withPassword: true });

  it('is asked for once in a quarter of an hour, and then the act goes on', async (t) => {
    t.after(() => service.clock.resume());
    const person = await newOwner();
    const tab = await browser.open(service.url);
    await inTab(tab, async (page) => {
      await signIn(tab, person, '/settings/keys');
      service.clock.advance(QUARTER_MS);
      await page.getByRole('button', { name: 'New API key' }).click();
      const making = page.getByRole('dialog', { name: 'New API key' });
      await making.getByLabel('Name').fill('Nightly import');
      await making.getByLabel('Works from').fill('127.0.0.0/8');
      await making.getByRole('button', { name: 'Create key' }).click();
      const asking = page.getByRole('dialog', { name: 'Confirm it’s you' });
      await asking.getByLabel('Password', { exact: true }).fill('not the password');
      await asking.getByRole('button', { name: 'Confirm' }).click();
      await asking.getByText('The password is wrong.').waitFor();
      await asking.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await asking.getByRole('button', { name: 'Confirm' }).click();
      const key = page.getByRole('dialog', { name: 'Copy the key now' });
      await key.getByRole('button', { name: 'I’ve copied it' }).click();
      await page.getByText('works from 127.0.0.0/8').waitFor();
    });
  });

  it('takes a code of an authenticator app that was added in the settings, or a recovery code', async () => {
    const person = await newOwner();
    const tab = await browser.open(service.url);
    await inTab(tab, async (page) => {
      await signIn(tab, person, '/settings/security');
      await page.getByRole('button', { name: 'Add an authenticator app' }).click();
      const adding = page.getByRole('dialog', { name: 'Add an authenticator app' });
      await adding.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
      const secret = fromBase32(await adding.getByLabel('Can’t scan it?').inputValue());
      await adding.getByLabel('Code', { exact: true }).fill(codeNow(service.app, secret));
      await adding.getByRole('button', { name: 'Turn on' }).click();
      const saving = page.getByRole('dialog', { name: 'Save your recovery codes' });
      const codes = (await saving.getByLabel('Recovery codes', { exact: true }).inputValue()).split('\n');
      assert.equal(codes.length, 10);
      await saving.getByRole('button', { name: 'I’ve stored them' }).click();
      await page.getByText('10 recovery codes left').waitFor();

      await signOut(page);
      await givePassword(page, person);
      // The code that enrolled the app counts no more.
      await page.getByLabel('Code', { exact: true }).fill(codeNow(service.app, secret, +1));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();

      await page.goto('/settings/security');
      await signOut(page);
      await givePassword(page, person);
      await page.getByRole('button', { name: /Use a recovery code/ }).click();
      await page.getByLabel('Recovery code').fill(codes[3] as string);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();

      await visit(page, '/settings/organization', 'Settings');
      await page.getByLabel('Every member needs a second factor').check();
      await page.getByText('Members without one can do nothing else').waitFor();
    });
    const member = await newPerson(service, person.orgId, 'editor', { withPassword: true });
    const theirs = await browser.open(service.url);
    await inTab(theirs, async (page) => {
      await signIn(theirs, member, '/library');
      await page.getByRole('heading', { level: 1, name: 'Add a second factor to continue' }).waitFor();
      await page.getByRole('button', { name: 'Add an authenticator app' }).click();
      const adding = page.getByRole('dialog', { name: 'Add an authenticator app' });
      const secret = fromBase32(await adding.getByLabel('Can’t scan it?').inputValue());
      await adding.getByLabel('Code', { exact: true }).fill(codeNow(service.app, secret));
      await adding.getByRole('button', { name: 'Turn on' }).click();
      const saving = page.getByRole('dialog', { name: 'Save your recovery codes' });
      assert.match(await saving.getByLabel('Recovery codes', { exact: true }).inputValue(), /-/);
      await saving.getByRole('button', { name: 'I’ve stored them' }).click();
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    });
  });

  it('begins anew with a link that an owner makes for a member who forgot the password', async () => {
    const owner = await newOwner();
    const member = await newPerson(service, owner.orgId, 'editor', { withPassword: true });
    const tab = await browser.open(service.url);
    let link = '';
    await inTab(tab, async (page) => {
      await signIn(tab, owner, '/settings/members');
      await page.getByRole('button', { name: 'More for The editor' }).click();
      await page.getByRole('menuitem', { name: 'Link for a new password…' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      link = await page.getByLabel('Link', { exact: true }).inputValue();
      await page.getByRole('button', { name: 'I’ve copied it' }).click();
    });
    const theirs = await browser.open(service.url);
    await inTab(theirs, async (page) => {
      await page.goto(link);
      await page.getByLabel('New password').fill('a rather different one');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('heading', { level: 1, name: 'Your password is changed' }).waitFor();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await givePassword(page, { ...member, password: 'a rather different one' });
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
    });
  });
});

async function givePassword(
  page: Page,
  { email, password = PASSWORD }: Pick<TestPerson, 'email'> & { password?: string },
) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** From the settings. */
async function signOut(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
}
