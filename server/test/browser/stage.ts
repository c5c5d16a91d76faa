// Where the scenes play: an organization with a post in every state, one with nothing, and a service that nobody has found.
import type { Page } from 'playwright-core';
import { createEntryLink } from '../../src/identity/people/entry-links.js';
import { type Organization, type TestService, useService } from '../harness.js';
import { newPerson } from '../people.js';
import { SteeredConnector } from '../publishing.js';
import type { Tab, useBrowser } from './browser.js';
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
} from './people-in-tabs.js';

type State = 'draft' | 'scheduled' | 'posted' | 'failed' | 'unknown' | 'bare' | 'uploads';

export interface Stage {
  /** By what has become of them; one has no files at all, and one has files on their way. */
  posts: Record<State, string>;
  invitation: string;
  entryLink: string;
}

/** Who looks: an owner, one of an organization without anything, a visitor, the first visitor ever. */
export type Viewer = 'owner' | 'beginner' | 'visitor' | 'first visitor';

export interface Scene {
  name: string;
  viewer?: Viewer;
  /** What must be in place before anything is loaded. */
  prepare?(page: Page): Promise<unknown>;
  path(stage: Stage): string;
  /** Does what leads there, and waits until all of it is there. */
  ready(page: Page): Promise<unknown>;
}

/** The services of the scenes, while tests run. */
export function useStage(browser: ReturnType<typeof useBrowser>) {
  const steered = new SteeredConnector();
  const service = useService('sqlite', { ...OBEDIENT, connector: steered.wrap });
  const unvisited = useService('sqlite');
  let full: Organization;
  let empty: Organization;
  return {
    service,
    async fill(): Promise<Stage> {
      full = await service.newOrganization({ name: 'Field Notes', plan: 'growth' });
      empty = await service.newOrganization({ name: 'Blank Page', plan: 'growth' });
      return fill(service, steered, full);
    },
    open(viewer: Viewer): Promise<Tab> {
      if (viewer === 'first visitor') return browser.open(unvisited.url);
      if (viewer === 'visitor') return browser.open(service.url);
      return openAs(browser, service, viewer === 'owner' ? full : empty);
    },
  };
}

async function fill(service: TestService, steered: SteeredConnector, org: Organization): Promise<Stage> {
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
  await book(org, posts.scheduled, accountId, service.clock.now() + DAY_MS);
  await publishUntil(org, posts.posted, accountId, 'published');
  await control(service, 'outcomes', { status: 'FAILED', fail_reason: 'picture_size_check_failed' });
  await publishUntil(org, posts.failed, accountId, 'failed');
  await loseTheAnswer(service, steered);
  await publish(org, posts.unknown, accountId);

  const person = await newPerson(service, org.id, 'editor');
  const owner = await newPerson(service, org.id, 'owner');
  const { json } = await owner.browser.call('POST', '/api/v1/invitations', {
    role: 'viewer',
    email: 'newcomer@example.com',
  });
  const entryLink = await service.app.db.transact((tx) =>
    createEntryLink(service.app, tx, { org_id: org.id, id: person.id }),
  );
  return { posts, invitation: pathOf(json.data.url), entryLink: pathOf(entryLink) };
}

const pathOf = (link: string): string => new URL(link).pathname + new URL(link).hash;
