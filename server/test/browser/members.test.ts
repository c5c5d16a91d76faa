// Members join by link, and each sees what their role allows.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { anEmail, DASHBOARD, newPerson, PASSWORD } from '../support/service/people.js';
import { type Tab, useBrowser } from './pages/browser.js';
import { aPostWithSlide, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

describe('members', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  /** Sends the request that the dashboard would send if it showed the button. */
  const ask = async ({ context }: Tab, path: string, data: unknown): Promise<number> => {
    const headers = { ...DASHBOARD, origin: service.url };
    return (await context.request.post(path, { headers, data })).status();
  };

  itInProofs(
    'a viewer invited by link finds no way to change anything, and the API refuses changes too',
    async () => {
      const org = await service.newOrganization({ name: 'Field Notes' });
      const accountId = await org.connectAccount();
      const id = await aPostWithSlide(org, 'A draft to look at', accountId);
      const bare = await org.addPost({ title: 'Without an account' });
      let [lost, link] = ['', ''];
      await inTab(await openAs(browser, service, org), async (page) => {
        lost = await invite(page, 'Viewer');
        await page.getByRole('button', { name: 'New link for Anyone with the link' }).click();
        const asking = page.getByRole('dialog', { name: 'Create a new link?' });
        await asking.getByText('The old link stops working immediately.').waitFor();
        await asking.getByRole('button', { name: 'Create new link' }).click();
        link = await copied(page);
      });
      assert.equal((await org.call('GET', '/api/v1/invitations')).json.data.length, 1);
      await inTab(await browser.open(service.url), (page) =>
        visit(page, lost, 'This invitation doesn’t work'),
      );
      const tab = await browser.open(service.url);
      await inTab(tab, async (page) => {
        await join(page, link, 'You’re invited as a viewer.');
        await page.getByRole('link', { name: 'A draft to look at', exact: true }).waitFor();
        await assertNone(page, ['New post', /^Publish…/, /^Select /]);

        await visit(page, `/posts/${id}`, 'A draft to look at');
        await page.getByText('No attempts yet.').waitFor();
        await assertNone(page, [/^Publish…/, /^Schedule…/, 'Edit', 'More actions']);
        await visit(page, `/posts/${bare}`, 'Without an account');
        await page.getByText('No account is chosen.').waitFor();
        assert.equal(await page.getByText('Choose the account').count(), 0);

        await visit(page, '/settings/keys', 'Settings');
        const sections = page.getByRole('navigation', { name: 'Settings' });
        await sections.getByRole('link', { name: 'Organization and plan' }).waitFor();
        await page.getByText('Only owners and admins can manage API keys').waitFor();
        await assertNone(page, ['API keys', 'Members', 'New API key', 'Invite']);

        const level = { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' };
        assert.equal(await ask(tab, '/api/v1/posts', { title: 'Mine' }), 403);
        assert.equal(await ask(tab, `/api/v1/posts/${id}/publish`, level), 403);
        assert.equal(await ask(tab, '/api/v1/keys', { name: 'Mine', scopes: ['posts:read'] }), 403);
        assert.equal(await ask(tab, '/api/v1/invitations', { role: 'viewer' }), 403);
      });
      assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).json.data.status, 'draft');
    },
  );

  it('get another role, which can be undone', async () => {
    const org = await service.newOrganization();
    const { id } = await newPerson(service, org.id, 'editor');
    const roleOf = async () =>
      (await org.call('GET', '/api/v1/members')).json.data.find((one: { id: string }) => one.id === id).role;
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/settings/members', 'Settings');
      const role = page.getByLabel('Role of The editor');
      await role.selectOption({ label: 'Admin' });
      await page.getByText('The editor is now an admin.').waitFor();
      assert.equal(await roleOf(), 'admin');
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await until('it is undone', async () => (await roleOf()) === 'editor');
      await until('the list shows the old role', async () => (await role.inputValue()) === 'editor');

      // The latest change is what is said and undone, however soon it follows.
      await role.selectOption({ label: 'Viewer' });
      await page.getByText('The editor is now a viewer.').waitFor();
      await role.selectOption({ label: 'Admin' });
      await page.getByText('The editor is now an admin.').waitFor();
      await page.getByText('The editor is now a viewer.').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await until('only the latest is undone', async () => (await roleOf()) === 'viewer');
    });
  });

  itInProofs('an editor invited by link can write, and cannot manage members', async () => {
    const org = await service.newOrganization({ name: 'Field Notes' });
    const posts = async () => (await org.call('GET', '/api/v1/posts')).json.data as { title: string }[];
    let link = '';
    await inTab(await openAs(browser, service, org), async (page) => {
      link = await invite(page, 'Editor');
    });
    const tab = await browser.open(service.url);
    await inTab(tab, async (page) => {
      await join(page, link, 'You’re invited as an editor.');
      await page.getByRole('link', { name: 'New post' }).first().click();
      await page.getByLabel('Title', { exact: true }).fill('Written by the editor');
      await until('it is saved', async () =>
        (await posts()).some(({ title }) => title === 'Written by the editor'),
      );
      await visit(page, '/library', 'Library');
      await page.getByRole('link', { name: 'Written by the editor', exact: true }).waitFor();
      assert.equal(await ask(tab, '/api/v1/invitations', { role: 'viewer' }), 403);
    });
  });

  itInProofs(
    'a person who is signed in learns what joining means, and who is not yet a member what to do',
    async () => {
      const org = await service.newOrganization({ name: 'Field Notes' });
      const other = await service.newOrganization({ name: 'City Notes' });
      let link = '';
      await inTab(await openAs(browser, service, org), async (page) => {
        link = await invite(page, 'Viewer');
      });
      await inTab(await openAs(browser, service, other), async (page) => {
        await visit(page, link, 'Join Field Notes');
        await page.getByText('You’re signed in as The owner in City Notes.').waitFor();
        await page.getByText('signs you out of this one').waitFor();
        await page.getByRole('link', { name: 'Go to your library' }).click();
        await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
        await join(page, link, 'You’re invited as a viewer.');
      });
      await inTab(await browser.open(service.url), async (page) => {
        await visit(page, '/sign-in', 'Sign in');
        await page.getByText('Ask an owner or admin of your organization for a link.').waitFor();
        await page.getByLabel('Email').fill(anEmail());
        await page.getByLabel('Password', { exact: true }).fill('not the password');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('alert').getByText('That email and password don’t match.').waitFor();
        // The next word replaces it.
        await page.keyboard.type(PASSWORD);
        assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), PASSWORD);
      });
    },
  );

  itInProofs('a used link admits no second visitor', async () => {
    const org = await service.newOrganization({ name: 'Field Notes' });
    let link = '';
    await inTab(await openAs(browser, service, org), async (page) => {
      link = await invite(page, 'Viewer');
    });
    await inTab(await browser.open(service.url), (page) => join(page, link, 'You’re invited as a viewer.'));
    await inTab(await browser.open(service.url), (page) => visit(page, link, 'This invitation doesn’t work'));
  });
});

/** As the owner, in the settings. Returns the link. */
async function invite(page: Page, role: string): Promise<string> {
  await visit(page, '/settings/members', 'Settings');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const asking = page.getByRole('dialog', { name: 'Invite someone' });
  await asking.getByRole('radio', { name: role }).check();
  await asking.getByRole('button', { name: 'Create link' }).click();
  const link = await copied(page);
  await page.getByText('Anyone with the link').first().waitFor();
  return link;
}

/** The link that is shown once. */
async function copied(page: Page): Promise<string> {
  const showing = page.getByRole('dialog', { name: 'Copy the link now' });
  const link = await showing.getByLabel('Invitation link').inputValue();
  await showing.getByRole('button', { name: 'I’ve copied it' }).click();
  await showing.waitFor({ state: 'hidden' });
  return link;
}

/** As the invited visitor, until the library is loaded. */
async function join(page: Page, link: string, about: string): Promise<void> {
  await visit(page, link, 'Join Field Notes');
  await page.getByText(about).waitFor();
  await page.getByLabel('Your name').fill('Nora New');
  await page.getByLabel('Email').fill(anEmail());
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
}

/** No button, link or checkbox has one of these names. */
async function assertNone(page: Page, names: (string | RegExp)[]): Promise<void> {
  for (const name of names)
    for (const role of ['link', 'button', 'checkbox'] as const)
      assert.equal(await page.getByRole(role, { name }).count(), 0, `there is a ${role} ${name}`);
}
