// Uploads that do not succeed immediately: cancelled half-way, or cut off.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { useBrowser } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { choose, holdRequests, mediaFile, mediaPanel, UPLOADS } from './steps/steps.js';

const CLIP = 'clip-12s-moov-at-end.mp4';
/** A rate at which the whole clip takes half a minute. */
const SLOW = 60_000;

describe('an upload', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  async function aVideoPost() {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'One pot, one spoon', post_type: 'video' });
    const files = async () => (await org.call('GET', `/api/v1/posts/${id}/assets`)).json;
    return { org, id, files };
  }

  itInProofs(
    'of a video that is cancelled half-way leaves nothing, and the next one arrives completely',
    async () => {
      const { org, id, files } = await aVideoPost();
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, `/posts/${id}/edit`, 'Edit post');
        const line = await lineOf(page);
        await line.limit(SLOW);
        await addVideo(page);
        await until('it is half-way', async () => {
          const percent = await percentOf(page);
          return percent > 0 && percent < 100;
        });
        const [{ object_key }] = (await files()).pending;
        await page.getByRole('button', { name: `Cancel ${CLIP}` }).click();
        await page.getByRole('list', { name: 'Uploads' }).waitFor({ state: 'detached' });
        await until('its place is free', async () => (await files()).pending.length === 0);
        assert.deepEqual((await files()).data, []);
        assert.deepEqual((await files()).rejected, []);
        assert.equal(await service.app.store.find(`uploads/${object_key}`), null);

        await line.limit(-1);
        await addVideo(page);
        await mediaPanel(page, 'Video').getByRole('button', { name: 'Replace video' }).waitFor();
      });
      const { data } = await files();
      assert.equal(data.length, 1);
      const bytes = Buffer.from(await (await fetch(data[0].url)).arrayBuffer());
      assert.ok(bytes.equals(mediaFile(CLIP).buffer), 'it is not the file that was sent');
    },
  );

  itInProofs('that is cut off says so, and continues when its button is pressed', async () => {
    const { org, id, files } = await aVideoPost();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      await page.route(UPLOADS, (route) => route.abort('connectionreset'));
      await addVideo(page);
      const list = page.getByRole('list', { name: 'Uploads' });
      // It has retried by itself before it says so.
      await list.getByText('The connection dropped. Check it and try again.').waitFor();
      assert.deepEqual((await files()).data, []);

      await page.unroute(UPLOADS);
      const sending = await holdRequests(page, UPLOADS);
      await page.getByRole('button', { name: `Retry ${CLIP}` }).click();
      await list.getByText(/^0 .*B of /).waitFor();
      assert.equal(await percentOf(page), 0);
      sending.release();
      await mediaPanel(page, 'Video').getByRole('button', { name: 'Replace video' }).waitFor();
      await list.waitFor({ state: 'detached' });
    });
    const { data, pending } = await files();
    assert.deepEqual([data.map(({ filename }: { filename: string }) => filename), pending], [[CLIP], []]);
  });

  it('continues on every screen: the tray shows it, on a phone too, and the post is ready when it is done', async () => {
    const { org, id, files } = await aVideoPost();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      const line = await lineOf(page);
      await line.limit(SLOW);
      await addVideo(page);
      // The button that was pressed is gone.
      await page.getByRole('heading', { name: 'Video' }).and(page.locator(':focus')).waitFor();
      await until('it has begun', async () => (await percentOf(page)) > 0);
      assert.equal(await tray(page).count(), 0, 'the composer shows it itself');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Calendar' }).click();
      await page.getByRole('heading', { level: 1, name: /Calendar/ }).waitFor();

      await tray(page)
        .getByRole('button', { name: /^Uploading 1 file/, expanded: false })
        .click();
      await progress(page).waitFor();
      await tray(page).getByRole('link', { name: 'One pot, one spoon' }).waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      const bar = page.getByRole('navigation', { name: 'Main' });
      const [above, below] = [await tray(page).boundingBox(), await bar.boundingBox()];
      assert.ok(above && below && above.y + above.height <= below.y, 'it covers the navigation');
      await page.setViewportSize({ width: 1280, height: 800 });

      const asked = page.waitForEvent('dialog');
      void page.close({ runBeforeUnload: true });
      const warning = await asked;
      assert.equal(warning.type(), 'beforeunload');
      await warning.dismiss();

      await line.limit(-1);
      await tray(page).getByText(`Uploaded ${CLIP}`).waitFor();
      await tray(page).getByRole('link', { name: 'View post' }).click();
      await page.getByRole('heading', { level: 1, name: 'One pot, one spoon' }).waitFor();
    });
    assert.deepEqual((await files()).pending, []);
    const { json } = await org.call('GET', `/api/v1/posts/${id}?include=readiness`);
    const codes = json.data.readiness.problems.map(({ code }: { code: string }) => code);
    assert.ok(!codes.includes('no_media') && !codes.includes('uploads_pending'), codes.join(', '));
  });

  itInProofs('that fails on another screen says so in the tray, and can be tried again there', async () => {
    const { org, id, files } = await aVideoPost();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      let cut = () => {};
      const isCut = new Promise<void>((resolve) => {
        cut = resolve;
      });
      await page.route(UPLOADS, async (route) => {
        await isCut;
        await route.abort('connectionreset');
      });
      await addVideo(page);
      await page
        .getByRole('list', { name: 'Uploads' })
        .getByText(/^0 .*B of /)
        .waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Library' }).click();
      await tray(page).getByText('Uploading 1 file').first().waitFor();
      // The card does not ask for what is on its way.
      await page.getByRole('main').getByRole('link', { name: 'One pot, one spoon', exact: true }).waitFor();
      assert.equal(await page.getByRole('link', { name: /^Add video/ }).count(), 0);
      cut();
      await tray(page).getByText('The connection dropped. Check it and try again.').waitFor();
      await page.unroute(UPLOADS);
      await tray(page).getByRole('button', { name: 'Try again' }).click();
      await tray(page).getByText(`Uploaded ${CLIP}`).waitFor();
    });
    assert.equal((await files()).data.length, 1);
  });
});

const tray = (page: Page): Locator => page.getByRole('region', { name: 'Upload tray' });

const addVideo = (page: Page): Promise<void> =>
  choose(page, mediaPanel(page, 'Video').getByRole('button', { name: /^Add video/ }), [mediaFile(CLIP)]);

const progress = (page: Page): Locator => page.getByRole('progressbar', { name: `Upload of ${CLIP}` });
const percentOf = async (page: Page): Promise<number> =>
  Number(await progress(page).getAttribute('aria-valuenow'));

/** Limits how fast the page can upload. */
async function lineOf(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  return {
    /** Bytes per second; unlimited if negative. */
    limit: (uploadThroughput: number) =>
      devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      }),
  };
}
