// The answer of the platform is lost: only a member can find out what happened, and enters it in the dashboard.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedConnector } from '../platform/scripted-connector.js';
import { useService } from '../service/harness.js';
import { useBrowser } from './browser.js';
import { aPostWithSlide, inTab, loseTheAnswer, OBEDIENT, openAs, publish, visit } from './people-in-tabs.js';

describe('an unknown outcome', () => {
  const steered = new ScriptedConnector();
  const service = useService('sqlite', { ...OBEDIENT, connector: steered.wrap });
  const browser = useBrowser();

  it('is resolved by a member who has seen the post on the platform', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, 'Huts worth the climb', accountId);
    await loseTheAnswer(service, steered);
    assert.equal((await publish(org, id, accountId)).status, 504);

    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      // It never had a slot, so it is on the day of the attempt.
      await visit(page, '/calendar', 'Calendar');
      const chip = page.getByRole('main').getByRole('link', { name: /Huts worth the climb.*unknown/i });
      const line = chip.getByText('Unknown', { exact: true }).locator('..');
      const isCut = await line.evaluate((it) => it.scrollWidth > it.clientWidth);
      assert.equal(isCut, false, 'what became of it is cut off');
      // It is no longer being published, so no tab that counts it says so.
      await visit(page, '/library', 'Library');
      const tabs = page.getByRole('navigation', { name: 'Status' });
      await tabs.getByRole('link', { name: 'Awaiting outcome' }).getByText('1', { exact: true }).waitFor();
      await tabs.getByRole('link', { name: 'Awaiting outcome' }).click();
      await page.locator('main [data-post]').getByText('Outcome unknown', { exact: true }).waitFor();
      await tabs.getByRole('link', { name: 'Needs attention' }).click();
      await page.getByRole('main').getByRole('link', { name: 'Huts worth the climb', exact: true }).click();
      const status = page.getByRole('region', { name: 'Status' });
      await status.getByText('Outcome unknown', { exact: true }).waitFor();
      assert.equal(await status.getByRole('button', { name: /Publish/ }).count(), 0);

      await status.getByRole('button', { name: 'Resolve…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Is it in the sandbox?' });
      await dialog.getByText('Technical details').click();
      await dialog.getByText('none received').waitFor();
      await dialog.getByRole('button', { name: 'It’s in the sandbox' }).click();
      await dialog.waitFor({ state: 'detached' });
      await status.getByText('Posted', { exact: true }).waitFor();
    });
    assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).json.data.status, 'posted');
  });
});
