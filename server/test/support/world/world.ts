// What the tests of publishing and of accounts share: a service without a worker beside a sandbox platform, posts that are
// ready to go, and an engine that works only when the test says so.

import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { signatureOf } from '@airdate/sandbox/webhooks.js';
import type { App } from '../../../src/app/app.js';
import type { Connector } from '../../../src/connectors/connector.js';
import type { Database } from '../../../src/db/database.js';
import { recount } from '../../../src/db/recount.js';
import type { AssetRow, AttemptRow, PostRow, SocialAccountRow } from '../../../src/db/tables.js';
import { openApp } from '../../../src/open-app.js';
import { createEngine, type Engine } from '../../../src/publishing/schedule/engine.js';
import { type Engine as DatabaseEngine, silentLog } from '../databases/fresh-databases.js';
import { ScriptedConnector, WatchedConnector } from '../platform/scripted-connector.js';
import { withGate } from '../platform/slide-proxy.js';
import { type Changes, CLIENT, type TestPlatform, usePlatform } from '../platform/test-platform.js';
import { until } from '../runner/until.js';
import { type Organization, type ServiceOptions, type TestService, useService } from '../service/harness.js';
import { at, changePost, readyPost } from '../service/posts.js';
import type { Answer } from '../service/send.js';
import { listAssets, media, upload } from '../service/uploads.js';
import { KillableWorker, onEachCall, type Points } from './killable-worker.js';

/** Longer than any pause of the engine in these tests, and than a lease. */
export const STEP_MS = 61_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** What the platform has accepted. */
export interface Published {
  publish_id: string;
  username: string;
  kind: 'photo' | 'video';
  mode: 'direct' | 'inbox';
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  request: any;
  status: string;
  bytes: number;
}

export interface WorldOptions extends Pick<ServiceOptions, 'connector' | 'database' | 'log'> {
  platform?: Changes;
  /** A function if addresses are needed, which are known only when the tests run. */
  env?: Record<string, string> | (() => Record<string, string>);
}

/** Nothing waits longer than a second, except for a call that hangs: what is to be cut off is cut off by `expireDeadlines`. */
const SHORT_PAUSES = {
  SCHEDULE_MIN_LEAD_SECONDS: '0',
  PUBLISH_BACKOFF_MS: '1000',
  RECONCILE_INTERVAL_MS: '1000',
  PLATFORM_TIMEOUT_MS: '60000',
};

export interface WebhookOptions {
  openId?: string;
  /** When it was sent. */
  seconds?: number;
  secret?: string;
  /** Instead of the right one; empty: none. */
  signature?: string;
  /** What is sent instead of what was signed. */
  tamper?: (body: string) => string;
}

/** A person on the platform, connected to an organization of its own. */
export interface Creator {
  org: Organization;
  username: string;
  accountId: string;
  /** The same account, as the service's own functions name it. */
  account: { org_id: string; id: string };
}

export class World {
  readonly platform: TestPlatform;
  readonly service: TestService;
  readonly scripted = new ScriptedConnector();
  readonly watched = new WatchedConnector();
  private impatience = new AbortController();
  private own: Engine | undefined;
  private other: { app: App; engine: Engine } | undefined;
  private readonly templates = new Map<string, AssetRow>();

  constructor(engine: DatabaseEngine, given: WorldOptions = {}) {
    this.platform = usePlatform(given.platform ?? {});
    this.service = useService(engine, () => ({
      command: 'api',
      env: {
        SOCIAL_API_URL: this.platform.url,
        SOCIAL_CLIENT_KEY: CLIENT.client_key,
        SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
        SOCIAL_INITS_PER_MINUTE: '0',
        SOCIAL_POSTS_PER_DAY: '0',
        ...(typeof given.env === 'function' ? given.env() : given.env),
      },
      connector: (real) =>
        this.watched.wrap(this.scripted.wrap(this.impatient(given.connector?.(real) ?? real))),
      ...(given.database ? { database: given.database } : {}),
      ...(given.log ? { log: given.log } : {}),
    }));
    after(() => this.other?.app.close());
  }

  /** After a test: lets go of what it has stopped, clears its faults, and checks that all counters are exact. */
  async tidy(): Promise<void> {
    this.scripted.reset();
    this.watched.reset();
    await this.own?.idle();
    await this.other?.engine.idle();
    await this.platform.control('clear');
    assert.deepEqual(await recount(this.app.db, ['posts', 'inbox', 'dispatches', 'slots']), []);
  }

  get app(): App {
    return this.service.app;
  }

  get engine(): Engine {
    this.own ??= createEngine(this.app);
    return this.own;
  }

  now(): number {
    return this.service.clock.now();
  }

  /** Moves both clocks. */
  readonly advance = (ms: number): void => {
    this.service.clock.advance(ms);
    this.platform.clock.advance(ms);
  };

  /** The clock of the service stands still meanwhile, unless it is moved. */
  async frozen(work: () => Promise<void>): Promise<void> {
    const { clock } = this.service;
    clock.stopAt(clock.now());
    try {
      await work();
    } finally {
      const now = clock.now();
      clock.resume();
      clock.advance(now - Date.now());
    }
  }

  readonly creator = async (username?: string): Promise<Creator> => {
    const org = await this.service.newOrganization();
    return this.creatorIn(org, username ?? `p${org.id.slice(-12)}`);
  };

  async creatorIn(org: Organization, username: string): Promise<Creator> {
    const accountId = await org.connectAccount(username);
    return { org, username, accountId, account: { org_id: org.id, id: accountId } };
  }

  /** A post with files of its own, scheduled for an hour from now. */
  async scheduledPost(
    org: Organization,
    accountId: string,
    type: PostRow['post_type'] = 'slides',
    fields: Parameters<typeof changePost>[2] = {},
  ): Promise<string> {
    const id = await readyPost(org, type);
    await changePost(org, id, {
      status: 'scheduled',
      scheduled_at: at(this.now() + HOUR_MS),
      social_account_id: accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
      ...fields,
    });
    return id;
  }

  /** A draft with its file. Only the first of a kind goes the long way; the others get a copy of what came of it. */
  async post({ org }: Creator, type: PostRow['post_type'] = 'slides', title = 'A post'): Promise<string> {
    const id = await org.addPost({ post_type: type, title });
    const name = type === 'video' ? 'tiny.mp4' : 'small.jpg';
    const template = this.templates.get(type);
    if (!template) {
      const { object_key } = await upload(org, id, name);
      await listAssets(org, id);
      const find = this.app.db.read.selectFrom('assets').selectAll().where('object_key', '=', object_key);
      this.templates.set(type, await find.executeTakeFirstOrThrow());
      return id;
    }
    const assetId = this.app.newId();
    const object_key = template.object_key
      .replace(template.org_id, org.id)
      .replace(template.post_id, id)
      .replace(/[^/]+(?=\.\w+$)/, assetId);
    await this.app.store.write(object_key, Buffer.from(media(name)));
    const row = {
      ...template,
      org_id: org.id,
      post_id: id,
      id: assetId,
      object_key,
      has_thumbnail: 0 as const,
    };
    await this.app.db.transact((tx) => tx.insertInto('assets').values(row).execute());
    return id;
  }

  /** Books a slot, by default one that has just come. */
  async schedule({ org, accountId }: Creator, id: string, inMs?: number): Promise<void> {
    const answer = await org.call('PATCH', `/api/v1/posts/${id}`, {
      status: 'scheduled',
      scheduled_at: at(this.now() + (inMs ?? 2_000)),
      social_account_id: accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
    });
    assert.equal(answer.status, 200, answer.text);
    if (inMs === undefined) this.advance(3_000);
  }

  async scheduled(creator: Creator, type?: PostRow['post_type']): Promise<string> {
    const id = await this.post(creator, type);
    await this.schedule(creator, id);
    return id;
  }

  publishNow({ org, accountId }: Creator, id: string, headers?: Record<string, string>): Promise<Answer> {
    const body = { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' };
    return org.call('POST', `/api/v1/posts/${id}/publish`, body, headers);
  }

  /** One turn of everything, to its end. */
  async runOnce(engine = this.engine): Promise<void> {
    for (const kind of ['publish', 'transfer', 'poll'] as const) {
      await engine[kind]();
      await engine.idle();
    }
  }

  /** Lets the platform finish with it, and the engine find out. */
  async settle(publishId: string): Promise<void> {
    await this.engine.transfer();
    await this.engine.idle();
    await until(`the platform has finished with ${publishId}`, async () => {
      const all: Published[] = await this.platform.publishes();
      const found = all.find((published) => published.publish_id === publishId);
      return found !== undefined && !found.status.startsWith('PROCESSING');
    });
    this.advance(this.app.config.publishing.reconcileIntervalMs + 1);
    await this.engine.poll();
    await this.engine.idle();
  }

  /** Turn after turn, until nothing is under way any more or waits for a short pause. */
  async finish(creator: Creator, engine = this.engine): Promise<void> {
    for (let round = 0; round < 12; round++) {
      await this.waitForPlatform(creator.username);
      this.advance(STEP_MS);
      await this.runOnce(engine);
      if (!(await this.isBusy(creator.org.id))) return;
    }
    assert.fail('it never came to an end');
  }

  /** When the platform has nothing left to do but wait for bytes. */
  async waitForPlatform(username: string): Promise<void> {
    await until('the platform is done', async () =>
      (await this.acceptedInits(username)).every(
        ({ status, bytes, request }) =>
          !status.startsWith('PROCESSING') || bytes < (request.source_info.video_size ?? 0),
      ),
    );
  }

  private async isBusy(orgId: string): Promise<boolean> {
    const attempts = await this.app.db.read
      .selectFrom('dispatches')
      .select('id')
      .where('org_id', '=', orgId)
      .where('outcome', 'in', ['started', 'accepted'])
      .execute();
    const waiting = await this.app.db.read
      .selectFrom('posts')
      .select('id')
      .where('org_id', '=', orgId)
      .where('status', '=', 'scheduled')
      .where((eb) => eb(eb.fn.coalesce('wait_until', 'scheduled_at'), '<=', this.now() + 600_000))
      .execute();
    return attempts.length + waiting.length > 0;
  }

  /** Every init that the platform has accepted of this person, oldest first. */
  async acceptedInits(username: string): Promise<Published[]> {
    const all: Published[] = await this.platform.publishes();
    return all.filter((published) => published.username === username);
  }

  /** The same, by the id of the account. */
  async publishesOf(accountId: string): Promise<Published[]> {
    return this.acceptedInits((await this.accountRow(accountId)).username);
  }

  /** Those that people can see. */
  async live(username: string): Promise<Published[]> {
    return (await this.acceptedInits(username)).filter(({ status }) =>
      ['PUBLISH_COMPLETE', 'SEND_TO_USER_INBOX'].includes(status),
    );
  }

  postRow(id: string): Promise<PostRow & { wait_until: number | null }> {
    return this.app.db.read.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  readonly accountRow = (id: string): Promise<SocialAccountRow> =>
    this.app.db.read.selectFrom('social_accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  /** The latest attempt of a post. */
  async dispatchRow(postId: string): Promise<AttemptRow> {
    const latest = (await this.attempts(postId)).at(-1);
    assert.ok(latest, 'there is no attempt');
    return latest;
  }

  /** The attempts of a post, oldest first. */
  attempts(postId: string): Promise<AttemptRow[]> {
    return this.app.db.read
      .selectFrom('dispatches')
      .selectAll()
      .where('post_id', '=', postId)
      .orderBy('attempt')
      .execute();
  }

  /** Where a post stands: its status, and how each of its attempts ended. */
  async outcomesOf({ org }: Creator, id: string): Promise<[PostRow['status'], ...AttemptRow['outcome'][]]> {
    const { json } = await org.call('GET', `/api/v1/posts/${id}`);
    return [json.data.status, ...(await this.attempts(id)).map(({ outcome }) => outcome)];
  }

  async errorOf({ org }: Creator, id: string): Promise<string | null> {
    return (await org.call('GET', `/api/v1/posts/${id}`)).json.data.last_publish_error;
  }

  /** A webhook as the platform would send it: signed now, unless told otherwise. */
  async webhook(event: string, content: object, more: WebhookOptions = {}): Promise<Answer> {
    const body = JSON.stringify({
      client_key: CLIENT.client_key,
      event,
      create_time: more.seconds ?? Math.floor(this.now() / 1000),
      user_openid: more.openId ?? 'an-open-id',
      content: JSON.stringify(content),
    });
    const seconds = more.seconds ?? Math.floor(this.now() / 1000);
    const signature = more.signature ?? signatureOf(more.secret ?? CLIENT.client_secret, seconds, body);
    return this.service.request('POST', '/webhooks/social', {
      raw: more.tamper?.(body) ?? body,
      headers: {
        'content-type': 'application/json',
        ...(signature ? { 'tiktok-signature': signature } : {}),
      },
    });
  }

  /** The platform fetches a slide, and then its answer to the init is lost. */
  async loseAnswerAfterFetch(): Promise<void> {
    await this.platform.control('faults', { on: 'init', kind: 'reset_after' });
    this.scripted.afterInit = async () => {
      this.scripted.afterInit = null;
      await until('a slide is fetched', async () => {
        const open = await this.app.db.read
          .selectFrom('dispatches')
          .select('fetched_at')
          .where('outcome', '=', 'started')
          .executeTakeFirst();
        return open?.fetched_at != null;
      });
    };
  }

  /** The platform cannot fetch slides until the gate is opened. */
  withGate(work: (openGate: () => void) => Promise<void>): Promise<void> {
    return withGate(this.service, work);
  }

  /** The deadline of every call that is under way comes now. */
  expireDeadlines(): void {
    this.impatience.abort(new DOMException('the deadline has come', 'TimeoutError'));
    this.impatience = new AbortController();
  }

  /** Does something that meets a fault, and lets the deadline come when it hangs there and `isTime`. */
  async cutAtFault<T>(work: Promise<T>, isTime: () => Promise<boolean> = async () => true): Promise<T> {
    await until('the fault is met', async () => {
      const { json } = await this.platform.request('GET', '/__control/faults');
      return json.data.length === 0 && (await isTime());
    });
    this.expireDeadlines();
    return work;
  }

  private impatient(real: Connector): Connector {
    return onEachCall(real, (call, given) => {
      const last = given.at(-1);
      if (!(last instanceof AbortSignal)) return call(...given);
      return call(...given.slice(0, -1), AbortSignal.any([last, this.impatience.signal]));
    });
  }

  /** Another process on the same database and files. */
  async otherApp(
    around: { connector?: (real: Connector) => Connector; database?: (real: Database) => Database } = {},
  ) {
    const app = await openApp(this.app.config, { clock: this.service.clock, log: silentLog, ...around });
    app.urls.publicUrl = this.app.urls.publicUrl;
    return app;
  }

  /** The engine of another process, for what the first has in hand itself. */
  async otherEngine(): Promise<Engine> {
    if (!this.other) {
      const app = await this.otherApp({ connector: this.scripted.wrap });
      this.other = { app, engine: createEngine(app) };
    }
    return this.other.engine;
  }

  /** Another process, as far as tokens can tell. */
  readonly withOther = async (work: (other: App) => Promise<void>): Promise<void> => {
    const other = await this.otherApp({ connector: this.watched.wrap });
    await work(other).finally(() => other.close());
  };

  /** A worker that stops for ever, or for a while, when it comes to its point. */
  async killableWorker(points: Points, platform = (real: Connector) => real): Promise<KillableWorker> {
    const worker = new KillableWorker();
    worker.points = { ...points };
    const app = await this.otherApp({
      connector: (real) => this.impatient(worker.connector(platform(real))),
      database: (real) => worker.database(real),
    });
    worker.begin(app);
    return worker;
  }
}

/** For all tests of a describe block, with short pauses. Use it inside the tests only. */
export function useWorld(engine: DatabaseEngine, options: WorldOptions = {}): World {
  const env = () => ({
    ...SHORT_PAUSES,
    ...(typeof options.env === 'function' ? options.env() : options.env),
  });
  return new World(engine, { ...options, env });
}

/** The same with the pauses of a real installation, tidied after each test. */
export function useTidyWorld(engine: DatabaseEngine, options: WorldOptions = {}): World {
  const world = new World(engine, options);
  afterEach(() => world.tidy());
  return world;
}
