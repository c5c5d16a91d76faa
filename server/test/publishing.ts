// What the tests of publishing share: a service without a worker beside a sandbox of its own, an engine whose turns the test
// takes by hand, and places where a call to the platform can be stopped.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, afterEach, before } from 'node:test';
import { recountDispatches } from '../src/analytics/dispatch-counters.js';
import type { App } from '../src/api/app.js';
import { openApp } from '../src/app.js';
import type { Connector } from '../src/connectors/connector.js';
import type { DispatchRow, PostRow } from '../src/db/tables.js';
import type { Log } from '../src/ground/log.js';
import { recountPosts } from '../src/posts/counters.js';
import { createEngine, type Engine as PublishingEngine } from '../src/publishing/schedule/engine.js';
import type { PublishPost } from '../src/publishing/schema.js';
import { type Engine, silentLog } from './databases.js';
import { type Answer, type Organization, type TestService, useService } from './harness.js';
import { at, bodyOf, changePost } from './posts.js';
import { type Changes, CLIENT, listen, type TestPlatform, until, usePlatform } from './sandbox/platform.js';
import { upload } from './uploads.js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Something that many wait for, and one opens. */
export class Latch {
  open: () => void = () => {};
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}

/** The real connector; a test can have something done right before a call leaves, and right after the answer to an init came. */
export class SteeredConnector {
  beforeCreator: (() => Promise<void>) | null = null;
  beforeInit: (() => Promise<void>) | null = null;
  afterInit: (() => Promise<void>) | null = null;
  private readonly stopped = new Set<Latch>();

  /** Whatever a test has stopped and, having failed, has not let go. */
  reset(): void {
    this.beforeCreator = null;
    this.beforeInit = null;
    this.afterInit = null;
    for (const going of this.stopped) going.open();
    this.stopped.clear();
  }

  readonly wrap = (real: Connector): Connector => {
    const steer = async <T>(init: () => Promise<T>): Promise<T> => {
      await this.beforeInit?.();
      const outcome = await init();
      await this.afterInit?.();
      return outcome;
    };
    return {
      ...real,
      creator: async (...given) => {
        await this.beforeCreator?.();
        return real.creator(...given);
      },
      submit: (...given) => steer(() => real.submit(...given)),
      prepare: (...given) => steer(() => real.prepare(...given)),
    };
  };

  /** The next init waits before it leaves until it is let go; `reached` once it is there. */
  stopBeforeInit(): { reached: Promise<void>; release(): void } {
    const reached = new Latch();
    const going = new Latch();
    this.stopped.add(going);
    this.beforeInit = async () => {
      this.beforeInit = null;
      reached.open();
      await going.opened;
    };
    return { reached: reached.opened, release: going.open };
  }
}

export interface PublishingWorld {
  platform: TestPlatform;
  service: TestService;
  steered: SteeredConnector;
  /** The worker's side of publishing. It does nothing unless a test asks it to. */
  engine: PublishingEngine;
  /** The same in another process on the same database, for what the first has in hand itself. */
  elsewhere(): Promise<PublishingEngine>;
  /** Moves both clocks. */
  advance(ms: number): void;
  /** The clock of the service stands still meanwhile, unless it is moved. */
  frozen(work: () => Promise<void>): Promise<void>;
  /** One turn of everything, until nothing runs any more. */
  runOnce(): Promise<void>;
  /** Lets the platform finish with it, and the engine find out. */
  finish(publishId: string): Promise<void>;
  /** An organization with an account that really is connected. */
  connected(username?: string): Promise<{ org: Organization; accountId: string }>;
  /** A post with files, booked for an hour from now. */
  booked(
    org: Organization,
    accountId: string,
    type?: PostRow['post_type'],
    fields?: Parameters<typeof changePost>[2],
  ): Promise<string>;
  /** What the platform has accepted of this account. */
  publishesOf(accountId: string): Promise<Publish[]>;
  /** The platform fetches a slide, and then its answer to the init is lost. */
  loseAnswerAfterFetch(): Promise<void>;
  /** The platform cannot fetch slides until the gate is opened. */
  withGate(work: (openGate: () => void) => Promise<void>): Promise<void>;
  row(id: string): Promise<PostRow & { wait_until: number | null }>;
  dispatchRow(postId: string): Promise<DispatchRow>;
}

export interface Publish {
  publish_id: string;
  username: string;
  kind: 'photo' | 'video';
  mode: 'direct' | 'inbox';
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  request: any;
  status: string;
  bytes: number;
}

/** After each test the counters of all organizations must be exact. */
export function usePublishing(
  engine: Engine,
  options: { env?: Record<string, string>; platform?: Changes; log?: Log } = {},
): PublishingWorld {
  const platform = usePlatform(options.platform);
  const steered = new SteeredConnector();
  const service = useService(engine, () => ({
    command: 'api',
    env: {
      SOCIAL_API_URL: platform.url,
      SOCIAL_CLIENT_KEY: CLIENT.client_key,
      SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
      SOCIAL_INITS_PER_MINUTE: '0',
      SOCIAL_POSTS_PER_DAY: '0',
      ...options.env,
    },
    connector: steered.wrap,
    ...(options.log ? { log: options.log } : {}),
  }));
  let created: PublishingEngine | undefined;
  before(() => {
    created = createEngine(service.app);
  });
  let other: { app: App; engine: PublishingEngine } | undefined;
  after(() => other?.app.close());
  afterEach(async () => {
    steered.reset();
    await created?.idle();
    await other?.engine.idle();
    await platform.control('clear');
    assert.deepEqual(await recountPosts(service.app.db), []);
    assert.deepEqual(await recountDispatches(service.app.db), []);
  });

  const world: PublishingWorld = {
    platform,
    service,
    steered,
    get engine() {
      return created as PublishingEngine;
    },
    async elsewhere() {
      if (!other) {
        const { config, address } = service.app;
        const app = await openApp(config, { clock: service.clock, log: silentLog, connector: steered.wrap });
        app.address.publicUrl = address.publicUrl;
        other = { app, engine: createEngine(app) };
      }
      return other.engine;
    },
    advance(ms) {
      service.clock.advance(ms);
      platform.clock.advance(ms);
    },
    async frozen(work) {
      const { clock } = service;
      clock.stopAt(clock.now());
      try {
        await work();
      } finally {
        const now = clock.now();
        clock.resume();
        clock.advance(now - Date.now());
      }
    },
    async runOnce() {
      const { engine } = world;
      for (const act of [engine.publishDue, engine.reconcile, engine.transfer]) {
        await act();
        await engine.idle();
      }
    },
    async finish(publishId) {
      await world.engine.transfer();
      await world.engine.idle();
      await until(`the platform has finished with ${publishId}`, async () => {
        const all: Publish[] = await platform.publishes();
        const found = all.find((publish) => publish.publish_id === publishId);
        return found !== undefined && !found.status.startsWith('PROCESSING');
      });
      world.advance(service.app.config.publishing.reconcileIntervalMs + 1);
      await world.engine.reconcile();
      await world.engine.idle();
    },
    async connected(username) {
      const org = await service.newOrganization();
      return { org, accountId: await org.connectAccount(username) };
    },
    async booked(org, accountId, type = 'slides', fields = {}) {
      const id = await readyPost(org, type);
      await changePost(org, id, {
        status: 'scheduled',
        scheduled_at: at(service.clock.now() + HOUR_MS),
        social_account_id: accountId,
        privacy_level: 'PUBLIC_TO_EVERYONE',
        ...fields,
      });
      return id;
    },
    async publishesOf(accountId) {
      const { username } = await service.app.db.read
        .selectFrom('social_accounts')
        .select('username')
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      const all: Publish[] = await platform.publishes();
      return all.filter((publish) => publish.username === username);
    },
    async loseAnswerAfterFetch() {
      await platform.control('faults', { on: 'init', kind: 'reset_after' });
      steered.afterInit = async () => {
        steered.afterInit = null;
        await until('a slide is fetched', async () => {
          const open = await service.app.db.read
            .selectFrom('dispatches')
            .select('fetched_at')
            .where('outcome', '=', 'started')
            .executeTakeFirst();
          return open?.fetched_at != null;
        });
      };
    },
    withGate: (work) => withGate(service, work),
    row: (id) =>
      service.app.db.read.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    dispatchRow: (postId) =>
      service.app.db.read
        .selectFrom('dispatches')
        .selectAll()
        .where('post_id', '=', postId)
        .orderBy('attempt', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow(),
  };
  return world;
}

/** A server between the platform and the slides: it is out of order until the gate is opened. */
async function withGate(service: TestService, work: (openGate: () => void) => Promise<void>): Promise<void> {
  let isOpen = false;
  const gate: Server = createServer(async (request, response) => {
    if (!isOpen) return response.writeHead(503).end();
    const answer = await fetch(service.url + request.url);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const { address } = service.app;
  const { publicUrl } = address;
  address.publicUrl = await listen(gate);
  try {
    await work(() => {
      isOpen = true;
    });
  } finally {
    address.publicUrl = publicUrl;
    gate.closeAllConnections();
    await new Promise((resolve) => gate.close(resolve));
  }
}

/** A draft with everything that publishing needs. */
export async function readyPost(
  org: Organization,
  type: PostRow['post_type'] = 'slides',
  fields: Record<string, unknown> = {},
): Promise<string> {
  const id = await org.addPost({ post_type: type, caption: 'Maps', hashtags: '#maps', ...fields });
  await upload(org, id, type === 'video' ? 'tiny.mp4' : 'slide.png');
  return id;
}

/** Publishes now, for everybody unless `more` says otherwise. */
export const publish = (
  org: Organization,
  id: string,
  accountId: string,
  more: Partial<PublishPost> | Record<string, unknown> = {},
  headers?: Record<string, string>,
): Promise<Answer> =>
  org.call(
    'POST',
    `/api/v1/posts/${id}/publish`,
    { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE', ...more },
    headers,
  );

/** The same, and it must be accepted. Answers with the publish_id. */
export async function published(
  org: Organization,
  id: string,
  accountId: string,
  more: Partial<PublishPost> = {},
): Promise<string> {
  const body = {
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE' as const,
    ...more,
  };
  const answer = await org.sdk.POST('/api/v1/posts/{id}/publish', { params: { path: { id } }, body });
  return bodyOf(answer).data.publish_id;
}

/** Newest first. */
export async function dispatchesOf(org: Organization, id: string) {
  return bodyOf(await org.sdk.GET('/api/v1/posts/{id}/dispatches', { params: { path: { id } } })).data;
}

/** The only attempt that was ever made. */
export async function onlyDispatch(org: Organization, id: string) {
  const [dispatch, ...more] = await dispatchesOf(org, id);
  assert.ok(dispatch, 'there is no attempt');
  assert.deepEqual(more, []);
  return dispatch;
}

export async function publishStatusOf(org: Organization, id: string) {
  return bodyOf(await org.sdk.GET('/api/v1/posts/{id}/publish-status', { params: { path: { id } } })).data;
}

export const resolve = (org: Organization, id: string, outcome: string) =>
  org.call('POST', `/api/v1/posts/${id}/resolve`, { outcome });

/** A sentence for people that ends with the code in parentheses. */
export function assertTold(sentence: string | null, code: string): void {
  assert.match(sentence ?? '', new RegExp(`^[A-Z].* \\(${code}\\)$`));
}
