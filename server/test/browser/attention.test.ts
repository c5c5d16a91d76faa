// What goes out next, and what needs attention: one row per cause, wherever one looks, until it is mended.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { blockAccount, setPost } from '../support/service/posts.js';
import { openBeside, useBrowser } from './pages/browser.js';
import {
  aPostWithSlide,
  book,
  control,
  DAY_MS,
  HOUR_MS,
  inTab,
  OBEDIENT,
  openAs,
  visit,
} from './steps/people-in-tabs.js';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const VIEWS = [
  ['on a wide screen', WIDE],
  ['on a phone', PHONE],
] as const;

describe('attention', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();
  afterEach(() => service.clock.resume());

  for (const [where, view] of everyday(VIEWS.slice(1), VIEWS))
    it(`${where}, a revoked account is one row; reconnected, its posts go out`, async () => {
      const username = `field.notes.${view.width}`;
      const org = await service.newOrganization();
      const accountId = await org.connectAccount(username);
      const ids: string[] = [];
      for (const n of [1, 2, 3]) {
        const id = await aPostWithSlide(org, `Walk ${n}`, accountId);
        await book(org, id, accountId, service.clock.now() + n * HOUR_MS);
        ids.push(id);
      }
      const tab = await openAs(browser, service, org, 'owner', view);
      await inTab(tab, async (page) => {
        await visit(page, '/library', 'Library');
        await page.getByText('Walk 1').first().waitFor();
        assert.equal(await page.getByText(/^Needs attention ·/).count(), 0);

        const post = await openBeside(tab);
        await visit(post.page, `/posts/${ids[2]}`, 'Walk 3');
        const status = post.page.getByRole('region', { name: 'Status' });
        await status.getByRole('button', { name: 'Reschedule' }).waitFor();

        await control(service, 'remove_authorization', { username });
        // The open page of a post says so without being loaded again.
        await status.getByText('This post will wait').waitFor();
        await post.close();
        const row = page.getByRole('link', { name: `${username} Reconnect: 3 posts waiting` });
        await row.waitFor();
        // Where one looks first, without scrolling, and once.
        assert.equal(await row.count(), 1);
        const next = page.getByRole('link', {
          name: /Walk 1 .*Waits: not connected/,
        });
        for (const part of [row, next]) await assertInView(page, part, view);

        await row.click();
        await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
        await page.getByRole('button', { name: `Reconnect @${username}` }).click();
        await page.getByLabel('Username').fill(username);
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.getByText(`Connected as @${username}`).waitFor();
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Library' }).click();
        await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
        await row.waitFor({ state: 'detached' });

        service.clock.advance(3 * HOUR_MS);
        await until('the posts have gone out', async () => {
          const posts = await Promise.all(ids.map((id) => org.call('GET', `/api/v1/posts/${id}`)));
          return posts.every(({ json }) => json.data.status === 'posted');
        });
        await page.getByText('Nothing scheduled').first().waitFor();
      });
    });

  itInProofs(
    'a disconnected account keeps a card while posts wait for it, and is connected again there',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount('city.notes');
      await aPostWithSlide(org, 'Draft of the night', accountId);
      for (const n of [1, 2]) {
        const id = await aPostWithSlide(org, `Night walk ${n}`, accountId);
        await book(org, id, accountId, service.clock.now() + n * DAY_MS);
      }
      await org.call('DELETE', `/api/v1/social-accounts/${accountId}`);
      await inTab(await openAs(browser, service, org, 'owner'), async (page) => {
        await visit(page, '/accounts', 'Accounts');
        const card = page.getByRole('article', { name: '@city.notes' });
        await card.getByText('2 scheduled posts wait for this account.').waitFor();
        await card.getByText('Disconnected', { exact: true }).waitFor();
        assert.equal(await page.getByText('No accounts connected yet').count(), 0);

        // Its posts still say whose they are, and what to do in one whole sentence.
        await card.getByRole('link', { name: /posts/ }).click();
        const waiting = page.locator('main [data-post]').first();
        await waiting.getByText('city.notes (disconnected)', { exact: true }).waitFor({ state: 'attached' });
        await waiting.getByText('Waits: connect city.notes again.', { exact: true }).waitFor();
        await visit(page, '/calendar', 'Calendar');
        const drafts = page.getByRole('region', { name: 'Drafts' });
        await drafts.getByText('Account disconnected', { exact: true }).waitFor();
        await visit(page, '/accounts', 'Accounts');
        await card.getByRole('button', { name: 'Connect again @city.notes' }).click();
        await page.getByLabel('Username').fill('city.notes');
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.getByText('Connected as @city.notes').waitFor();
        await page.getByRole('article').getByText('Connected', { exact: true }).waitFor();
        assert.equal(await page.getByRole('article').count(), 1);
      });
    },
  );

  itInProofs(
    'a blocked account is one row with its time, and its card has the cause and a button to try again',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount('night.notes');
      const id = await aPostWithSlide(org, 'Night walk', accountId);
      await book(org, id, accountId, service.clock.now() + 2 * HOUR_MS);
      await blockAccount(service, accountId);
      await inTab(await openAs(browser, service, org, 'owner'), async (page) => {
        await visit(page, '/library', 'Library');
        const card = page.locator('main [data-post]').first();
        await card.getByText(/accepts no posts of night\.notes right now/).waitFor();
        const row = page.getByRole('region', { name: 'Needs attention' }).getByRole('link');
        await row.getByText(/^Blocked: 1 post waiting, next try/).waitFor();
        await row.click();
        const account = page.getByRole('article');
        await account.getByText('Blocked', { exact: true }).waitFor();
        await account.getByText('The account has reached its post limit for 24 hours').waitFor();
        await account.getByRole('button', { name: 'Try again with @night.notes' }).click();
        await account.getByText('The next post goes first.').waitFor();
        const { blocked_until } = (await org.call('GET', `/api/v1/social-accounts/${accountId}`)).json.data;
        assert.ok(Date.parse(blocked_until) <= service.clock.now());
      });
    },
  );

  itInProofs(
    'a scheduled post without slides says so in Next up, and its row leads to its composer',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount();
      const id = await org.addPost({ title: 'Bare', post_type: 'slides' });
      await book(org, id, accountId, service.clock.now() + 2 * DAY_MS);
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, '/calendar', 'Calendar');
        await page
          .getByRole('link', { name: /Bare .*Will fail: no slides/ })
          .first()
          .waitFor();
        await page.getByRole('link', { name: / Add media, due / }).click();
        await page.waitForURL(`**/posts/${id}/edit`);
      });
    },
  );

  itInProofs(
    'a scheduled post that will fail for another reason has a row with that reason, and leads to the post',
    async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount();
      const id = await aPostWithSlide(org, 'One slide', accountId);
      await book(org, id, accountId, service.clock.now() + 2 * DAY_MS);
      await setPost(service, id, { cover_index: 5 });
      await inTab(await openAs(browser, service, org, 'editor'), async (page) => {
        await visit(page, '/calendar', 'Calendar');
        await page.getByRole('link', { name: /One slide Will fail: cover slide missing, due / }).click();
        await page.waitForURL(`**/posts/${id}`);
        await page.getByRole('region', { name: 'Status' }).getByText('This post will fail').waitFor();
      });
    },
  );

  itInProofs('many causes are five rows and a way to all; on a phone they open as a list', async () => {
    const org = await service.newOrganization();
    const failed = (n: number) => ({
      cause: 'publish_failed',
      code: `reason_${n}`,
      count: n + 1,
      post_ids: [],
      next_at: null,
      message: `Reason ${n}.`,
    });
    const data = Array.from({ length: 7 }, (_, n) => failed(n));
    const flood = (page: Page) =>
      page.route('**/api/v1/attention', (route) => route.fulfill({ json: { data } }));
    const busy = { type: 'about:blank', title: 'Busy', status: 503, code: 'busy', request_id: 'x' };
    await inTab(await openAs(browser, service, org), async (page) => {
      await page.route('**/api/v1/attention', (route) => route.fulfill({ status: 503, json: busy }));
      await visit(page, '/accounts', 'Accounts');
      // A look that failed is not the same as nothing to do.
      const again = page
        .getByRole('region', { name: 'Needs attention' })
        .getByRole('button', { name: 'Couldn’t check. Try again' });
      await again.waitFor();
      await flood(page);
      await again.click();
      const section = page.getByRole('region', { name: 'Needs attention · 7 issues' });
      await section.getByRole('link', { name: 'Reason 1 Fix and retry 2 posts' }).waitFor();
      assert.equal(await section.getByRole('listitem').count(), 5);
      await section.getByRole('link', { name: 'See all posts' }).click();
      await page.waitForURL('**/library?attention=true');
    });
    await inTab(await openAs(browser, service, org, 'owner', PHONE), async (page) => {
      await flood(page);
      await visit(page, '/library', 'Library');
      await page.getByRole('button', { name: /^Needs attention · 7 issues/ }).click();
      const sheet = page.getByRole('dialog', { name: 'Needs attention · 7 issues' });
      await sheet.getByRole('link', { name: 'Reason 6 Fix and retry 7 posts' }).waitFor();
      assert.equal(await sheet.getByRole('listitem').count(), 7);
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
      await assertLabelsAligned(page);
    });
  });
});

async function assertInView(
  page: Page,
  part: ReturnType<Page['getByRole']>,
  view: { width: number; height: number },
): Promise<void> {
  await part.first().waitFor();
  assert.equal(await page.evaluate(() => window.scrollY), 0);
  const box = await part.first().boundingBox();
  assert.ok(box && box.y >= 0 && box.y + box.height <= view.height - 60, 'it is not in view');
}

/** The labels of the bar at the bottom are on one line, and large enough for a thumb. */
async function assertLabelsAligned(page: Page): Promise<void> {
  const bar = page.getByRole('navigation', { name: 'Main' });
  const tops = new Set<number>();
  for (const label of ['Library', 'Calendar', 'Analytics', 'Accounts', 'Settings']) {
    const link = bar.getByRole('link', { name: label });
    const words = await link.getByText(label, { exact: true }).boundingBox();
    const target = await link.boundingBox();
    assert.ok(words && target && target.height >= 44, `${label} is too small`);
    tops.add(words.y);
  }
  assert.equal(tops.size, 1, 'the labels are not aligned');
}
