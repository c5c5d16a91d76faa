// The audit log in the settings: sentences, filters by actor, action and day, and pages, also by keyboard and on a phone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { newPerson, PASSWORD } from '../support/service/people.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

describe('the audit log', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  const entries = (page: Page) => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
  const settled = (page: Page) => page.locator('ul[aria-busy=false]').waitFor();

  /** A key with children, which an admin revokes. */
  async function revokeFamily(org: Organization): Promise<void> {
    const admin = await newPerson(service, org.id, 'admin', { withPassword: true });
    await admin.browser.call('PATCH', '/api/v1/auth/profile', { name: 'Ada Byron' });
    const { json } = await admin.browser.call('POST', '/api/v1/keys', { name: 'CI' });
    for (const name of ['One', 'Two', 'Three'])
      await service.request('POST', '/api/v1/keys', { key: json.data.key, body: { name } });
    assert.equal((await admin.browser.call('DELETE', `/api/v1/keys/${json.data.id}`)).status, 204);
    await admin.browser.call('POST', '/api/v1/auth/sign-in', { email: admin.email, password: PASSWORD });
  }

  it('tells an admin in sentences who did what, and finds it by actor, action and day', async () => {
    const org = await service.newOrganization({ name: 'Field Notes' });
    await revokeFamily(org);
    await inTab(await openAs(browser, service, org, 'admin'), async (page) => {
      await visit(page, '/settings/keys', 'Settings');
      await page
        .getByRole('navigation', { name: 'Settings' })
        .getByRole('link', { name: 'Audit log' })
        .click();
      const revoked = entries(page).filter({
        hasText: 'Ada Byron revoked the API key “CI” · 3 keys ended with it',
      });
      await revoked.waitFor();
      assert.match(await revoked.innerText(), /127\.0\.0\.1/);
      await entries(page).filter({ hasText: 'Airdate administrator created the organization' }).waitFor();

      await page.getByLabel('What').selectOption({ label: 'API keys: all' });
      await page.getByText('9 entries').waitFor();
      await page.getByLabel('Who').selectOption({ label: 'Airdate administrator' });
      await page.getByText('1 entry', { exact: true }).waitFor();
      await page.getByLabel('Who').selectOption({ label: 'Ada Byron' });
      await page.getByText('5 entries').waitFor();
      await page.getByRole('button', { name: 'To Any day', exact: true }).click();
      const month = page.getByRole('dialog', { name: 'To', exact: true });
      await month.getByRole('button', { name: 'Previous month' }).click();
      await month.locator('[data-day$="-01"]').click();
      await month.waitFor({ state: 'hidden' });
      await page.getByText('No entries match.').waitFor();
      // The filters are in the URL: a reload, or a link sent to a colleague, shows the same.
      await page.reload();
      await page.getByText('No entries match.').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await entries(page).filter({ hasText: 'Ada Byron signed in' }).waitFor();
      assert.equal(new URL(page.url()).search, '');
    });
  });

  itInProofs('can be paged and filtered by keyboard, and fits a phone', async () => {
    const org = await service.newOrganization();
    for (let n = 1; n <= 40; n++) await org.call('POST', '/api/v1/keys', { name: `Key ${n}` });
    const phone = { width: 390, height: 844 };
    await inTab(await openAs(browser, service, org, 'owner', phone), async (page) => {
      await visit(page, '/settings/audit', 'Settings');
      await page.getByText('42 entries').waitFor();
      await settled(page);
      assert.equal(await entries(page).count(), 30);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        'it is too wide',
      );
      await page.getByRole('button', { name: 'Next page' }).focus();
      await page.keyboard.press('Enter');
      await entries(page).filter({ hasText: 'created the API key “Test key”' }).waitFor();
      await settled(page);
      assert.equal(await entries(page).count(), 12);
      await page.getByLabel('Who').focus();
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'SELECT');
      await page.keyboard.press('S');
      await page.getByText('No entries match.').waitFor();
    });
  });

  itInProofs('is not shown to editors', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/settings/audit', 'Settings');
      await page.getByText('Only owners and admins can see the audit log').waitFor();
      assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0);
    });
  });
});
