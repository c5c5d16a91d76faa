// Shared by the browser tests: members of an organization in separate tabs, and posts for them to find.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Role } from '../../../src/app/scopes.js';
import type { ScriptedConnector } from '../../support/platform/scripted-connector.js';
import { until } from '../../support/runner/until.js';
import type { Organization, ServiceOptions, TestService } from '../../support/service/harness.js';
import { newPerson } from '../../support/service/people.js';
import { at } from '../../support/service/posts.js';
import { complete, upload } from '../../support/service/uploads.js';
import type { Opening, Tab, View } from '../pages/browser.js';

/** A platform without processing time. */
export const OBEDIENT: ServiceOptions = { env: { SANDBOX_CONTROL: 'on', SANDBOX_PROCESSING_MS: '0' } };

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A tab in which a member of the organization is signed in. */
export async function openAs(
  browser: Opening,
  service: TestService,
  org: Organization,
  role: Role = 'owner',
  view?: View,
): Promise<Tab> {
  const person = await newPerson(service, org.id, role);
  const tab = await browser.open(service.url, view);
  await tab.context.addCookies([{ name: 'airdate', value: person.browser.token, url: service.url }]);
  return tab;
}

/** Runs work in a tab. The tab is closed at the end, and must have logged no errors. */
export async function inTab(tab: Tab, work: (page: Page) => Promise<void>): Promise<void> {
  try {
    await work(tab.page);
  } catch (error) {
    // The failure says more than the errors that the page logged meanwhile.
    await tab.close().catch(() => {});
    throw error;
  }
  await tab.close();
}

/** Opens a screen and waits for its title. */
export async function visit(page: Page, path: string, title: string | RegExp): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** A draft with one slide, ready to publish. */
export async function aPostWithSlide(org: Organization, title: string, accountId?: string): Promise<string> {
  const account = accountId === undefined ? {} : { social_account_id: accountId };
  const id = await org.addPost({ title, caption: `${title}.`, post_type: 'slides', ...account });
  const { object_key } = await upload(org, id, 'slide.png');
  await complete(org, id, object_key);
  return id;
}

export async function book(org: Organization, id: string, accountId: string, when: number): Promise<void> {
  const answer = await org.call('PATCH', `/api/v1/posts/${id}`, {
    status: 'scheduled',
    scheduled_at: at(when),
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE',
  });
  assert.equal(answer.status, 200, answer.text);
}

export const publish = (org: Organization, id: string, accountId: string, mode = 'direct') =>
  org.call('POST', `/api/v1/posts/${id}/publish`, {
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE',
    mode,
  });

/** Publishes a post and waits for its outcome. */
export async function publishUntil(
  org: Organization,
  id: string,
  accountId: string,
  outcome: 'published' | 'in_inbox' | 'failed',
): Promise<void> {
  const mode = outcome === 'in_inbox' ? 'inbox' : 'direct';
  const answer = await publish(org, id, accountId, mode);
  assert.equal(answer.status, 200, answer.text);
  await until(`the attempt ends as ${outcome}`, async () => {
    const [latest] = (await org.call('GET', `/api/v1/posts/${id}/dispatches`)).json.data;
    return latest?.outcome === outcome;
  });
}

/** Tells the platform of the service how to behave. */
export async function control(service: TestService, what: string, body: unknown): Promise<void> {
  const answer = await service.request('POST', `/sandbox/__control/${what}`, { body });
  assert.equal(answer.status, 200, answer.text);
}

/**
 * The next post is sent, and the answer to it lost. Without a fetched slide the service would know that nothing was
 * published.
 */
export async function loseTheAnswer(service: TestService, scripted: ScriptedConnector): Promise<void> {
  await control(service, 'faults', { on: 'init', kind: 'reset_after' });
  scripted.afterInit = async () => {
    scripted.afterInit = null;
    await until('a slide is fetched', async () => {
      const open = await service.app.db.read
        .selectFrom('dispatches')
        .select('fetched_at')
        .where('outcome', '=', 'started')
        .executeTakeFirst();
      return open?.fetched_at != null;
    });
  };
}
