// The first hour of a team: a checklist that ticks itself, their own profile, and links that lead on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEntryLink } from '../../src/identity/auth/entry-links.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { useBrowser } from './pages/browser.js';
import { aPostWithSlide, book, DAY_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { signIn } from './steps/steps.js';

describe('the first hour', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('the checklist ticks itself, offers the next step, and goes when all is done', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      const main = page.getByRole('main');
      const steps = main.getByRole('list', { name: 'First steps' });
      const done = (title: string) => steps.getByRole('listitem').filter({ hasText: `${title}, done` });
      await steps.getByText('Connect an account').waitFor();
      assert.equal(await steps.getByText(', done').count(), 0);
      assert.equal(await page.getByText('curl').count(), 0);
      // Nothing to filter yet.
      assert.equal(await main.getByRole('navigation', { name: 'Status' }).count(), 0);
      await main.getByRole('button', { name: 'Connect account' }).click();
      await page.getByLabel('Username').fill('first.notes');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Connected as @first.notes', { exact: true }).waitFor();
      const begin = page.getByRole('link', { name: 'Create your first post' });
      await begin.waitFor();
      // White on the signal colour, not in the ink of the note.
      assert.equal(await begin.evaluate((link) => getComputedStyle(link).color), 'rgb(255, 255, 255)');
      const [{ id: accountId }] = (await org.call('GET', '/api/v1/social-accounts')).json.data;

      await visit(page, '/library', 'Library');
      await done('Connect an account').waitFor();
      await main.getByRole('link', { name: 'Create post' }).waitFor();

      // Without a reload: events tell that there is a post.
      const id = await aPostWithSlide(org, 'The first', accountId);
      const card = page.getByRole('complementary', { name: 'First steps' });
      await card.waitFor();
      await done('Create your first post').waitFor();
      await card.getByRole('link', { name: 'Schedule post' }).click();
      await page.waitForURL(`**/posts/${id}`);

      await book(org, id, accountId, service.clock.now() + DAY_MS);
      await visit(page, '/library', 'Library');
      await main.getByRole('link', { name: 'The first', exact: true }).waitFor();
      await card.waitFor({ state: 'detached' });
    });
  });

  itInProofs('a post written before any account is connected leads to where one is, and back', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'The first' });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      const readiness = page.getByRole('region', { name: 'Readiness' });
      await readiness.getByText('Connect the account to publish to.').waitFor();
      assert.equal(await readiness.getByRole('button', { name: 'Choose account' }).count(), 0);
      await readiness.getByRole('link', { name: 'Connect account' }).click();
      await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();

      // The consent page of the platform leads to the accounts, and from there a link back to the post.
      await page.getByRole('button', { name: 'Connect account' }).click();
      await page.getByLabel('Username').fill('field.notes');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Connected as @field.notes', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Back to your post' }).click();
      await page.waitForURL(`**/posts/${id}/edit`);
      await readiness.getByText('Connect the account to publish to.').waitFor({ state: 'hidden' });
    });
  });

  itInProofs('a dismissed checklist stays away, for this person', async () => {
    const org = await service.newOrganization();
    await org.addPost({ title: 'The first' });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/library', 'Library');
      const card = page.getByRole('complementary', { name: 'First steps' });
      await card.getByRole('button', { name: 'Dismiss the first steps' }).click();
      await card.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('main').getByRole('link', { name: 'The first', exact: true }).waitFor();
      assert.equal(await card.count(), 0);
    });
  });

  itInProofs(
    'members change their own name and time format, and are told what only admins can do',
    async () => {
      const org = await service.newOrganization();
      const person = await newPerson(service, org.id, 'editor', { withPassword: true });
      const me = async () => (await person.browser.call('GET', '/api/v1/me')).json.data.user;
      const tab = await browser.open(service.url);
      await inTab(tab, async (page) => {
        await signIn(tab, person, '/settings');
        await page.waitForURL('**/settings/profile');
        const sections = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
        await sections.first().waitFor();
        assert.deepEqual(await sections.allInnerTexts(), [
          'Profile',
          'Security',
          'Appearance',
          'Organization and plan',
        ]);
        await page.getByRole('heading', { name: 'Change password' }).waitFor();
        await page.getByLabel('Your name').fill('Nora Field');
        await page.getByRole('button', { name: 'Save name' }).click();
        // Everywhere immediately.
        await page.getByRole('button', { name: /Nora Field/ }).waitFor();
        await page.getByRole('radiogroup', { name: 'Time format' }).getByText('12-hour').click();
        await page.getByRole('radio', { name: /12-hour/, checked: true }).waitFor({ state: 'attached' });
        await page.reload();
        await page.getByRole('radio', { name: /12-hour/, checked: true }).waitFor({ state: 'attached' });
        const { name, time_format } = await me();
        assert.deepEqual([name, time_format], ['Nora Field', '12h']);

        for (const [section, what] of [
          ['keys', 'manage API keys'],
          ['webhooks', 'manage webhooks'],
          ['members', 'manage members'],
          ['audit', 'see the audit log'],
        ]) {
          await visit(page, `/settings/${section}`, 'Settings');
          await page.getByRole('heading', { name: `Only owners and admins can ${what}` }).waitFor();
        }
      });
      await inTab(await openAs(browser, service, org), async (page) => {
        await visit(page, '/settings/members', 'Settings');
        const sections = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
        assert.deepEqual((await sections.allInnerTexts()).slice(3), [
          'Organization and plan',
          'Members',
          'API keys',
          'Webhooks',
          'Audit log',
        ]);
      });
    },
  );

  itInProofs('a used link leads on to the library for a person who is signed in', async () => {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'editor');
    const entry = await service.app.db.transact((tx) =>
      createEntryLink(service.app, tx, { org_id: org.id, id: person.id }),
    );
    const { pathname, hash } = new URL(entry);
    await inTab(await browser.open(service.url), async (page) => {
      await visit(page, pathname + hash, 'Library');
      for (const [link, what] of [
        [pathname + hash, 'link'],
        ['/invitation#spent', 'invitation'],
      ]) {
        // Another page first: a link that differs only after the # loads nothing.
        await visit(page, '/accounts', 'Accounts');
        await visit(page, link as string, 'Library');
        await page.getByText(`That ${what} was already used or has expired.`).waitFor();
      }
    });
    // Others are told why it does not work.
    await inTab(await browser.open(service.url), (page) =>
      visit(page, pathname + hash, 'This link doesn’t work'),
    );
  });
});
