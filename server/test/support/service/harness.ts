// A whole running service for tests: real HTTP, its own real database, and a clock the test can move.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Airdate } from '@airdate/sdk';
import type { App } from '../../../src/app/app.js';
import { CHILD_TIMES } from '../../../src/assets/media/children.js';
import { type Command, readConfig } from '../../../src/config/config.js';
import type { Log } from '../../../src/core/log.js';
import type { SocialAccountRow } from '../../../src/db/tables.js';
import { createTransactionGuard } from '../../../src/db/transaction-guard.js';
import type { Overrides } from '../../../src/open-app.js';
import { SEARCH_LIMITS } from '../../../src/posts/list/search.js';
import type { Server } from '../../../src/request/server.js';
import { startService } from '../../../src/service.js';
import { assertChangeNotices } from '../databases/change-notice-check.js';
import {
  createPostgresDatabase,
  createSqliteDatabase,
  type Engine,
  silentLog,
} from '../databases/fresh-databases.js';
import { type Answer, type RequestOptions, send } from './send.js';
import { demandToldCode } from './told-codes.js';

export const ADMIN_TOKEN = 'operator-token-for-tests-of-enough-length';

/** One key for all: services that share a database must share it. */
export const TEST_KEY = 'ab'.repeat(32);

// What a search finds must not depend on how busy the machine is; contracts/search-bounds sets limits of its own.
Object.assign(SEARCH_LIMITS, { ms: 60_000, statementMs: 60_000 });

// The processes that read files are started once, and not again after each pause between two files.
Object.assign(CHILD_TIMES, { idleMs: 600_000, slowMs: 10_000 });

/** Like the real clock, but it can be moved and stopped. */
export class TestClock {
  private offsetMs = 0;
  private stoppedAt: number | null = null;

  now(): number {
    return this.stoppedAt ?? Date.now() + this.offsetMs;
  }
  stopAt(ms: number): void {
    this.stoppedAt = ms;
  }
  advance(ms: number): void {
    if (this.stoppedAt === null) this.offsetMs += ms;
    else this.stoppedAt += ms;
  }
  resume(): void {
    this.stoppedAt = null;
    this.offsetMs = 0;
  }
}

export interface Organization {
  id: string;
  key: string;
  /** The public SDK client. */
  sdk: Airdate;
  /** Raw HTTP with the organization's key, for requests that the client would not send. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A key with these scopes only. */
  keyWith(scopes: string[], more?: { expires_at?: string }): Promise<string>;
  /** A connected account, written directly to the database. */
  addAccount(status?: SocialAccountRow['status']): Promise<string>;
  /** A really connected account, through the consent page of the service's platform. */
  connectAccount(username?: string): Promise<string>;
  /** A draft, by its id. */
  addPost(fields?: Record<string, unknown>): Promise<string>;
}

export interface TestService {
  url: string;
  app: App;
  server: Server;
  clock: TestClock;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  newOrganization(fields?: { plan?: string; trial_days?: number; name?: string }): Promise<Organization>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  command?: Command;
  env?: Record<string, string>;
  log?: Log;
  /** Around the real ones: counts and fail points. */
  connector?: Overrides['connector'];
  connectors?: Overrides['connectors'];
  database?: Overrides['database'];
  store?: Overrides['store'];
}

export async function startTestService(engine: Engine, options: ServiceOptions = {}): Promise<TestService> {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-test-'));
  const database = engine === 'postgres' ? await createPostgresDatabase() : null;
  if (engine === 'sqlite') await createSqliteDatabase(dir);
  const clock = new TestClock();
  const config = readConfig(options.command ?? 'serve', {
    PORT: '0',
    HOST: '127.0.0.1',
    // Unknown until it listens. A test whose worker publishes for another process names that process instead.
    PUBLIC_URL: 'http://127.0.0.1:0',
    DATA_DIR: dir,
    ADMIN_TOKEN,
    ENCRYPTION_KEY: TEST_KEY,
    RATE_LIMIT: 'off',
    DEMO: 'off',
    // For tests with the URL of a public site.
    SANDBOX_PUBLIC: 'on',
    // A background write would disturb tests that count or control writes.
    ALIVE_INTERVAL_MS: '600000',
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...options.env,
  });
  const service = await startService(config, {
    clock,
    log: options.log ?? silentLog,
    guard: createTransactionGuard(),
    // No test asks a name server; a worker that sends to example.com finds no such host.
    resolve: async () => [],
    ...(options.connector ? { connector: options.connector } : {}),
    ...(options.connectors ? { connectors: options.connectors } : {}),
    ...(options.store ? { store: options.store } : {}),
    database: (real) => assertChangeNotices(options.database?.(real) ?? real),
  });
  const app = service.app as App;
  const request = async (method: string, path: string, more: RequestOptions = {}) => {
    const answer = await send(method, service.url + path, more);
    // A worker has none of the operations.
    if (config.command !== 'worker') demandToldCode(method, service.url + path, answer);
    return answer;
  };
  return {
    url: service.url,
    app,
    server: service.server,
    clock,
    request,
    newOrganization: (fields = {}) => createOrganization(service.url, app, request, fields),
    async stop() {
      await service.stop();
      await database?.drop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A service for all tests of a describe block. Read it inside the tests, not while they are defined. */
export function useService(
  engine: Engine,
  /** A function if some of it is known only when the tests run. */
  options: ServiceOptions | (() => ServiceOptions) = {},
): TestService {
  let running: TestService | undefined;
  before(async () => {
    running = await startTestService(engine, typeof options === 'function' ? options() : options);
  });
  after(() => running?.stop());
  return new Proxy({} as TestService, {
    get: (_target, name) => {
      if (!running) throw new Error('the service runs only while tests run');
      return running[name as keyof TestService];
    },
  });
}

export async function createOrganization(
  url: string,
  app: App,
  request: TestService['request'],
  fields: { plan?: string; trial_days?: number; name?: string },
): Promise<Organization> {
  const { id } = await asOperator(request, '', { name: 'Test organization', plan: 'growth', ...fields });
  const { key } = await asOperator(request, `/${id}/keys`, { name: 'Test key' });
  return organizationAt(url, app, request, { id, key });
}

async function asOperator(request: TestService['request'], path: string, body: unknown) {
  const answer = await request('POST', `/api/admin/v1/organizations${path}`, { key: ADMIN_TOKEN, body });
  if (answer.status !== 201) throw new Error(`the operator API answered ${answer.status}: ${answer.text}`);
  return answer.json.data;
}

/** An existing organization, at this URL. */
export function organizationAt(
  url: string,
  app: App,
  request: TestService['request'],
  { id, key }: Pick<Organization, 'id' | 'key'>,
): Organization {
  const call: Organization['call'] = (method, path, body, headers) =>
    request(method, path, { key, body, ...(headers ? { headers } : {}) });
  return {
    id,
    key,
    // A test sees each response, and decides itself what is repeated.
    sdk: new Airdate({ url, apiKey: key, maxRetries: 0 }),
    call,
    async keyWith(scopes, more = {}) {
      const body = { name: 'Narrow key', scopes, ...more };
      return (await asOperator(request, `/${id}/keys`, body)).key;
    },
    async addAccount(status = 'connected') {
      const now = app.clock.now();
      const account = {
        org_id: id,
        id: app.newId(),
        username: `creator.${randomBytes(3).toString('hex')}`,
        display_name: 'A creator',
        status,
        created_at: now,
        updated_at: now,
      };
      await app.db.transact((tx) => tx.insertInto('social_accounts').values(account).execute());
      return account.id;
    },
    async connectAccount(username = `creator.${randomBytes(3).toString('hex')}`) {
      const { json } = await call('POST', '/api/v1/social-accounts/connect');
      const back = await consent(json.data.authorize_url, { decision: 'allow', username });
      const ending = await send('GET', back, {});
      if (ending.status !== 200) throw new Error(`connecting ended in ${ending.status}: ${ending.text}`);
      const account = await app.db.read
        .selectFrom('social_accounts')
        .select('id')
        .where('org_id', '=', id)
        .where('username', '=', username)
        .executeTakeFirstOrThrow();
      return account.id;
    },
    async addPost(post = {}) {
      const answer = await call('POST', '/api/v1/posts', { title: 'A post', ...post });
      if (answer.status !== 201) throw new Error(`creating a post answered ${answer.status}: ${answer.text}`);
      return answer.json.data.id;
    },
  };
}

/** Submits the platform's consent page, as its form does; returns the URL it redirects to. */
export async function consent(
  authorizeUrl: string,
  form: Record<string, string> | [string, string][],
): Promise<string> {
  const { status, headers, text } = await send('POST', authorizeUrl, {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const location = headers.get('location');
  if (status !== 302 || location === null) throw new Error(`the consent page answered ${status}: ${text}`);
  return location;
}
