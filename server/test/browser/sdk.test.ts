// The SDK in a page of its own: what a browser lacks is not asked for, and uploads report their progress.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { rolldown } from 'rolldown';
import { useService } from '../support/service/harness.js';
import { ROOT } from '../support/sources/sdk-sources.js';
import { useBrowser } from './pages/browser.js';

/** As a page would have it, in one file. */
async function bundleForPages(): Promise<string> {
  const bundle = await rolldown({ input: join(ROOT, 'sdk/dist/index.js'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'sdk', codeSplitting: false });
  return output[0].code;
}

describe('The SDK in a browser', () => {
  const service = useService('sqlite', {
    env: { SANDBOX_PROCESSING_MS: '0', RECONCILE_INTERVAL_MS: '200' },
  });
  const browser = useBrowser();

  it('carries a carousel and a video from nothing to live', async () => {
    const org = await service.newOrganization();
    const accountId = await org.connectAccount();
    const files = ['slide.png', 'tiny.mp4'].map((name) => ({
      name,
      base64: readFileSync(join(ROOT, 'server/test/media', name)).toString('base64'),
    }));
    const tab = await browser.open(service.url);
    await tab.page.goto('/sign-in');
    await tab.page.evaluate(`${await bundleForPages()}; globalThis.sdk = sdk;`);
    const uploads = await tab.page.evaluate(
      async ({ apiKey, accountId, files }) => {
        // biome-ignore lint/suspicious/noExplicitAny: known only in the page
        const { sdk } = globalThis as any;
        const airdate = new sdk.Airdate({ url: location.origin, apiKey });
        const uploads = [];
        for (const { name, base64 } of files) {
          const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
          const isVideo = name.endsWith('.mp4');
          const file = new File([bytes], name, { type: isVideo ? 'video/mp4' : 'image/png' });
          const post = await airdate.posts.create({ title: name, post_type: isVideo ? 'video' : 'slides' });
          let sent = 0;
          const onProgress = (progress: { sent: number; total: number }) => {
            sent = progress.sent / progress.total;
          };
          await airdate.posts.upload(post.id, file, { parts: isVideo, onProgress });
          const { status } = await airdate.posts.publishAndWait(post.id, {
            social_account_id: accountId,
            privacy_level: 'PUBLIC_TO_EVERYONE',
          });
          uploads.push([name, sent, status]);
        }
        for await (const event of airdate.events.follow({ after: 'evt_000000000' }))
          if (event.type === 'post.published') break;
        return uploads;
      },
      { apiKey: org.key, accountId, files },
    );
    assert.deepEqual(uploads, [
      ['slide.png', 1, 'published'],
      ['tiny.mp4', 1, 'published'],
    ]);
    await tab.close();
  });
});
