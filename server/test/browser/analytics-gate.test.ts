// Only some plans include analytics: on the others a notice names those plans.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { aPostWithSlide, inTab, OBEDIENT, openAs, publishUntil, visit } from './steps/people-in-tabs.js';

const NOTICE = 'Analytics is part of the Growth and Agency plans';

describe('analytics by plan', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('on Starter, when the trial is over, a notice says which plans have them', async () => {
    const org = await service.newOrganization({ plan: 'starter', trial_days: 0 });
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/analytics', 'Analytics');
      await page.getByRole('heading', { name: NOTICE }).waitFor();
      await page.getByText('Your organization is on Starter').waitFor();
      assert.equal(await page.getByText('Success rate').count(), 0);
      await page.getByRole('link', { name: 'See your plan' }).click();
      await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
    });
    assert.equal((await org.call('GET', '/api/v1/analytics')).status, 403);
  });

  itInProofs('on Growth the figures are shown', async () => {
    const org = await service.newOrganization({ plan: 'growth', trial_days: 0 });
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, 'Dawn in the old town', accountId);
    await publishUntil(org, id, accountId, 'published');
    await inTab(await openAs(browser, service, org), async (page) => {
      await visit(page, '/analytics', 'Analytics');
      await page.getByText('100%', { exact: true }).first().waitFor();
      await page.getByText('1 in the last 30 days', { exact: true }).waitFor();
      assert.equal(await page.getByRole('heading', { name: NOTICE }).count(), 0);
    });
  });
});
