// One post, two workers on one database, and a platform. The first worker has fail points; the second continues when the
// first has died, or has been held for longer than its lease. The outcome in the service is then compared with the
// platform's.

import type { App } from '../../../src/app/app.js';
import { markChanged } from '../../../src/db/changes.js';
import type { AttemptRow, PostRow } from '../../../src/db/tables.js';
import { openApp } from '../../../src/open-app.js';
import { createEngine, type Engine as Publishing } from '../../../src/publishing/schedule/engine.js';
import { type Engine, silentLog } from '../../support/databases/fresh-databases.js';
import {
  type Excuses,
  type Judgement,
  judgePost,
  type Published,
  wrongCounters,
} from '../../support/platform/compare-with-platform.js';
import { OTHER_PLATFORMS, type OtherKind, OtherPlatform } from '../../support/platform/other-platforms.js';
import { CLIENT, TestPlatform } from '../../support/platform/test-platform.js';
import { until } from '../../support/runner/until.js';
import { type Organization, startTestService, type TestService } from '../../support/service/harness.js';
import { setPost } from '../../support/service/posts.js';
import { complete, storeFolder, upload } from '../../support/service/uploads.js';
import { cloneAssets } from './clones.js';
import { DatabaseAway, FailPoints, type Fault } from './fail-points.js';
import { type Lie, ScriptedDenials } from './faulty-platform.js';
import { Client, SlideGate } from './support-processes.js';

/** What happens in a run, apart from its fault. */
export interface Story {
  kind: 'slides' | 'video';
  trigger: 'schedule' | 'now';
  /** `old`: the platform accepts no access token twice, so each call may need new ones. */
  tokens: 'fresh' | 'old';
  /** When the platform fetches slides: immediately, or only when the second worker is done. */
  pull: 'early' | 'late';
  /** The false answer of the platform to the first submit that it takes. */
  lie: Lie | null;
  /** Another platform than the sandbox's. */
  other?: OtherKind;
}

export interface Verdict extends Judgement {
  /** The operation at which the fault struck, or null if the worker finished before it. */
  struck: string | null;
  operations: string[];
}

const LEASE_MS = 60_000;
const POLL_MS = 2_000;
/** Each waits twice as long as the one before: the last is hours away from the first. */
const MAX_TURNS = 14;
const USERNAME = 'creator.twice';

export class TwoWorkers {
  readonly platform: TestPlatform;
  readonly service: TestService;
  readonly org: Organization;
  private readonly gate: SlideGate;
  private readonly liar: ScriptedDenials;
  private readonly others: Record<OtherKind, OtherPlatform>;
  private readonly accountIds: Record<'sandbox' | OtherKind, string>;
  private readonly templates: Record<Story['kind'], string>;
  private posts = 0;

  private constructor(
    platform: TestPlatform,
    service: TestService,
    org: Organization,
    gate: SlideGate,
    liar: ScriptedDenials,
    others: Record<OtherKind, OtherPlatform>,
    accountIds: Record<'sandbox' | OtherKind, string>,
    templates: Record<Story['kind'], string>,
  ) {
    this.platform = platform;
    this.service = service;
    this.org = org;
    this.gate = gate;
    this.liar = liar;
    this.others = others;
    this.accountIds = accountIds;
    this.templates = templates;
  }

  static async open(engine: Engine): Promise<TwoWorkers> {
    const platform = await new TestPlatform().start();
    const liar = new ScriptedDenials();
    const others = { ask: new OtherPlatform('ask'), repeat: new OtherPlatform('repeat') };
    const service = await startTestService(engine, {
      command: 'api',
      connector: liar.connector,
      connectors: { ask: others.ask.connector, repeat: others.repeat.connector },
      env: {
        SOCIAL_API_URL: platform.url,
        SOCIAL_CLIENT_KEY: CLIENT.client_key,
        SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
        PUBLISH_LEASE_SECONDS: String(LEASE_MS / 1000),
        RECONCILE_INTERVAL_MS: String(POLL_MS),
        SOCIAL_INITS_PER_MINUTE: '0',
        SOCIAL_POSTS_PER_DAY: '0',
        DATABASE_POOL_SIZE: '4',
      },
    });
    const org = await service.newOrganization();
    const accountIds = {
      sandbox: await org.connectAccount(USERNAME),
      ask: await org.connectAccount('creator.ask'),
      repeat: await org.connectAccount('creator.repeat'),
    };
    for (const kind of OTHER_PLATFORMS) await moveAccount(service.app, accountIds[kind], kind);
    const slides = await org.addPost({ title: 'Template' });
    const video = await org.addPost({ title: 'Template', post_type: 'video' });
    for (const [id, file] of [
      [slides, 'small.jpg'],
      [slides, 'slide.png'],
      [video, 'tiny.mp4'],
    ] as const)
      await complete(org, id, (await upload(org, id, file)).object_key);
    const gate = await SlideGate.before(service.url);
    service.app.urls.publicUrl = gate.url;
    // Time moves when the test says so.
    service.clock.stopAt(Date.now());
    platform.clock.stopAt(service.clock.now());
    return new TwoWorkers(platform, service, org, gate, liar, others, accountIds, { slides, video });
  }

  async close(): Promise<void> {
    await this.gate.close();
    await this.service.stop();
    await this.platform.stop();
  }

  /**
   * The whole story of one post. The second worker may be held too, so that the first resumes while the second is in
   * the middle of it.
   */
  async run(story: Story, fault: Fault | null, fault2: Fault | null = null): Promise<Verdict> {
    const post = await this.addPost(story);
    const client = new Client(this.org, post.id, this.accountOf(story));
    const [one, two] = [new FailPoints(), new FailPoints()];
    const first = await this.openWorker(one);
    const second = fault2 ? await this.openWorker(two) : this.service.app;
    try {
      await this.ageTokens(story);
      await this.noteUse();
      if (story.pull === 'late') this.gate.shut();
      this.liar.tell(story.lie, () => this.quiet(post));
      one.arm(fault);
      two.arm(fault2);
      const life = this.live(first, one, post, story, client);
      const struck = await Promise.race([life.then(() => null), one.struck]);
      if (struck !== null) {
        if (story.pull === 'early') await this.quiet(post);
        this.advance(LEASE_MS + 1);
        const rest = this.goOn(second, post, story, client);
        await Promise.race([rest, two.struck]);
        one.release();
        if (fault?.act !== 'die') await life;
        two.release();
        await rest;
      }
      this.gate.open();
      await this.quiet(post);
      await this.goOn(this.service.app, post, { ...story, pull: 'early' }, client);
      if (story.lie && !fault && this.liar.told === 0) throw new Error('the platform has not lied');
      // The other platforms can always be asked, or let a submit be repeated.
      const mayBeUnknown = !story.other && (story.lie !== null || fault?.act === 'die');
      const excuses = { mayBeUnknown, lies: this.liar.told };
      const judgement = await this.judge(post, client, excuses, fault?.act === 'outage');
      return { struck, operations: one.seen, ...judgement };
    } finally {
      this.gate.open();
      await client.close();
      await first.close();
      if (fault2) await second.close();
    }
  }

  private async openWorker({ database, connector, store }: FailPoints): Promise<App> {
    const { app, clock } = this.service;
    const worker = await openApp(app.config, {
      clock,
      log: silentLog,
      database,
      store,
      connectors: { ask: this.others.ask.connector, repeat: this.others.repeat.connector },
      connector: (real) => connector(this.liar.connector(real)),
    });
    worker.urls.publicUrl = this.gate.url;
    return worker;
  }

  private accountOf({ other }: Story): string {
    return this.accountIds[other ?? 'sandbox'];
  }

  private async addPost(story: Story): Promise<Post> {
    const { kind, trigger, other } = story;
    const tag = `post ${++this.posts} of the sweep`;
    const id = await this.org.addPost({ title: tag, caption: tag, post_type: kind });
    const { app } = this.service;
    await cloneAssets(app.db, storeFolder(this.service), this.templates[kind], id);
    await setPost(this.service, id, {
      social_account_id: this.accountOf(story),
      privacy_level: 'PUBLIC_TO_EVERYONE',
      ...(trigger === 'schedule' ? { status: 'scheduled', scheduled_at: app.clock.now() } : {}),
    });
    return { id, tag, ...(other ? { other } : {}) };
  }

  /** The first worker's part, as far as it gets. Without its database it starts nothing new. */
  private async live(app: App, points: FailPoints, post: Post, story: Story, client: Client): Promise<void> {
    const engine = createEngine(app);
    if (story.trigger === 'now') await client.ask(app);
    for (let round = 0; round < MAX_TURNS; round++) {
      await turnOf(engine).catch((error) => {
        if (!(error instanceof DatabaseAway)) throw error;
      });
      await engine.idle();
      await points.back;
      await this.quiet(post);
      if (await this.isOver(post, story)) return;
      await this.ageTokens(story);
      this.advance(POLL_MS * 2 ** round);
    }
  }

  /** Another worker, until there is nothing left to do. */
  private async goOn(app: App, post: Post, story: Story, client: Client): Promise<void> {
    const engine = createEngine(app);
    for (let round = 0; round < MAX_TURNS; round++) {
      await this.reconnect();
      await turnOf(engine);
      await this.quiet(post);
      if (story.trigger === 'now') await client.askAgain();
      if (await this.isOver(post, story)) return;
      await this.ageTokens(story);
      this.advance(POLL_MS * 2 ** round);
    }
  }

  /** Stores the key's last use beforehand, so that no request does: that write would shift the count of operations. */
  private async noteUse(): Promise<void> {
    const { db, clock } = this.service.app;
    await db.transact((tx) =>
      tx
        .updateTable('api_keys')
        .set({ last_used_at: clock.now() })
        .where('org_id', '=', this.org.id)
        .execute(),
    );
  }

  private async ageTokens({ tokens, other }: Story): Promise<void> {
    if (tokens === 'old' && other) this.others[other].ageTokens();
    else if (tokens === 'old') await this.platform.control('expire_tokens', { username: USERNAME });
  }

  /** Reconnects the account if needed: a process may die with the only copy of its tokens. */
  private async reconnect(): Promise<void> {
    const { status } = await this.service.app.db.read
      .selectFrom('social_accounts')
      .select('status')
      .where('id', '=', this.accountIds.sandbox)
      .executeTakeFirstOrThrow();
    if (status !== 'connected') await this.org.connectAccount(USERNAME);
  }

  private advance(ms: number): void {
    this.service.clock.advance(ms);
    this.platform.clock.advance(ms);
  }

  /** Resolves when the platform has finished its own work. */
  private async quiet(post: Post): Promise<void> {
    await until(`the platform is done with ${post.tag}`, async () =>
      (await this.ledger(post)).every(({ status, bytes, request }) => {
        const size = request.source_info.video_size;
        if (size === undefined) return !status.startsWith('PROCESSING') || this.gate.isShut;
        return !status.startsWith('PROCESSING') || bytes < size;
      }),
    );
  }

  async ledger({ tag, other }: Post): Promise<Published[]> {
    if (other) return this.others[other].ledger(tag);
    const rows: Published[] = await this.platform.publishes();
    return rows.filter(({ request }) => JSON.stringify(request).includes(`"${tag}`));
  }

  async rowsOf({ id }: Post): Promise<{ post: PostRow; dispatches: AttemptRow[] }> {
    const { read } = this.service.app.db;
    const post = await read.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const log = read.selectFrom('dispatches').selectAll().where('post_id', '=', id);
    return { post, dispatches: await log.orderBy('attempt').execute() };
  }

  /** No worker has anything left to do. While the platform fetches no slides, a post gets no further than posted. */
  private async isOver(post: Post, story: Story): Promise<boolean> {
    const { post: row, dispatches } = await this.rowsOf(post);
    if (story.pull === 'late' && row.status === 'posted') return true;
    return (
      row.status !== 'scheduled' &&
      row.status !== 'draft' &&
      dispatches.every(({ next_at }) => next_at === null)
    );
  }

  private async judge(
    post: Post,
    client: Client,
    excuses: Excuses,
    maySendAway: boolean,
  ): Promise<Judgement> {
    const { post: row, dispatches } = await this.rowsOf(post);
    const found = judgePost(row, dispatches, await this.ledger(post), excuses);
    found.wrong.push(...client.judge(found.live, found.isUnknown, maySendAway));
    found.wrong.push(...(await wrongCounters(this.service.app.db)));
    return found;
  }
}

interface Post {
  id: string;
  /** The tag is in its text, and nowhere else. */
  tag: string;
  other?: OtherKind;
}

/** The account keeps its tokens, which the other platform takes for its own. */
async function moveAccount(app: App, id: string, platform: OtherKind): Promise<void> {
  await app.db.transact(async (tx) => {
    const { org_id } = await tx
      .updateTable('social_accounts')
      .set({ platform })
      .where('id', '=', id)
      .returning('org_id')
      .executeTakeFirstOrThrow();
    markChanged(tx, org_id, { accounts: true });
  });
}

async function turnOf(engine: Publishing): Promise<void> {
  await engine.publish();
  await engine.idle();
  await engine.poll();
  await engine.idle();
  await engine.transfer();
  await engine.idle();
}
