// The programs of the proof of a rush: a platform, the service as one process or as two, and a neighbour at work.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { App } from '../../../src/app/app.js';
import { SCOPES } from '../../../src/app/scopes.js';
import { bySystem } from '../../../src/audit/record.js';
import { readConfig } from '../../../src/config/config.js';
import { createKey } from '../../../src/identity/keys/keys.js';
import { openApp } from '../../../src/open-app.js';
import {
  createPostgresDatabase,
  type Engine,
  type PostgresDatabase,
  silentLog,
} from '../../support/databases/fresh-databases.js';
import { clientAt } from '../../support/hostile/tenant-client.js';
import { type Program, startProgram } from '../../support/programs/start-program.js';
import { TEST_KEY } from '../../support/service/harness.js';
import { addDuePosts, type Owner, ownerOfAccounts } from '../../support/world/due-posts.js';

export const SHAPES = ['serve', 'api and worker'] as const;
type Shape = (typeof SHAPES)[number];

const ACCOUNTS = 100;

interface Parts {
  dir: string;
  database: PostgresDatabase | undefined;
  programs: Program[];
  app: App;
  /** One organization with many accounts. */
  model: Owner;
  neighbour: Owner;
  key: string;
}

export class RushService {
  private readonly parts: Parts;
  private readonly call = clientAt('127.0.0.1');

  private constructor(parts: Parts) {
    this.parts = parts;
  }

  get app(): App {
    return this.parts.app;
  }

  get model(): Owner {
    return this.parts.model;
  }

  get neighbour(): Owner {
    return this.parts.neighbour;
  }

  static async open(engine: Engine, shape: Shape): Promise<RushService> {
    const dir = mkdtempSync(join(tmpdir(), 'airdate-rush-'));
    const database = engine === 'postgres' ? await createPostgresDatabase() : undefined;
    const sandbox = await startProgram('sandbox', { DATA_DIR: dir, SANDBOX_PROCESSING_MS: '0' });
    const env = {
      DATA_DIR: dir,
      ENCRYPTION_KEY: TEST_KEY,
      SOCIAL_API_URL: sandbox.url,
      SOCIAL_INITS_PER_MINUTE: '0',
      SOCIAL_POSTS_PER_DAY: '0',
      LOG_LEVEL: 'error',
      ...(database ? { DATABASE_URL: database.url } : {}),
    };
    const front = await startProgram(shape === 'serve' ? 'serve' : 'api', env);
    const worker = shape === 'serve' ? [] : [await startProgram('worker', { ...env, PUBLIC_URL: front.url })];
    const app = await openApp(readConfig('serve', { ...env, PUBLIC_URL: front.url }), { log: silentLog });
    const model = await ownerOfAccounts(app, ACCOUNTS);
    const neighbour = await ownerOfAccounts(app, 1);
    const caller = {
      orgId: neighbour.orgId,
      scopes: new Set(SCOPES),
      plan: 'agency' as const,
      quotas: null,
      actor: bySystem(neighbour.orgId),
    };
    const { key } = await app.db.transact((tx) => createKey(app, tx, caller, { name: 'reads' }));
    return new RushService({
      dir,
      database,
      programs: [front, ...worker, sandbox],
      app,
      model,
      neighbour,
      key,
    });
  }

  async close(): Promise<void> {
    const { app, programs, database, dir } = this.parts;
    await app.close();
    for (const program of programs) await program.kill();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  }

  /** How long a list of posts takes the neighbour. */
  async read(): Promise<number> {
    const began = performance.now();
    const { programs, key } = this.parts;
    const { status } = await this.call('GET', `${programs[0]?.url}/api/v1/posts?per_page=20`, { key });
    if (status !== 200) throw new Error(`the neighbour got ${status}`);
    return performance.now() - began;
  }

  async addNeighbourPost(slot: number, picture: Buffer): Promise<void> {
    await addDuePosts(this.app, this.neighbour, { posts: 1, slot: () => slot, picture, name: 'neighbour' });
  }

  /** As Postgres does by itself, except in the tests' cluster. Without them it goes through all attempts of an organization for one. */
  async gatherStatistics(): Promise<void> {
    if (this.parts.database) await this.app.db.transact((tx) => sql`analyze`.execute(tx));
  }

  /** Of the posts that were due at this moment: how many the platform has accepted, when the last of them, and how many have ended. */
  async progress(slot: number): Promise<{ accepted: number; ended: number; last: number }> {
    const { accepted, ended, last } = await this.app.db.read
      .selectFrom('dispatches')
      .select((eb) => [
        eb.fn.countAll<number>().as('accepted'),
        eb.fn.count<number>('finished_at').as('ended'),
        eb.fn.max('accepted_at').as('last'),
      ])
      .where('scheduled_for', '=', slot)
      .where('accepted_at', 'is not', null)
      .executeTakeFirstOrThrow();
    return { accepted: Number(accepted), ended: Number(ended), last: Number(last) };
  }
}
