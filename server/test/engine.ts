// What the flows of publishing share: a service beside a sandbox platform, posts that are ready to go, and an engine whose
// turns the test takes by hand.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before } from 'node:test';
import { signatureOf } from '@airdate/sandbox/webhooks.js';
import type { App } from '../src/api/app.js';
import { openApp } from '../src/app.js';
import type { Connector } from '../src/connectors/connector.js';
import type { Database } from '../src/db/database.js';
import type { AssetRow, DispatchRow, PostRow } from '../src/db/tables.js';
import { createEngine, type Engine } from '../src/publishing/schedule/engine.js';
import { type Engine as DatabaseEngine, silentLog } from './databases.js';
import {
  type Answer,
  type Organization,
  type ServiceOptions,
  type TestService,
  useService,
} from './harness.js';
import { Mortal, onEachCall, type Points } from './mortal.js';
import { at } from './posts.js';
import { type Changes, CLIENT, listen, type TestPlatform, until, usePlatform } from './sandbox/platform.js';
import { listAssets, media, upload } from './uploads.js';

export { Mortal, onEachCall, type Points } from './mortal.js';

/** Longer than any pause of the engine in these tests, and than a lease. */
export const STEP_MS = 61_000;

export interface Published {
  publish_id: string;
  username: string;
  kind: 'video' | 'photo';
  status: string;
  bytes: number;
  request: { source_info: { video_size?: number; photo_images?: string[] }; post_info: { title?: string } };
}

export interface WorldOptions extends Pick<ServiceOptions, 'connector' | 'database'> {
  platform?: Changes;
  /** A function, because addresses are known only when the tests run. */
  env?: () => Record<string, string>;
}

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
}

export class World {
  readonly platform: TestPlatform;
  readonly service: TestService;
  private impatience = new AbortController();
  private own: Engine | undefined;
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
        SCHEDULE_MIN_LEAD_SECONDS: '0',
        PUBLISH_BACKOFF_MS: '1000',
        RECONCILE_INTERVAL_MS: '1000',
        // Only there to notice a hang: what is to be cut off is cut off by `cutShort`.
        PLATFORM_TIMEOUT_MS: '60000',
        ...given.env?.(),
      },
      connector: (real) => this.impatient(given.connector?.(real) ?? real),
      ...(given.database ? { database: given.database } : {}),
    }));
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
  advance(ms: number): void {
    this.service.clock.advance(ms);
    this.platform.clock.advance(ms);
  }

  async creator(username?: string): Promise<Creator> {
    const org = await this.service.newOrganization();
    const name = username ?? `p${org.id.slice(-12)}`;
    return { org, username: name, accountId: await org.connectAccount(name) };
  }

  /** A draft with its file. Only the first of a kind goes the long way; the others get a copy of what came of it. */
  async post({ org }: Creator, type: PostRow['post_type'] = 'slides', title = 'A post'): Promise<string> {
    const id = await org.addPost({ post_type: type, title });
    const name = type === 'video' ? 'tiny.mp4' : 'slide.jpg';
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
    for (const kind of ['publishDue', 'transfer', 'reconcile'] as const) {
      await engine[kind]();
      await engine.idle();
    }
  }

  /** Turn after turn, until nothing is under way any more or waits for a short pause. */
  async finish(creator: Creator, engine = this.engine): Promise<void> {
    for (let round = 0; round < 12; round++) {
      await this.quiet(creator.username);
      this.advance(STEP_MS);
      await this.runOnce(engine);
      if (!(await this.isBusy(creator.org.id))) return;
    }
    assert.fail('it never came to an end');
  }

  /** When the platform has nothing left to do but wait for bytes. */
  async quiet(username: string): Promise<void> {
    await until('the platform is done', async () =>
      (await this.ledger(username)).every(
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
  async ledger(username: string): Promise<Published[]> {
    const all: Published[] = await this.platform.publishes();
    return all.filter((published) => published.username === username);
  }

  /** Those that people can see. */
  async live(username: string): Promise<Published[]> {
    return (await this.ledger(username)).filter(({ status }) =>
      ['PUBLISH_COMPLETE', 'SEND_TO_USER_INBOX'].includes(status),
    );
  }

  /** The attempts of a post, oldest first. */
  attempts(postId: string): Promise<DispatchRow[]> {
    return this.app.db.read
      .selectFrom('dispatches')
      .selectAll()
      .where('post_id', '=', postId)
      .orderBy('attempt')
      .execute();
  }

  /** Where a post stands: its status, and how each of its attempts ended. */
  async standing({ org }: Creator, id: string): Promise<[PostRow['status'], ...DispatchRow['outcome'][]]> {
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

  /** The deadline of every call that is under way comes now. */
  cutShort(): void {
    this.impatience.abort(new DOMException('the deadline has come', 'TimeoutError'));
    this.impatience = new AbortController();
  }

  /** Does something that meets a fault, and lets the deadline come when it hangs there and `isTime`. */
  async cutAtFault<T>(work: Promise<T>, isTime: () => Promise<boolean> = async () => true): Promise<T> {
    await until('the fault is met', async () => {
      const { json } = await this.platform.request('GET', '/__control/faults');
      return json.data.length === 0 && (await isTime());
    });
    this.cutShort();
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
    app.address.publicUrl = this.app.address.publicUrl;
    return app;
  }

  /** A worker that stops for ever, or for a while, when it comes to its point. */
  async mortal(points: Points, platform = (real: Connector) => real): Promise<Mortal> {
    const mortal = new Mortal();
    mortal.points = { ...points };
    const app = await this.otherApp({
      connector: (real) => this.impatient(mortal.connector(platform(real))),
      database: (real) => mortal.database(real),
    });
    mortal.begin(app);
    return mortal;
  }
}

/** For all tests of a describe block. Use it inside the tests only. */
export const useWorld = (engine: DatabaseEngine, options?: WorldOptions): World => new World(engine, options);

/** Stands between the platform and the slides: closed, it has the platform ask again. */
export class Gate {
  url = '';
  isOpen = false;
  /** Which service answers, if it is not the world's. */
  behind: string | null = null;
  /** How many slides break off in the middle. */
  breaks = 0;
  /** How the slides were answered. */
  readonly answered: number[] = [];
  private readonly server: Server;

  constructor(world: World) {
    this.server = createServer(async (request, response) => {
      if (!this.isOpen) return void response.writeHead(503).end();
      const real = await fetch((this.behind ?? world.service.url) + request.url);
      this.answered.push(real.status);
      const bytes = Buffer.from(await real.arrayBuffer());
      response.writeHead(real.status, {
        'content-type': real.headers.get('content-type') ?? '',
        'content-length': bytes.length,
      });
      if (this.breaks-- > 0) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      else response.end(bytes);
    });
    before(async () => {
      this.url = await listen(this.server);
    });
    after(() => {
      this.server.closeAllConnections();
      this.server.close();
    });
  }

  /** From now on, whatever this App offers is behind the gate, which is closed. */
  closeFor(app: App): () => void {
    const { publicUrl } = app.address;
    this.isOpen = false;
    app.address.publicUrl = this.url;
    return () => {
      app.address.publicUrl = publicUrl;
    };
  }
}
