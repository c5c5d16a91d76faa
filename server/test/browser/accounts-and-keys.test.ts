// Connected accounts and API keys: added and removed in the dashboard.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { control, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

describe('accounts and keys', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('an account is connected on the consent page of the platform, and disconnected again', async () => {
    const org = await service.newOrganization({ name: 'Harbour & Sons' });
    const accounts = async () => (await org.call('GET', '/api/v1/social-accounts')).json.data;
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/accounts', 'Accounts');
      await page.getByText('No accounts connected yet').waitFor();
      await page.getByRole('button', { name: 'Connect account' }).click();

      await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
      await page.getByText('Requested by Harbour & Sons').waitFor();
      await page.getByLabel('Username').fill('harbour.light');
      await page.getByRole('button', { name: 'Allow' }).click();

      await page.getByText('Connected as @harbour.light').waitFor();
      await page.getByRole('status').getByText('Harbour & Sons can now post as @harbour.light.').waitFor();
      // No post has waited for a new account.
      assert.equal(await page.getByText(/waited for it|Waiting posts/).count(), 0);
      const card = page.getByRole('article');
      await card.getByText('@harbour.light').waitFor();
      await card.getByText('Connected', { exact: true }).waitFor();
      assert.equal((await accounts()).length, 1);

      // What the platform fails to answer is said of the platform by its name, without a code.
      await control(service, 'faults', { on: 'creator_info', kind: 'reset_after', times: 20 });
      await card.getByRole('button', { name: 'Permissions and limits' }).click();
      await card.getByText('The sandbox didn’t answer.', { exact: true }).waitFor();
      await control(service, 'clear', {});

      await card.getByRole('button', { name: 'Disconnect…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Disconnect @harbour.light?' });
      await dialog.getByText('No scheduled posts use this account.').waitFor();
      await dialog.getByRole('button', { name: 'Disconnect', exact: true }).click();
      await page.getByText('No accounts connected yet').waitFor();
      assert.deepEqual(await accounts(), []);
    });
  });

  itInProofs('consent that is denied connects nothing, and says so', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/accounts', 'Accounts');
      await page.getByRole('button', { name: 'Connect account' }).click();
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByRole('alert').getByText('Access was denied.').waitFor();
      await page.getByText('No accounts connected yet').waitFor();
    });
  });

  itInProofs('an API key made in the settings works until it is revoked there', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/settings/keys', 'Settings');
      await page.getByRole('button', { name: 'New API key' }).click();
      const making = page.getByRole('dialog', { name: 'New API key' });
      await making.getByLabel('Name').fill('Nightly import');
      await making.getByRole('button', { name: 'Everything' }).click();
      await making.getByRole('button', { name: 'Create key' }).click();

      const showing = page.getByRole('dialog', { name: 'Copy the key now' });
      const key = await showing.getByLabel('Key', { exact: true }).inputValue();
      const use = async () => (await service.request('GET', '/api/v1/posts', { key })).status;
      assert.equal(await use(), 200);
      await showing.getByRole('button', { name: 'I’ve copied it' }).click();
      await showing.waitFor({ state: 'detached' });

      // What the key makes ends with it, and the dialog says so before.
      const make = async (path: string, body: object) =>
        assert.equal((await service.request('POST', `/api/v1/${path}`, { key, body })).status, 201);
      await make('keys', { name: 'Made with it' });
      await make('invitations', { role: 'viewer', email: 'grace@example.com' });
      await make('webhooks', { url: 'https://hooks.example.com/airdate' });

      const row = page.getByRole('row', { name: /Nightly import/ });
      assert.ok(!(await row.innerText()).includes(key), 'the key is still shown');
      await row.getByRole('button', { name: 'Revoke Nightly import' }).click();
      const revoking = page.getByRole('dialog', { name: 'Revoke “Nightly import”?' });
      for (const text of [
        'Revokes 1 API key created with it',
        /^Made with it \(ad_/,
        'Withdraws 1 invitation created with it',
        'grace@example.com, as viewer',
        'Disables 1 webhook set up with it',
        'https://hooks.example.com/airdate',
      ])
        await revoking.getByText(text).waitFor();
      await revoking.getByRole('button', { name: 'Revoke key' }).click();
      await row.waitFor({ state: 'detached' });
      assert.equal(await use(), 401);
    });
  });
});
