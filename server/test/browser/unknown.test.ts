// The answer of the platform is lost: only a member can find out what happened, and enters it in the dashboard.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Latch, ScriptedConnector } from '../support/platform/scripted-connector.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import {
  aPostWithSlide,
  inTab,
  loseTheAnswer,
  OBEDIENT,
  openAs,
  publish,
  visit,
} from './steps/people-in-tabs.js';
import { sheetOn } from './steps/steps.js';

describe('an unknown outcome', () => {
  const scripted = new ScriptedConnector();
  const service = useService('sqlite', { ...OBEDIENT, connector: scripted.wrap });
  const browser = useBrowser();

  it('is resolved by a member who has seen the post on the platform', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const id = await aPostWithSlide(org, 'Huts worth the climb', accountId);
    await loseTheAnswer(service, scripted);
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
      await page.getByText(/^resolved by a person/).waitFor();
    });
    assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).json.data.status, 'posted');
  });

  itInProofs(
    'is said by the publish dialog too, and leaves no error once the post is known not to be there',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount();
      const id = await aPostWithSlide(org, 'Huts worth the climb', accountId);
      const isSent = new Latch();
      await loseTheAnswer(service, scripted);
      const fetched = scripted.afterInit;
      scripted.afterInit = async () => {
        await isSent.opened;
        await fetched?.();
      };

      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, `/posts/${id}?publish=true`, 'Huts worth the climb');
        const sheet = sheetOn(page);
        await sheet.getByRole('combobox', { name: 'Who can see it' }).selectOption('Everyone');
        const lookedAgain = page.waitForResponse(/\/preflight$/);
        await sheet.getByRole('button', { name: 'Publish now', exact: true }).click();
        await sheet.getByRole('button', { name: 'Publishing…', exact: true }).waitFor();
        await (await lookedAgain).finished();
        assert.equal(await sheet.getByText('Fix this first').count(), 0, 'its own attempt is a problem');
        isSent.open();
        await sheet.getByText('We don’t know whether it was published').waitFor();
        assert.equal(await sheet.getByText('already on its way').count(), 0);
        await sheet.getByRole('button', { name: 'Close', exact: true }).click();

        const status = page.getByRole('region', { name: 'Status' });
        await status.getByRole('button', { name: 'Resolve…' }).click();
        const dialog = page.getByRole('dialog', { name: 'Is it in the sandbox?' });
        const gone = page.waitForResponse((it) => /\/publish-status$/.test(it.url()) && it.status() === 404);
        await dialog.getByRole('button', { name: 'It’s not there' }).click();
        await dialog.waitFor({ state: 'detached' });
        await status.getByText('Draft', { exact: true }).waitFor();
        // Nothing has failed: a person said so.
        await page.getByText(/^resolved by a person/).waitFor();
        await (await gone).finished();
        assert.equal(await page.getByText('It no longer exists').count(), 0);
      });
    },
  );
});
