// After a restore every user of the dashboard sees that publishing is paused, and later that it continues.
import { describe, it } from 'node:test';
import { declareRestored, releaseByHand } from '../../src/operator/safe-mode-commands.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

describe('safe mode in the dashboard', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  it('shows a banner with the reason as soon as it starts, without a reload, and removes it after the release', async () => {
    const org = await service.newOrganization();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, '/library', 'Library');
      const banner = page.getByRole('status', { name: 'Safe mode' });
      await banner.waitFor({ state: 'detached' });
      await declareRestored(service.app, Date.parse('2026-11-01T09:00:00Z'));
      await banner.getByText('restored from a backup of 2026-11-01T09:00:00Z').waitFor();
      await releaseByHand(service.app, {});
      await banner.waitFor({ state: 'detached' });
    });
  });
});
