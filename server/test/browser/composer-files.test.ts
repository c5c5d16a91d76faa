// What the composer knows about files and text before they go out: the phone shows what the platform gets.
import assert from 'node:assert/strict';

import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { readPost } from '../support/service/posts.js';
import { complete, listAssets, upload } from '../support/service/uploads.js';
import { inBrowsers } from './pages/browser.js';
import { inTab, OBEDIENT, openAs, visit } from './steps/people-in-tabs.js';
import { addSlides, choose, mediaPanel, type NamedFile, saved, slideAt, slides } from './steps/steps.js';

const LONG =
  'A title that is far too long for the feed, so it would be left out without a word said. '.repeat(2);

inBrowsers(everyday(['chromium'], ['chromium', 'firefox']), 'the composer', (browser) => {
  const service = useService('sqlite', OBEDIENT);

  itInProofs(
    'shows of a carousel what goes out: its title, its cover, and slides that are too small',
    async () => {
      const org = await service.newOrganization();
      const id = await org.addPost({ title: LONG, caption: 'Fold it.', hashtags: '#maps' });
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, `/posts/${id}/edit`, 'Edit post');
        await page.getByText('175 of 90 characters. Too long to be sent').waitFor();
        await preview(page).getByText('Titles over 90 characters are left out.').waitFor();
        assert.equal(await preview(page).getByText('A title that is').count(), 0);
        assert.equal((await sent(org, id)).post_info.title, undefined);
        await page.getByLabel('Title', { exact: true }).fill('Five ways to fold a map');
        await page.getByText('23 of 90 characters').waitFor();
        await preview(page).getByText('Five ways to fold a map', { exact: true }).waitFor();
        await saved(page);
        const { title, description } = (await sent(org, id)).post_info;
        assert.deepEqual([title, description], ['Five ways to fold a map', 'Fold it.\n\n#maps']);

        await addSlides(page, [
          ...(await slides(2, ['ridge.jpg', 'valley.jpg'])),
          await square('square.png'),
        ]);
        const warning = page.getByText('Slide 3 is 200 × 200. Use at least 540 × 960.');
        await warning.waitFor();
        assert.equal(await page.getByText('Ready to publish').count(), 0);

        const cover = (place: number) =>
          page.getByRole('button', { name: new RegExp(`cover: slide ${place}$`, 'i') });
        assert.equal(await cover(1).getAttribute('aria-pressed'), 'true');
        // The button appears with the pointer.
        await slideAt(page, 3, 'square.png').hover();
        await cover(3).click();
        await saved(page);
        assert.equal((await readPost(org, id)).cover_index, 2);
        assert.equal((await sent(org, id)).source_info.photo_cover_index, 2);
        await page.reload();
        await slideAt(page, 3, 'square.png').click();
        await preview(page).getByText('Cover · 3/3').waitFor();

        // It stays with its slide when another is removed before it.
        await page.getByRole('button', { name: 'Remove slide 1' }).click();
        await slideAt(page, 2, 'square.png').waitFor();
        await page.getByText('Slide 2 is 200 × 200. Use at least 540 × 960.').waitFor();
        await until('the cover is the chosen slide', async () => (await readPost(org, id)).cover_index === 1);
        // It has gone from the post, not only from the screen, and comes back to its place.
        assert.equal((await listAssets(org, id)).data.length, 2);
        await page.getByRole('button', { name: 'Undo' }).click();
        await slideAt(page, 1, 'ridge.jpg').waitFor();
        await slideAt(page, 3, 'square.png').waitFor();
        await until('the cover is the same', async () => (await readPost(org, id)).cover_index === 2);
      });
    },
  );

  itInProofs(
    'makes a JPEG of a picture that the API does not take, and says when the browser cannot open it',
    async () => {
      const org = await service.newOrganization();
      const id = await org.addPost({ title: 'Another kind of picture' });
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, `/posts/${id}/edit`, 'Edit post');
        await choose(page, mediaPanel(page, 'Slides').getByRole('button', { name: /^Add slides/ }), [
          await transparent('photo.webp'),
          { name: 'camera.heic', mimeType: 'image/heic', buffer: Buffer.from('not for this browser') },
        ]);
        await page.getByText('Converted photo.webp to JPEG.').waitFor();
        await page.getByText('This browser can’t open this picture. Use a PNG, JPEG or WebP.').waitFor();
        await slideAt(page, 1, 'photo.jpg').waitFor();
      });
      const { data } = await listAssets(org, id);
      const [photo] = data;
      assert.deepEqual(
        [data.length, photo?.content_type, photo?.width, photo?.height],
        [1, 'image/jpeg', 1080, 1920],
      );
      const file = Buffer.from(await (await fetch(photo?.url as string)).arrayBuffer());
      const { dominant } = await sharp(file).stats();
      assert.ok(dominant.r > 240 && dominant.g > 240 && dominant.b > 240, 'transparent parts are not white');
    },
  );

  itInProofs(
    'shows of a video what goes out, and takes the moment of its cover from the arrow keys',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount();
      const id = await org.addPost({
        title: 'One pot',
        caption: 'Soup.',
        hashtags: '#soup',
        post_type: 'video',
        social_account_id: accountId,
      });
      // Every browser can play this format.
      const { object_key } = await upload(org, id, 'tiny.webm');
      await complete(org, id, object_key);
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, `/posts/${id}/edit`, 'Edit post');
        await page.getByText('Only shown in Airdate: videos have no title').waitFor();
        await page.getByText('12 of 2,200 characters with hashtags').waitFor();
        assert.equal(await preview(page).getByText('One pot').count(), 0);
        assert.equal((await sent(org, id)).post_info.title, 'Soup.\n\n#soup');

        const moment = page.getByRole('slider', { name: /^Cover/ });
        await moment.focus();
        for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowRight');
        assert.equal(await moment.getAttribute('aria-valuetext'), '0.3 s');
        await saved(page);
        assert.equal((await readPost(org, id)).cover_ms, 300);
        assert.equal((await sent(org, id)).post_info.video_cover_timestamp_ms, 300);
        const atCover = page.locator('video[aria-label="The video"]');
        await until(
          'the phone shows the chosen frame',
          async () => (await atCover.evaluate((video: HTMLVideoElement) => video.currentTime)) === 0.3,
        );

        // The account sends its posts to the inbox: nothing of the text arrives there.
        await org.call('PATCH', `/api/v1/social-accounts/${accountId}`, { default_mode: 'inbox' });
        await page.reload();
        await preview(page).getByText('A video goes to the inbox without text.').waitFor();
        assert.equal(await preview(page).getByText('Soup.').count(), 0);
        await page.getByRole('button', { name: 'Use first frame' }).click();
        await saved(page);
      });
      assert.equal((await readPost(org, id)).cover_ms, null);
    },
  );
});

const preview = (page: Page): Locator => page.getByRole('region', { name: 'Preview' });

/** What the service would send to the platform now. */
async function sent(org: Organization, id: string) {
  const { json } = await org.call('GET', `/api/v1/posts/${id}/preflight`);
  return json.data.request;
}

async function square(name: string): Promise<NamedFile> {
  const picture = sharp({ create: { width: 200, height: 200, channels: 3, background: 'teal' } });
  return { name, mimeType: 'image/png', buffer: await picture.png().toBuffer() };
}

/** Nearly all of it can be seen through. */
async function transparent(name: string): Promise<NamedFile> {
  const picture = sharp({
    create: { width: 1080, height: 1920, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  });
  return { name, mimeType: 'image/webp', buffer: await picture.webp({ lossless: true }).toBuffer() };
}
