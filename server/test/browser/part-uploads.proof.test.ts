// A large video goes in parts: a lost connection costs one part, and a reload or a long pause costs nothing but choosing the file again.
import assert from 'node:assert/strict';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { compareBigVideo, sendBigVideo } from '../support/media/big-video.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { MIB } from '../support/service/part-uploads.js';
import { useBrowser } from './pages/browser.js';
import { HOUR_MS, inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { mediaPanel } from './steps/steps.js';

const PARTS = '**/storage/parts/**';
const NAME = 'long film.mp4';
/** Above what is sent in one request. */
const SIZE = 70 * MIB;
const COUNT = 9;

describe('A large video', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  let dir: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-film-'));
    await pipeline(sendBigVideo(SIZE), createWriteStream(join(dir, NAME)));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  afterEach(() => service.clock.resume());

  async function aVideoPost() {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'The long film', post_type: 'video' });
    const files = async () => (await org.call('GET', `/api/v1/posts/${id}/assets`)).json;
    return { org, id, files };
  }

  async function addFilm(page: Page): Promise<void> {
    const button = mediaPanel(page, 'Video').getByRole('button', { name: /^Add video/ });
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
    await chooser.setFiles(join(dir, NAME));
  }

  const isThere = (page: Page) =>
    mediaPanel(page, 'Video').getByRole('button', { name: 'Replace video' }).waitFor();

  async function assertWhole(files: () => Promise<{ data: { url: string }[]; pending: unknown[] }>) {
    const { data, pending } = await files();
    assert.deepEqual([data.length, pending], [1, []]);
    const { body } = await fetch(data[0]?.url ?? '');
    assert.ok(body);
    await pipeline(body, compareBigVideo(SIZE));
  }

  it('continues by itself when a lost connection is back, and sends only the cut part again', async () => {
    const { org, id, files } = await aVideoPost();
    const tab = await openAs(browser, service, org, 'editor');
    await inTab(tab, async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      const sent = countParts(page);
      let isCut = false;
      await page.route(PARTS, async (route) => {
        if (isCut || numberIn(route.request().url()) !== 4) return route.continue();
        isCut = true;
        await tab.context.setOffline(true);
        await route.abort('connectionreset');
      });
      await addFilm(page);
      const uploads = page.getByRole('list', { name: 'Uploads' });
      await uploads.getByText('Connection lost. It continues by itself.').waitFor();
      await tab.context.setOffline(false);
      await isThere(page);
      assert.deepEqual(sent(), [1, 1, 1, 2, 1, 1, 1, 1, 1]);
    });
    await assertWhole(files);
  });

  it('continues after a reload hours later, once the same file was chosen again', async () => {
    const { org, id, files } = await aVideoPost();
    await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
      await visit(page, `/posts/${id}/edit`, 'Edit post');
      const sent = countParts(page);
      let hang = () => {};
      const isClosed = new Promise<void>((resolve) => {
        hang = resolve;
      });
      await page.route(PARTS, async (route) => {
        if (numberIn(route.request().url()) < 6) return route.continue();
        await isClosed;
        await route.abort('connectionreset').catch(() => {});
      });
      await addFilm(page);
      await until('the sixth part begins', async () => sent()[5] === 1);
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      hang();
      await page.unroute(PARTS);
      // Its URLs have expired meanwhile, but not the session.
      service.clock.advance(11 * HOUR_MS);
      await page.getByText('This upload was interrupted.').waitFor();
      await addFilm(page);
      await isThere(page);
      assert.deepEqual(sent(), [1, 1, 1, 1, 1, 2, 1, 1, 1]);
    });
    await assertWhole(files);
  });
});

const numberIn = (url: string): number => Number(/\/(\d+)\?/.exec(url)?.[1]);

/** How often the page has sent each part. */
function countParts(page: Page): () => number[] {
  const counts = Array.from({ length: COUNT }, () => 0);
  page.on('request', (request) => {
    if (request.method() !== 'PUT' || !request.url().includes('/storage/parts/')) return;
    const i = numberIn(request.url()) - 1;
    counts[i] = (counts[i] ?? 0) + 1;
  });
  return () => counts;
}
