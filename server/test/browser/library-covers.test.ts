// Videos in lists: shown with a frame, which is fetched when the user scrolls near, and with an icon until then.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { complete, upload } from '../support/service/uploads.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';

describe('the cover of a video', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  let org: Organization;

  before(async () => {
    org = await service.newOrganization();
    // Every Chromium can play this format.
    for (const title of ['A film', 'A lost film']) {
      const id = await org.addPost({ title, post_type: 'video' });
      const { object_key } = await upload(org, id, 'tiny.webm');
      await complete(org, id, object_key);
      if (title === 'A lost film') await service.app.store.remove(object_key);
    }
    await org.addPost({ title: 'A film to come', post_type: 'video' });
    // Enough that the first ones are out of sight.
    for (let n = 0; n < 30; n++) await org.addPost({ title: `Filler ${n}` });
  });

  const card = (page: Page, title: string) =>
    page.locator('main [data-post]').filter({ has: page.getByRole('link', { name: title, exact: true }) });

  for (const view of everyday(['grid'], ['grid', 'table']))
    it(`is fetched when it is near the screen, and released when it is far away: ${view}`, async () => {
      const height = view === 'grid' ? 800 : 500;
      await inTab(await openAs(browser, service, org, 'owner', { height }), async (page) => {
        const asked: string[] = [];
        page.on('request', (request) => {
          const { pathname } = new URL(request.url());
          if (pathname.includes('/videos/')) asked.push(pathname);
        });
        await page.addInitScript(
          (chosen) => localStorage.setItem('airdate-library-view', JSON.stringify(chosen)),
          view,
        );
        await visit(page, '/library', 'Library');
        const film = card(page, 'A film');
        await film.waitFor();
        await card(page, 'Filler 29').locator('svg').first().waitFor({ state: 'attached' });
        assert.equal(await page.locator('main video').count(), 0);
        assert.deepEqual(asked, []);

        await film.scrollIntoViewIfNeeded();
        const video = film.locator('video');
        await video.waitFor({ state: 'attached' });
        assert.match((await video.getAttribute('src')) as string, /#t=0\.1$/);
        await page.waitForFunction(
          (player) => player instanceof HTMLVideoElement && player.readyState >= player.HAVE_CURRENT_DATA,
          await video.elementHandle(),
        );
        assert.deepEqual(
          await video.evaluate((player: HTMLVideoElement) => [player.muted, player.paused, player.controls]),
          [true, true, false],
        );
        assert.ok(await video.evaluate((player) => player.closest('[aria-hidden=true]') !== null));
        assert.ok(asked.length > 0);

        await page.evaluate(() => window.scrollTo({ top: 0 }));
        await video.waitFor({ state: 'detached' });
      });
    });

  itInProofs('is a film icon where there is no file, or it cannot be fetched', async () => {
    await inTab(await openAs(browser, service, org), async (page) => {
      const answer = page.waitForResponse((response) => response.status() === 404);
      await visit(page, '/library?type=video', 'Library');
      await answer;
      const lost = card(page, 'A lost film');
      await lost.locator('video').waitFor({ state: 'detached' });
      await lost.locator('svg.lucide-film').first().waitFor();
      const none = card(page, 'A film to come');
      await none.locator('svg.lucide-film').first().waitFor();
      assert.equal(await none.locator('video').count(), 0);
      await none.getByRole('link', { name: 'Add video A film to come' }).waitFor({ state: 'attached' });
      await card(page, 'A film').locator('video').waitFor({ state: 'attached' });
    });
  });
});
