// Every screen, in light and dark mode (on ordinary days some of them, a third in dark): accessible to screen readers, right for
// texts that are read from the right, and small enough for slow connections.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { everyday } from '../support/runner/test-tiers.js';
import { AXE, seriousFindings } from './pages/axe.js';
import { useBrowser } from './pages/browser.js';
import { withoutDirection } from './pages/own-direction.js';
import { SCENES } from './scenes/scenes.js';
import { type Stage, useStage, WRITTEN } from './scenes/stage.js';
import { inTab, visit } from './steps/people-in-tabs.js';

const MAX_BYTES = { js: 200 * 1024, css: 20 * 1024 };

describe('accessibility', () => {
  const browser = useBrowser();
  const { service, enter, open, fill } = useStage(browser);
  let stage: Stage;
  before(async () => {
    stage = await fill();
  });

  const different = SCENES.filter(({ isVariant }) => !isVariant);
  const scenes = everyday(everyday(8, different, 'scenes'), SCENES);
  for (const { name, viewer = 'owner', prepare, path, ready } of scenes) {
    // Every third.
    const hasDark = everyday(1, ['dark', 'light', 'light'], name).includes('dark');
    it(`${name} has no serious axe findings, in light${hasDark ? ' and dark' : ''} mode`, async () => {
      await inTab(await (prepare ? enter(viewer) : open(viewer)), async (page) => {
        await prepare?.(page);
        await page.goto(path(stage));
        await ready(page);
        await page.evaluate(AXE);
        await page.locator('html[data-mantine-color-scheme=light]').waitFor();
        assert.deepEqual(await seriousFindings(page), [], 'in light');
        assert.deepEqual(await withoutDirection(page, WRITTEN), []);
        if (!hasDark) return;
        // The other mode has other colours and nothing else.
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
        assert.deepEqual(await seriousFindings(page, ['color-contrast']), [], 'in dark');
      });
    });
  }

  it('the first visit of the sign-in page fetches at most 200 KB of script and 20 KB of styles', async () => {
    await inTab(await browser.open(service.url), async (page) => {
      const bytes = countFiles(page);
      await visit(page, '/sign-in', 'Sign in');
      await page.getByLabel('Email').waitFor();
      await assertSmall(bytes);
    });
  });

  it('the first visit of the library fetches at most 200 KB of script and 20 KB of styles', async () => {
    await inTab(await enter('owner'), async (page) => {
      const bytes = countFiles(page);
      await visit(page, '/library', 'Library');
      await page.getByRole('main').getByRole('link', { name: 'A failed post', exact: true }).waitFor();
      await assertSmall(bytes);
    });
  });
});

type Kind = keyof typeof MAX_BYTES;

/** The sizes of all files that the page fetches from now on, each compressed with gzip, the least that browsers support. */
function countFiles(page: Page): Record<Kind, Promise<number>[]> {
  const sizes: Record<Kind, Promise<number>[]> = { js: [], css: [] };
  page.on('response', (response) => {
    const kind = /\.(js|css)$/.exec(new URL(response.url()).pathname)?.[1] as Kind | undefined;
    if (kind) sizes[kind].push(response.body().then((body) => gzipSync(body).length));
  });
  return sizes;
}

async function assertSmall(sizes: Record<Kind, Promise<number>[]>): Promise<void> {
  for (const kind of ['js', 'css'] as const) {
    const bytes = (await Promise.all(sizes[kind])).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes > 0, `no ${kind} file was seen`);
    assert.ok(bytes <= MAX_BYTES[kind], `${bytes} bytes of ${kind}`);
  }
}
