// Webhooks in the settings: created, tested, watched, repeated and disabled by a person.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { ALLOW, addWebhook, Receiver, verify } from '../support/service/webhooks.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { dialog, press } from './steps/scene-steps.js';

describe('webhooks', () => {
  const service = useService('sqlite', { ...OBEDIENT, env: { ...OBEDIENT.env, ...ALLOW } });
  const browser = useBrowser();
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver.stop());

  /** Waits until the latest delivery is in this state, and refreshes the log. */
  const latest = async (page: Page, org: Organization, id: string, state: string, attempts: number) => {
    await until(`the latest delivery is ${state}`, async () => {
      const [delivery] = (await org.call('GET', `/api/v1/webhooks/${id}/deliveries`)).json.data;
      return delivery?.state === state && delivery.attempt_count >= attempts;
    });
    await press(page, 'Refresh');
    return page.getByRole('list', { name: 'Deliveries' }).locator('details').first();
  };

  it('a webhook is created, tested, watched in its log, repeated, and disabled', async () => {
    const org = await service.newOrganization();
    const tab = await openAs(browser, service, org);
    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await inTab(tab, async (page) => {
      await visit(page, '/settings/webhooks', 'Settings');
      await page.getByText('No webhooks yet').waitFor();
      await press(page, 'New webhook');
      const form = await dialog(page, 'New webhook');
      await form.getByLabel('URL').fill('https://localhost/hooks');
      await press(page, 'Create webhook');
      await form.getByText(/^The URL /).waitFor();
      await form.getByLabel('URL').fill(`${receiver.url}/hooks`);
      await form.getByLabel('Description').fill('Our newsroom');
      await form.getByLabel('Only these').check();
      await form.getByLabel('Post created').check();
      await press(page, 'Create webhook');

      const showing = await dialog(page, 'Copy the secret now');
      await showing.getByRole('button', { name: 'Copy secret' }).click();
      const secret = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(secret, /^whsec_/);
      await press(page, 'I’ve copied it');
      await showing.waitFor({ state: 'detached' });

      const row = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem');
      await row.getByText('Events: Post created', { exact: true }).waitFor();
      await row.getByText('Enabled', { exact: true }).waitFor();
      await row.getByRole('link', { name: `${receiver.url}/hooks` }).click();
      await page.getByRole('heading', { level: 2, name: 'Our newsroom' }).waitFor();
      assert.ok(!(await page.content()).includes(secret), 'the secret is still shown');
      const id = new URL(page.url()).searchParams.get('webhook') as string;

      receiver.answer = (response) => response.end('Thank you');
      await press(page, 'Send a test');
      const result = page.getByRole('status').filter({ hasText: 'The endpoint accepted the test' });
      await result.getByText(/HTTP 200 after \d+ ms/).waitFor();
      await result.getByText('Thank you').waitFor();
      await page.getByText('Nothing sent yet.').waitFor();

      await org.addPost();
      const delivery = await latest(page, org, id, 'delivered', 1);
      await delivery.getByText('Delivered', { exact: true }).waitFor();
      await delivery.locator('summary').first().click();
      await delivery.getByText('1 attempt', { exact: true }).waitFor();
      await delivery.getByText('"type": "post.created"').waitFor();

      receiver.answer = (response) => response.writeHead(500).end('Out of order');
      await delivery.getByRole('button', { name: 'Send again' }).click();
      await latest(page, org, id, 'pending', 2);
      await delivery.getByText('Waiting', { exact: true }).waitFor();
      // On a slow machine the next attempt may have come meanwhile.
      await delivery
        .getByText(/HTTP 500 after \d+ ms/)
        .first()
        .waitFor();
      await delivery.getByText('Out of order').first().waitFor();
      await delivery.getByText(/^Next attempt: /).waitFor();
      await page.getByText('The endpoint isn’t accepting events').waitFor();

      assert.deepEqual(receiver.types().slice(0, 3), ['webhook.test', 'post.created', 'post.created']);
      for (const received of receiver.received) verify(service, secret, received);
      const [, first, again] = receiver.received.map(({ headers }) => headers['webhook-id']);
      assert.equal(again, first);

      await press(page, 'Disable');
      await page.getByText('Nothing is sent to this webhook').waitFor();
      await delivery.getByText('Not sent while the webhook is disabled.').waitFor();
      assert.equal((await org.call('GET', `/api/v1/webhooks/${id}`)).json.data.enabled, false);
    });
  });

  itInProofs(
    'a webhook is enabled, sent what it missed, edited, given another secret, and deleted',
    async () => {
      const org = await service.newOrganization();
      const { id } = await addWebhook(org, `${receiver.url}/missed`);
      const webhook = async () => (await org.call('GET', `/api/v1/webhooks/${id}`)).json.data;
      await org.call('PATCH', `/api/v1/webhooks/${id}`, { enabled: false });
      await org.addPost();
      receiver.received.length = 0;
      receiver.answer = (response) => response.end('ok');
      const phone = { width: 390, height: 844 };
      await inTab(await openAs(browser, service, org, 'owner', phone), async (page) => {
        await visit(page, `/settings/webhooks?webhook=${id}`, 'Settings');
        await page.getByText('It was disabled by a person or an app of your organization.').waitFor();
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          'it is too wide',
        );
        await press(page, 'Enable');
        await press(page, 'Send missed events…');
        const recovering = await dialog(page, 'Send missed events again');
        await recovering.getByRole('button', { name: 'Send missed events' }).click();
        await page.getByText('Those that this webhook has missed are being sent.').waitFor();
        const delivery = await latest(page, org, id, 'delivered', 1);
        await delivery.getByText('Post created').waitFor();
        assert.deepEqual(receiver.types(), ['post.created']);
        await page.getByText('Failed', { exact: true }).click();
        await page.getByText('No deliveries match.').waitFor();

        await press(page, 'Edit…');
        const editing = await dialog(page, 'Edit webhook');
        await editing.getByLabel('Description').fill('The archive');
        await press(page, 'Save changes');
        await page.getByRole('heading', { level: 2, name: 'The archive' }).waitFor();
        assert.equal((await webhook()).url, `${receiver.url}/missed`);

        await press(page, 'Replace secret…');
        await press(page, 'Replace secret');
        const showing = await dialog(page, 'Copy the secret now');
        await showing.getByText(/For 24 hours, each request carries two signatures/).waitFor();
        await press(page, 'I’ve copied it');
        await page.getByText(/signed with the old one as well/).waitFor();

        await press(page, 'Delete…');
        await press(page, 'Delete webhook');
        await page.getByText('No webhooks yet').waitFor();
        assert.equal((await org.call('GET', `/api/v1/webhooks/${id}`)).status, 404);
      });
    },
  );

  itInProofs('editors cannot see webhooks', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/settings/webhooks', 'Settings');
      await page.getByText('Only owners and admins can manage webhooks').waitFor();
      assert.equal(await page.getByRole('link', { name: 'Webhooks' }).count(), 0);
    });
  });
});
