// A draft in the inbox of an account is called so on every screen, until its creator posts it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { everyday } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { useBrowser, type View } from './pages/browser.js';
import {
  aPostWithSlide,
  control,
  inTab,
  OBEDIENT,
  openAs,
  publishUntil,
  visit,
} from './steps/people-in-tabs.js';

const DRAFT = 'Huts worth the climb';
const POSTED = 'Boots after 800 kilometres';

const VIEWS: [title: string, view: View][] = [
  ['on a computer', { height: 1000 }],
  ['on a phone', { width: 390, height: 844 }],
];

describe('a draft in the inbox', () => {
  const service = useService('sqlite', OBEDIENT);
  const browser = useBrowser();

  const card = (page: Page, title: string) => page.locator('main [data-post]').filter({ hasText: title });
  const tab = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name });
  const hasCount = (page: Page, name: string, count: number) =>
    tab(page, name).getByText(String(count), { exact: true }).waitFor();

  /** Its badge, and that no other word on the card calls it posted. */
  async function assertCard(page: Page, title: string, badge: 'In the inbox' | 'Posted') {
    await card(page, title).getByText(badge, { exact: true }).waitFor();
    const words = await card(page, title).innerText();
    assert.equal(/posted/i.test(words), badge === 'Posted', words);
  }

  async function library(page: Page): Promise<void> {
    await visit(page, '/library', 'Library');
    await hasCount(page, 'In the inbox', 1);
    await hasCount(page, 'Posted', 1);
    await hasCount(page, 'Active', 2);
    await assertCard(page, DRAFT, 'In the inbox');
    await assertCard(page, POSTED, 'Posted');
    await tab(page, 'In the inbox').click();
    await card(page, POSTED).waitFor({ state: 'detached' });
    await assertCard(page, DRAFT, 'In the inbox');
    await tab(page, 'Posted').click();
    await card(page, DRAFT).waitFor({ state: 'detached' });
    await assertCard(page, POSTED, 'Posted');
  }

  /** What the calendar shows, unfiltered and by either status. */
  async function calendar(page: Page): Promise<void> {
    const post = (name: RegExp) => page.getByRole('main').getByRole('link', { name }).first();
    const shown = async (query: string, ...names: RegExp[]) => {
      await visit(page, `/calendar${query}`, 'Calendar');
      for (const name of names) await post(name).waitFor();
    };
    const [draft, posted] = [new RegExp(`${DRAFT}.*In the inbox`, 's'), new RegExp(`${POSTED}.*Posted`, 's')];
    await shown('', draft, posted);
    assert.equal(await post(new RegExp(`${DRAFT}.*Posted`, 's')).count(), 0);
    await shown('?status=in_inbox', draft);
    assert.equal(await post(posted).count(), 0);
    await shown('?status=posted', posted);
    assert.equal(await post(draft).count(), 0);
  }

  async function postPage(page: Page, id: string): Promise<void> {
    await visit(page, `/posts/${id}`, DRAFT);
    const status = page.getByRole('region', { name: 'Status' });
    await status.getByText('In the inbox', { exact: true }).waitFor();
    await status.getByText(/^In the inbox: open the notification in /).waitFor();
    assert.equal(
      await page
        .getByRole('main')
        .getByText(/\bposted\b/i)
        .count(),
      0,
    );
  }

  /** The creator posts it on the platform, and the open page shows it. */
  async function becomesPosted(page: Page, org: Organization, id: string): Promise<void> {
    const [attempt] = (await org.call('GET', `/api/v1/posts/${id}/dispatches`)).json.data;
    await control(service, 'post_draft', { publish_id: attempt.publish_id });
    const status = page.getByRole('region', { name: 'Status' });
    await status.getByText('Posted', { exact: true }).waitFor();
    await status.getByRole('link', { name: 'Open in the sandbox' }).waitFor();
    await visit(page, '/library', 'Library');
    await hasCount(page, 'In the inbox', 0);
    await hasCount(page, 'Posted', 2);
    await assertCard(page, DRAFT, 'Posted');
  }

  for (const [title, view] of everyday(VIEWS.slice(0, 1), VIEWS))
    it(`is never called posted ${title}, until its creator has posted it`, async () => {
      const org = await service.newOrganization();
      const accountId = await org.connectAccount();
      const draft = await aPostWithSlide(org, DRAFT, accountId);
      const posted = await aPostWithSlide(org, POSTED, accountId);
      await publishUntil(org, draft, accountId, 'in_inbox');
      await publishUntil(org, posted, accountId, 'published');
      await inTab(await openAs(browser, service, org, 'editor', view), async (page) => {
        await library(page);
        await calendar(page);
        await postPage(page, draft);
        await becomesPosted(page, org, draft);
      });
    });
});
