// An installation that can be backed up and restored: its database and files outlive the processes that use them.

import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import type { App } from '../../../src/app/app.js';
import { readConfig } from '../../../src/config/config.js';
import type { Database } from '../../../src/db/database.js';
import { migrate } from '../../../src/db/migrate.js';
import { openSqlite } from '../../../src/db/sqlite/sqlite.js';
import { type Overrides, openApp, openDatabase } from '../../../src/open-app.js';
import { createEngine } from '../../../src/publishing/schedule/engine.js';
import { NOTE_KEY } from '../../../src/restore-safety/note.js';
import { startService } from '../../../src/service.js';
import { assertChangeNotices } from '../databases/change-notice-check.js';
import {
  createPostgresDatabase,
  type Engine,
  type PostgresDatabase,
  silentLog,
} from '../databases/fresh-databases.js';
import { CLIENT, TestPlatform } from '../platform/test-platform.js';
import { until } from '../runner/until.js';
import {
  ADMIN_TOKEN,
  createOrganization,
  type Organization,
  organizationAt,
  TEST_KEY,
  TestClock,
} from '../service/harness.js';
import { at } from '../service/posts.js';
import { type Answer, type RequestOptions, send } from '../service/send.js';
import { filesIn, upload } from '../service/uploads.js';
import { type S3Server, startS3Server } from '../storage/s3-server.js';

export type Files = 'disk' | 's3';

/** A process without HTTP: enough to detect a restore, and far cheaper to start. */
export interface Process {
  app: App;
  /** One complete run of all loops of a worker. */
  runOnce(): Promise<void>;
  /** Stops cleanly, unless `killed`: then the last note is missing, as after a power cut. */
  stop(killed?: 'killed'): Promise<void>;
}

export interface Running extends Process {
  url: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

export interface StartOptions extends Pick<Overrides, 'store' | 'connector' | 'log' | 'database'> {
  env?: Record<string, string>;
}

export class Installation {
  readonly clock = new TestClock();
  readonly platform = new TestPlatform();
  private readonly dir = mkdtempSync(join(tmpdir(), 'airdate-restore-'));
  private readonly engine: Engine;
  private readonly databases: PostgresDatabase[] = [];
  private readonly running = new Set<Process>();
  private bucket: S3Server | null = null;
  private backups = 0;

  private constructor(engine: Engine) {
    this.engine = engine;
  }

  static async make(engine: Engine, files: Files = 'disk'): Promise<Installation> {
    const made = new Installation(engine);
    await made.platform.start();
    if (engine === 'postgres') made.databases.push(await createPostgresDatabase());
    if (files === 's3') made.bucket = await startS3Server(made.clock);
    return made;
  }

  async remove(): Promise<void> {
    for (const process of this.running) await process.stop();
    for (const database of this.databases) await database.drop();
    await this.bucket?.stop();
    await this.platform.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** A process with everything but HTTP. */
  async open({ env = {}, ...overrides }: StartOptions = {}): Promise<Process> {
    const app = await openApp(this.config(env), this.parts(overrides));
    return this.asProcess(app, async (killed) => {
      if (!killed) await app.safety.signOff();
      await app.close();
    });
  }

  /** A process that answers requests. The test runs the worker's loops. */
  async start({ env = {}, ...overrides }: StartOptions = {}): Promise<Running> {
    const service = await startService(this.config(env), this.parts(overrides));
    const app = service.app as App;
    const process = this.asProcess(app, async (killed) => {
      if (killed) Object.assign(app.safety, { signOff: async () => {} });
      await service.stop();
    });
    return {
      ...process,
      url: service.url,
      request: (method, path, options = {}) => send(method, service.url + path, options),
    };
  }

  private asProcess(app: App, end: (killed?: 'killed') => Promise<void>): Process {
    const engine = createEngine(app);
    const process: Process = {
      app,
      async runOnce() {
        for (const kind of ['publish', 'transfer', 'poll'] as const) {
          await engine[kind]();
          await engine.idle();
        }
      },
      stop: async (killed) => {
        if (this.running.delete(process)) await end(killed);
      },
    };
    this.running.add(process);
    return process;
  }

  private parts(overrides: Overrides): Overrides {
    return { clock: this.clock, log: silentLog, database: assertChangeNotices, ...overrides };
  }

  private config(env: Record<string, string>) {
    return readConfig('api', { ...this.environment(), ...env });
  }

  /** The environment of a separate process on this installation. */
  environment(): Record<string, string> {
    const { bucket } = this;
    return {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://127.0.0.1:0',
      DATA_DIR: this.dir,
      ADMIN_TOKEN,
      ENCRYPTION_KEY: TEST_KEY,
      RATE_LIMIT: 'off',
      ALIVE_INTERVAL_MS: '3600000',
      ALIVE_DOUBT_MS: '0',
      SOCIAL_API_URL: this.platform.url,
      SOCIAL_CLIENT_KEY: CLIENT.client_key,
      SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
      SOCIAL_INITS_PER_MINUTE: '0',
      SOCIAL_POSTS_PER_DAY: '0',
      SCHEDULE_MIN_LEAD_SECONDS: '0',
      RECONCILE_INTERVAL_MS: '1000',
      ...(this.engine === 'postgres' ? { DATABASE_URL: (this.databases[0] as PostgresDatabase).url } : {}),
      ...(bucket
        ? {
            S3_BUCKET: bucket.bucket,
            S3_ENDPOINT: bucket.url,
            S3_REGION: bucket.region,
            S3_ACCESS_KEY_ID: bucket.accessKeyId,
            S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
          }
        : {}),
    };
  }

  /** A copy of the database as it is now. Nothing may be running. */
  async backUp(): Promise<() => Promise<void>> {
    const name = `backup-${++this.backups}`;
    if (this.engine === 'sqlite') {
      const [live, copy] = [join(this.dir, 'airdate.db'), join(this.dir, name)];
      const db = openSqlite(live);
      await db.close();
      copyFileSync(live, copy);
      return async () => {
        for (const ending of ['-wal', '-shm']) rmSync(live + ending, { force: true });
        copyFileSync(copy, live);
      };
    }
    const [live] = this.databases as [PostgresDatabase];
    const copy = await createPostgresDatabase({ copyOf: nameIn(live.url) });
    this.databases.push(copy);
    return async () => {
      await onCluster(live.url, `drop database ${nameIn(live.url)} with (force)`);
      await onCluster(live.url, `create database ${nameIn(live.url)} template ${nameIn(copy.url)}`);
    };
  }

  /** The same beside running processes, on SQLite: what has been committed by now. */
  copyNow(): () => Promise<void> {
    assert.equal(this.engine, 'sqlite');
    const [live, copy] = [join(this.dir, 'airdate.db'), join(this.dir, `backup-${++this.backups}`)];
    // In one tick: this process writes to neither file meanwhile.
    for (const ending of ['', '-wal']) copyFileSync(live + ending, copy + ending);
    return async () => {
      // Moves what the log has into the file.
      await openSqlite(copy).close();
      for (const ending of ['-wal', '-shm']) rmSync(live + ending, { force: true });
      copyFileSync(copy, live);
    };
  }

  /** The note as it is now; the function puts it back. */
  copyNote(): () => void {
    const file = join(this.dir, 'files', NOTE_KEY);
    const bytes = readFileSync(file);
    return () => writeFileSync(file, bytes);
  }

  /** As on a first start. Nothing may be running. */
  async emptyDatabase(): Promise<void> {
    if (this.engine === 'sqlite') return rmSync(join(this.dir, 'airdate.db'));
    const [live] = this.databases as [PostgresDatabase];
    await onCluster(live.url, `drop database ${nameIn(live.url)} with (force)`);
    await onCluster(live.url, `create database ${nameIn(live.url)}`);
  }

  /** The database alone, as a command opens it. */
  async withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const { db } = await openDatabase(this.config({}), silentLog);
    try {
      await migrate(db);
      return await work(db);
    } finally {
      await db.close();
    }
  }

  /** Copies the files too; the note is left out, as the guide says. */
  async backUpFiles(): Promise<() => void> {
    assert.equal(this.bucket, null);
    const [live, copy] = [join(this.dir, 'files'), join(this.dir, `files-${++this.backups}`)];
    cpSync(live, copy, { recursive: true });
    rmSync(join(copy, NOTE_KEY));
    return () => {
      rmSync(live, { recursive: true });
      cpSync(copy, live, { recursive: true });
    };
  }

  /** The names of all objects, without partial files. */
  async objects(): Promise<string[]> {
    if (this.bucket) return [...this.bucket.objects.keys()].sort();
    return (await filesIn(join(this.dir, 'files'))).filter((name) => !name.startsWith('drafts/'));
  }

  async removeNote(): Promise<void> {
    if (this.bucket) this.bucket.objects.delete(NOTE_KEY);
    else rmSync(join(this.dir, 'files', NOTE_KEY));
  }

  advance(ms: number): void {
    this.clock.advance(ms);
    this.platform.clock.advance(ms);
  }

  newOrganization({ url, app, request }: Running): Promise<Organization> {
    return createOrganization(url, app, request, {});
  }

  /** The same organization, at the URL of another process. */
  organizationIn({ url, app, request }: Running, org: Organization): Organization {
    return organizationAt(url, app, request, org);
  }

  /** How often each post is visible on the platform, by its title. */
  async visible(): Promise<Map<string, number>> {
    await until('the platform is done', async () =>
      (await this.ledger()).every(({ status }) => !status.startsWith('PROCESSING')),
    );
    const titles = (await this.ledger())
      .filter(({ status }) => status === 'PUBLISH_COMPLETE')
      .map(({ request }) => String(request.post_info?.title));
    return new Map(
      [...new Set(titles)].map((title) => [title, titles.filter((one) => one === title).length]),
    );
  }

  async ledger(): Promise<{ status: string; bytes: number; request: { post_info?: { title?: string } } }[]> {
    return this.platform.publishes();
  }
}

const nameIn = (url: string) => new URL(url).pathname.slice(1);

async function onCluster(url: string, sql: string): Promise<void> {
  const cluster = new URL(url);
  cluster.pathname = '/postgres';
  const client = new pg.Client({ connectionString: cluster.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** A post with one slide or a video, scheduled `inMs` from now. */
export async function book(
  installation: Installation,
  org: Organization,
  accountId: string,
  title: string,
  inMs: number,
  type: 'slides' | 'video' = 'slides',
): Promise<string> {
  const id = await org.addPost({ title, caption: title, post_type: type });
  await upload(org, id, type === 'video' ? 'tiny.mp4' : 'slide.jpg');
  if (type === 'video') await org.call('GET', `/api/v1/posts/${id}/assets`);
  const answer = await org.call('PATCH', `/api/v1/posts/${id}`, {
    status: 'scheduled',
    scheduled_at: at(installation.clock.now() + inMs),
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE',
  });
  assert.equal(answer.status, 200, answer.text);
  return id;
}
