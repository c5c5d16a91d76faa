// The data of the scenes: an organization with a post in every state, an empty one, and a service without any people.
import type { Page } from 'playwright-core';
import { createEntryLink } from '../../../src/identity/auth/entry-links.js';
import { ScriptedConnector } from '../../support/platform/scripted-connector.js';
import { type Organization, type TestService, useService } from '../../support/service/harness.js';
import { newPerson } from '../../support/service/people.js';
import { addDelivery, addWebhook } from '../../support/service/webhooks.js';
import { openBeside, type Tab, type useBrowser } from '../pages/browser.js';
import {
  aPostWithSlide,
  book,
  control,
  DAY_MS,
  loseTheAnswer,
  OBEDIENT,
  openAs,
  publish,
  publishUntil,
} from '../steps/people-in-tabs.js';

type State = 'draft' | 'scheduled' | 'posted' | 'failed' | 'unknown' | 'bare' | 'uploads';

export interface Stage {
  /** By their state; one has no files, and one has uploads in progress. */
  posts: Record<State, string>;
  invitation: string;
  entryLink: string;
  /** One with a failed delivery in its log. */
  webhook: string;
}

/** Names and titles on the stage, as people write them. */
export const WRITTEN: readonly string[] = [
  ...['draft', 'scheduled', 'posted', 'failed', 'unknown', 'bare'].map((state) => `A ${state} post`),
  ...['draft', 'scheduled', 'posted', 'failed', 'unknown'].map((state) => `A ${state} post.`),
  ...[
    'A post that waits for files',
    'Spring',
    'Client A',
    'Field Notes',
    'Blank Page',
    'The owner',
    'The editor',
  ],
];

/** Who looks at the screen: an owner, the owner of an empty organization, a visitor, the first visitor ever. */
export type Viewer = 'owner' | 'beginner' | 'visitor' | 'first visitor';

export interface Scene {
  name: string;
  viewer?: Viewer;
  /** Another scene shows nearly the same controls, so this one is left to the proofs. */
  isVariant?: true;
  /** Runs before the page is loaded, in a tab of its own: it may leave something in the browser's storage. */
  prepare?(page: Page): Promise<unknown>;
  path(stage: Stage): string;
  /** Performs the steps that lead there, and waits until everything is shown. */
  ready(page: Page): Promise<unknown>;
}

/** The services of the scenes, while tests run. */
export function useStage(browser: ReturnType<typeof useBrowser>) {
  const scripted = new ScriptedConnector();
  const service = useService('sqlite', { ...OBEDIENT, connector: scripted.wrap });
  const unvisited = useService('sqlite', { env: { ADMIN_TOKEN: '' } });
  let full: Organization;
  let empty: Organization;
  /** One person of each kind. A new one for each scene would load every script again, and fill the list of members. */
  const people = new Map<Viewer, Promise<Tab>>();
  const enter = (viewer: Viewer): Promise<Tab> => {
    if (viewer === 'first visitor') return browser.open(unvisited.url);
    if (viewer === 'visitor') return browser.open(service.url);
    return openAs(browser, service, viewer === 'owner' ? full : empty);
  };
  return {
    service,
    async fill(): Promise<Stage> {
      full = await service.newOrganization({ name: 'Field Notes', plan: 'growth' });
      empty = await service.newOrganization({ name: 'Blank Page', plan: 'growth' });
      return fill(service, scripted, full);
    },
    /** A tab of a person whose browser has nothing in its cache. */
    enter,
    /** Another tab of the same person each time. */
    async open(viewer: Viewer): Promise<Tab> {
      const person = people.get(viewer) ?? enter(viewer);
      people.set(viewer, person);
      return openBeside(await person);
    },
  };
}

async function fill(service: TestService, scripted: ScriptedConnector, org: Organization): Promise<Stage> {
  const accountId = await org.connectAccount('field.notes');
  const written = (state: State) => aPostWithSlide(org, `A ${state} post`, accountId);
  const posts: Stage['posts'] = {
    draft: await written('draft'),
    scheduled: await written('scheduled'),
    posted: await written('posted'),
    failed: await written('failed'),
    unknown: await written('unknown'),
    bare: await org.addPost({ title: 'A bare post', post_type: 'slides' }),
    uploads: await org.addPost({ title: 'A post that waits for files', post_type: 'slides' }),
  };
  const labels: string[] = [];
  await book(org, posts.scheduled, accountId, service.clock.now() + DAY_MS);
  await publishUntil(org, posts.posted, accountId, 'published');
  await control(service, 'outcomes', { status: 'FAILED', fail_reason: 'picture_size_check_failed' });
  await publishUntil(org, posts.failed, accountId, 'failed');
  await loseTheAnswer(service, scripted);
  await publish(org, posts.unknown, accountId);

  for (const [name, colour] of [
    ['Spring', 'teal'],
    ['Client A', 'orange'],
  ]) {
    const { json } = await org.call('POST', '/api/v1/labels', { name, colour });
    labels.push(json.data.id);
  }
  await org.call('PATCH', `/api/v1/posts/${posts.draft}`, { labels });

  const person = await newPerson(service, org.id, 'editor');
  const owner = await newPerson(service, org.id, 'owner');
  const { json } = await owner.browser.call('POST', '/api/v1/invitations', {
    role: 'viewer',
    email: 'newcomer@example.com',
  });
  const entryLink = await service.app.db.transact((tx) =>
    createEntryLink(service.app, tx, { org_id: org.id, id: person.id }),
  );
  const webhook = await aFailingWebhook(service, org);
  return { posts, invitation: pathOf(json.data.url), entryLink: pathOf(entryLink), webhook };
}

/** Nothing is ever sent to it: the scenes cause no events of this type. */
async function aFailingWebhook(service: TestService, org: Organization): Promise<string> {
  const { app } = service;
  const { id } = await addWebhook(org, 'https://hooks.example.com/airdate', { types: ['webhook.disabled'] });
  const delivery_id = await addDelivery(service, org, id);
  const at = app.clock.now();
  const attempt = { org_id: org.id, delivery_id, n: 10, at, ms: 112, error: null };
  await app.db.transact(async (tx) => {
    await tx
      .insertInto('webhook_attempts')
      .values({ ...attempt, status: 500, response: 'Out of order' })
      .execute();
    await tx.updateTable('webhook_endpoints').set({ failing_since: at }).where('id', '=', id).execute();
  });
  return id;
}

const pathOf = (link: string): string => new URL(link).pathname + new URL(link).hash;
