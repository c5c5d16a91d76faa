// A video in a post: dropped where slides were expected, uploaded with its progress shown, replaced by another, and published.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { useBrowser } from './pages/browser.js';
import {
  choose,
  filesOf,
  findOnPlatform,
  holdRequests,
  markDocument,
  mediaFile,
  mediaPanel,
  newPost,
  publish,
  seeItLive,
  signIn,
  slideAt,
  slides,
  UPLOADS,
} from './steps/steps.js';

const WORDS = { title: 'First light on the ridge', caption: 'First light on the ridge, in one take.' };
const FIRST = 'tiny.mp4';
const SECOND = 'clip-12s-moov-at-end.mp4';

/** The route that confirms a complete upload. */
const COMPLETIONS = '**/assets/complete';

describe('A video', () => {
  const browser = useBrowser();
  const service = useService('sqlite', { env: { SANDBOX_CONTROL: 'on', SANDBOX_PROCESSING_MS: '0' } });

  itInProofs('makes an empty post one with a video, until that is undone, but none with slides', async () => {
    const org = await service.newOrganization();
    const tab = await browser.open(service.url);
    const { page } = tab;
    await signIn(tab, await newPerson(service, org.id, 'editor'));
    await newPost(page, 'Slides', WORDS);
    const addSlides = mediaPanel(page, 'Slides').getByRole('button', { name: /^Add slides/ });
    await choose(page, addSlides, [mediaFile(FIRST)]);
    await mediaPanel(page, 'Video').getByText(FIRST, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await addSlides.waitFor();
    const all = async () => (await org.call('GET', '/api/v1/posts')).json.data as Record<string, unknown>[];
    await until('it is for slides', async () => (await all()).map((it) => it.post_type).join() === 'slides');
    assert.equal((await all())[0]?.title, WORDS.title);

    await choose(page, addSlides, await slides(0, ['ridge.jpg']));
    await slideAt(page, 1, 'ridge.jpg').waitFor();
    await choose(page, addSlides, [mediaFile(FIRST)]);
    await page.getByText('This post has slides. Use a new post for the video.').waitFor();
  });

  test('shows its progress, stays until its replacement has arrived, and goes live', async () => {
    const org = await service.newOrganization();
    const username = 'moving.notes';
    await org.connectAccount(username);
    const tab = await browser.open(service.url);
    const { page } = tab;
    await signIn(tab, await newPerson(service, org.id, 'editor'));
    const slidesId = await newPost(page, 'Slides', WORDS);
    const panel = mediaPanel(page, 'Video');
    const progressOf = (name: string) => panel.getByRole('progressbar', { name: `Upload of ${name}` });
    const files = () => filesOf(tab, service.url, new URL(page.url()).pathname.split('/')[2] as string);
    const publishButton = (isDisabled: boolean) =>
      page.getByRole('button', { name: 'Publish…', exact: true, disabled: isDisabled });

    const sending = await holdRequests(page, UPLOADS);
    const checking = await holdRequests(page, COMPLETIONS);
    const addSlides = mediaPanel(page, 'Slides').getByRole('button', { name: /^Add slides/ });
    await choose(page, addSlides, [mediaFile(FIRST)]);
    await page.getByText('This is a video post now.').waitFor();
    await page.waitForURL((url) => !url.pathname.includes(slidesId));
    await panel.getByText(/^0 .*B of /).waitFor();
    assert.equal(
      await page.getByText('A slide must be a picture').count(),
      0,
      'the refused file is still there',
    );
    assert.equal(await progressOf(FIRST).getAttribute('aria-valuenow'), '0');
    await publishButton(true).waitFor();
    sending.release();
    await panel.getByText('Uploaded. Checking…').waitFor();
    await progressOf(FIRST).waitFor();
    assert.equal(await progressOf(FIRST).getAttribute('aria-valuenow'), '100');
    checking.release();
    await progressOf(FIRST).waitFor({ state: 'detached' });
    await panel.getByText(FIRST, { exact: true }).waitFor();
    await publishButton(false).waitFor();
    assert.deepEqual(await files(), [FIRST]);

    const replacing = await holdRequests(page, UPLOADS);
    await choose(page, panel.getByRole('button', { name: 'Replace video' }), [mediaFile(SECOND)]);
    await progressOf(SECOND).waitFor({ state: 'attached' });
    await panel.getByText('This video stays until the new one is uploaded.').waitFor();
    await panel.getByText(FIRST, { exact: true }).waitFor();
    assert.deepEqual(await files(), [FIRST]);
    replacing.release();
    await progressOf(SECOND).waitFor({ state: 'detached' });
    await panel.getByText(FIRST, { exact: true }).waitFor({ state: 'detached' });
    await panel.getByText(SECOND, { exact: true }).waitFor();
    assert.deepEqual(await files(), [SECOND]);

    const mark = await markDocument(page);
    await publish(page, { username });
    await page.getByRole('heading', { level: 1, name: WORDS.title }).waitFor();
    await seeItLive(page);
    assert.ok(await mark.isStillThere(), 'the page was loaded anew');

    const post = await findOnPlatform(page, WORDS.caption);
    assert.equal(await post.locator('video').count(), 1);
    await tab.close();
  });
});
