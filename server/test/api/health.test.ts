import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { MADE_BEFORE_RELEASE } from '../../src/db/migrate.js';
import { createPostgresDatabase, type PostgresDatabase } from '../support/databases/fresh-databases.js';
import { freePort } from '../support/databases/postgres.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, startTestService, type TestService, useService } from '../support/service/harness.js';
import { type Answer, send } from '../support/service/send.js';

const PLATFORM = { SOCIAL_API_URL: 'http://127.0.0.1:9/sandbox' };

function isNotReady({ status, json }: Answer, check: string): string {
  assert.equal(status, 503);
  assert.equal(json.status, 'not_ready');
  assert.ok(json.checks[check], JSON.stringify(json));
  assert.notEqual(json.checks[check], 'ok');
  return json.checks[check];
}

onEngines('sqlite', 'health', (engine) => {
  const service = useService(engine);
  const ready = () => service.request('GET', '/readyz');
  const run = (sql: string) => service.app.db.withMigrationLock((_tx, execute) => execute(sql));

  it('GET /healthz: alive, without a key', async () => {
    const { status, json } = await service.request('GET', '/healthz');
    assert.equal(status, 200);
    assert.deepEqual(json, { status: 'alive' });
  });

  it('GET /readyz: ready when the database answers, migrations are done and the loops are alive', async () => {
    const { status, json } = await ready();
    assert.equal(status, 200);
    const safety = { safe_mode: false, safe_mode_reason: null };
    assert.deepEqual(json, { status: 'ready', checks: { database: 'ok', worker: 'ok' }, ...safety });
  });

  it('GET /readyz: 503 with the reason when this version does not work on the schema', async () => {
    for (const [away, back, reason] of [
      ['version = version + 100, works_from = 9999', 'version = version - 100, works_from = 0', /newer/],
      ['version = version - 100', 'version = version + 100', /lacks/],
    ] as const) {
      await run(`update schema_migrations set ${away}`);
      assert.match(isNotReady(await ready(), 'database'), reason);
      await run(`update schema_migrations set ${back}`);
      assert.equal((await ready()).status, 200);
    }
  });

  it('GET /readyz: 503 if a version before the first release made the database', async () => {
    for (const [away, back] of [
      [
        "update schema_migrations set name = 'foundation'",
        "update schema_migrations set name = 'first schema'",
      ],
      // Its oldest did not have the column.
      [
        'alter table schema_migrations rename column works_from to gone',
        'alter table schema_migrations rename column gone to works_from',
      ],
    ] as const) {
      await run(away);
      assert.equal(isNotReady(await ready(), 'database'), MADE_BEFORE_RELEASE);
      await run(back);
      assert.equal((await ready()).status, 200);
    }
  });

  it('GET /readyz: ready on the schema of a newer version that works with this one', async () => {
    await run('update schema_migrations set version = version + 100');
    assert.equal((await ready()).status, 200);
    await run('update schema_migrations set version = version - 100');
  });

  it('GET /readyz: 503 with the reason when the database does not answer; /healthz stays 200', async () => {
    await run('alter table schema_migrations rename to away');
    const answer = await ready();
    assert.match(isNotReady(answer, 'database'), /answer/);
    assert.doesNotMatch(answer.text, /sql|relation|table|away/i);
    assert.equal((await service.request('GET', '/healthz')).status, 200);
    await run('alter table away rename to schema_migrations');
    assert.equal((await ready()).status, 200);
  });

  it('GET /readyz: 503 with the reason when the loops have no fresh heartbeat', async (t) => {
    const real = performance.now.bind(performance);
    const mock = t.mock.method(performance, 'now', () => real() + 3_600_000);
    assert.match(isNotReady(await ready(), 'worker'), /heartbeat/);
    mock.mock.restore();
    assert.equal((await ready()).status, 200);
  });

  it('GET /metrics: Prometheus text with route patterns, and no ids', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await org.call('GET', `/api/v1/posts/${id}?x=secret-query`);
    await org.call('GET', `/api/v1/posts/${id}`);
    await org.call('DELETE', `/api/v1/posts/${id}`);
    await service.request('GET', `/nowhere/${id}`);
    // A response is counted just after it is sent.
    let text = '';
    await until('the last request is counted', async () => {
      const answer = await service.request('GET', '/metrics');
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      text = answer.text;
      return /route="unknown",status="404"/.test(text);
    });
    assert.match(text, /^# TYPE http_request_duration_seconds histogram$/m);
    assert.match(text, /_count\{method="GET",route="\/api\/v1\/posts\/:id",status="200"\} \d+/);
    assert.match(text, /_count\{method="DELETE",route="\/api\/v1\/posts\/:id",status="204"\} 1/);
    for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
      assert.match(line, /^[a-z_]+(\{([a-z]+="[^"]*",?)*\})? [\d.e+-]+$/);
    for (const word of [id, org.id, org.key, 'secret-query', 'nowhere'])
      assert.ok(!text.includes(word), word);
  });

  it('GET /metrics: beyond this machine only with METRICS_TOKEN, or on METRICS_PORT', async () => {
    const PUBLIC_URL = 'https://airdate.example.com';
    const METRICS_TOKEN = 'metrics-token-of-enough-characters';
    const statuses = async (env: Record<string, string>, ...keys: string[]) => {
      const started = await startTestService('sqlite', { env });
      try {
        const answers = keys.map((key) => started.request('GET', '/metrics', key ? { key } : {}));
        return (await Promise.all(answers)).map(({ status }) => status);
      } finally {
        await started.stop();
      }
    };
    assert.deepEqual(await statuses({ PUBLIC_URL }, '', METRICS_TOKEN), [404, 404]);
    assert.deepEqual(
      await statuses({ PUBLIC_URL, METRICS_TOKEN }, '', 'wrong', METRICS_TOKEN),
      [401, 401, 200],
    );
    assert.deepEqual(await statuses({ METRICS_TOKEN }, '', METRICS_TOKEN), [401, 200]);

    const port = await freePort();
    const started = await startTestService('sqlite', { env: { PUBLIC_URL, METRICS_PORT: String(port) } });
    try {
      assert.equal((await started.request('GET', '/metrics')).status, 404);
      const monitor = (path: string) => send('GET', `http://127.0.0.1:${port}${path}`, {});
      assert.match((await monitor('/metrics')).text, /^# HELP /m);
      for (const path of ['/', '/healthz', '/api/v1/posts'])
        assert.equal((await monitor(path)).status, 404, path);
    } finally {
      await started.stop();
    }
  });

  it('GET /openapi.json: an OpenAPI 3.1 document with every route of the specification', async () => {
    const { status, json } = await service.request('GET', '/openapi.json');
    assert.equal(status, 200);
    assert.match(json.openapi, /^3\.1\./);
    for (const [path, ...methods] of [
      ['/api/v1/posts', 'get', 'post'],
      ['/api/v1/posts/batch', 'patch'],
      ['/api/v1/posts/{id}', 'get', 'patch', 'delete'],
      ['/api/v1/analytics', 'get'],
      ['/api/v1/me', 'get'],
      ['/api/v1/keys', 'get', 'post'],
      ['/api/v1/keys/{id}', 'delete'],
      ['/api/admin/v1/organizations', 'get', 'post'],
    ] as const)
      for (const method of methods) assert.ok(json.paths[path]?.[method], `${method} ${path}`);
  });

  it('GET /docs: a page that loads nothing from other hosts', async () => {
    const page = await service.request('GET', '/docs');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
    assert.ok(parts.some((part) => part.endsWith('.js')) && parts.some((part) => part.endsWith('.css')));
    for (const part of parts) {
      const address = new URL(part, `${service.url}/docs`);
      assert.equal(address.origin, service.url, part);
      const { status, text } = await service.request('GET', address.pathname);
      assert.equal(status, 200, part);
      assert.ok(text.length > 0, part);
    }
    assert.doesNotMatch(page.text, /(https?:)?\/\/[a-z0-9-]+\.[a-z]/i);
  });

  it('GET /docs: the page may run its scripts, use its styles and fetch the document', async () => {
    const page = await service.request('GET', '/docs');
    const policy = new Map(
      (page.headers.get('content-security-policy') ?? '').split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(/\s+/);
        return [name, sources];
      }),
    );
    for (const kind of ['script-src', 'style-src', 'connect-src', 'img-src']) {
      const sources = policy.get(kind) ?? policy.get('default-src') ?? ['*'];
      assert.ok(sources.includes("'self'") || sources.includes('*'), `${kind}: ${sources.join(' ')}`);
    }
  });
});

onEngines('sqlite', 'health of the other processes', (engine) => {
  const service = useService(engine, { command: 'api', env: PLATFORM });

  /** Another process on the same database. */
  function beside(command: 'serve' | 'worker'): Promise<TestService> {
    const { dataDir, databaseUrl } = service.app.config;
    const env = { ...PLATFORM, DATA_DIR: dataDir, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}) };
    return startTestService(engine, { command, env });
  }

  it('api reports the workers, and is ready without them', async () => {
    const workers = async () => {
      const { status, json } = await service.request('GET', '/readyz');
      assert.equal(status, 200);
      assert.equal(json.checks.database, 'ok');
      return json.checks.workers as string;
    };
    assert.equal(await workers(), '0 alive');
    const worker = await beside('worker');
    try {
      await until('the worker is seen', async () => (await workers()) === '1 alive');
      service.clock.advance(3_600_000);
      assert.equal(await workers(), '0 alive', 'one that was not heard of for long is gone');
      service.clock.resume();
    } finally {
      await worker.stop();
    }
    assert.equal(await workers(), '0 alive', 'one that stopped in order says good-bye');
  });

  it('worker answers the three health routes and nothing else', async () => {
    const worker = await beside('worker');
    try {
      assert.equal((await worker.request('GET', '/healthz')).status, 200);
      assert.deepEqual((await worker.request('GET', '/readyz')).json.checks, {
        database: 'ok',
        worker: 'ok',
      });
      assert.equal((await worker.request('GET', '/metrics')).status, 200);
      for (const path of ['/api/v1/posts', '/openapi.json', '/docs', '/'])
        assert.equal((await worker.request('GET', path)).status, 404, path);
    } finally {
      await worker.stop();
    }
  });

  it('sandbox answers the three health routes', async () => {
    const sandbox = await startTestService(engine, { command: 'sandbox' });
    try {
      for (const path of ['/healthz', '/readyz', '/metrics'])
        assert.equal((await sandbox.request('GET', path)).status, 200, path);
    } finally {
      await sandbox.stop();
    }
  });
});

/** The connection between the service and its Postgres, which a test can freeze and cut. */
class Line {
  private readonly target: URL;
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  private port = 0;
  private silent = false;

  constructor(target: string) {
    this.target = new URL(target);
  }

  /** Forwards everything, at the same address as before. */
  async open(): Promise<string> {
    this.silent = false;
    await this.listen();
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Accepts connections and forwards nothing. */
  async openSilently(): Promise<void> {
    this.silent = true;
    await this.listen();
  }

  /** Bytes sent from now on do not arrive, also on new connections. */
  freeze(): void {
    this.silent = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Ends all connections and accepts no more. */
  async cut(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
    const { server } = this;
    this.server = null;
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  private async listen(): Promise<void> {
    this.server = createServer((here) => this.carry(here)).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as { port: number }).port;
  }

  private carry(here: Socket): void {
    this.sockets.add(here.on('error', () => {}));
    if (this.silent) return;
    const there = dial(Number(this.target.port), this.target.hostname);
    this.sockets.add(there.on('error', () => {}));
    here.pipe(there).pipe(here);
  }
}

describe('when Postgres is unreachable', () => {
  let database: PostgresDatabase;
  let line: Line;
  let service: TestService;

  before(async () => {
    database = await createPostgresDatabase();
    line = new Line(database.url);
    const env = { ...PLATFORM, DATABASE_URL: await line.open() };
    service = await startTestService('postgres', { command: 'api', env });
  });
  after(async () => {
    await service?.stop();
    await line?.cut();
    await database?.drop();
  });

  function isUnavailable({ status, json, headers, text }: Answer): void {
    assert.equal(status, 503, text);
    assert.equal(json.code, 'unavailable');
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.doesNotMatch(text, /ECONN|127\.0\.0\.1|postgres|terminated|timeout|socket/i);
  }

  const isReady = async () => (await service.request('GET', '/readyz')).status === 200;

  it('requests get 503 with Retry-After, /readyz says why, /healthz stays 200, and the service recovers afterwards', async () => {
    const org = await service.newOrganization();
    await line.cut();
    assert.match(isNotReady(await service.request('GET', '/readyz'), 'database'), /answer/);
    assert.equal((await service.request('GET', '/healthz')).status, 200);
    isUnavailable(await org.call('GET', '/api/v1/posts'));
    isUnavailable(await org.call('POST', '/api/v1/posts', { title: 'A post' }));
    await line.open();
    await until('ready again', isReady);
    assert.equal((await org.call('GET', '/api/v1/posts')).json.pagination.total, 0);
  });

  /** Cuts the connection while requests wait for the database, and returns their responses. */
  async function cutUnderWay(ask: () => Promise<Answer>): Promise<Answer[]> {
    line.freeze();
    const underWay = Array.from({ length: 5 }, ask);
    // Nothing shows from outside that they wait, but the response to a later request shows that they were read.
    await service.request('GET', '/healthz');
    await line.cut();
    const answers = await Promise.all(underWay);
    await line.open();
    await until('ready again', isReady);
    return answers;
  }

  it('open requests get 503 too when the connection is cut', async () => {
    const org = await service.newOrganization();
    for (const answer of await cutUnderWay(() => org.call('GET', '/api/v1/me'))) isUnavailable(answer);
  });

  it('the process survives a connection that is cut during requests', async () => {
    const fatal: unknown[] = [];
    const note = (error: unknown) => fatal.push(error);
    process.on('uncaughtException', note);
    try {
      const ask = (method: string, body?: unknown) =>
        service.request(method, '/api/admin/v1/organizations', { key: ADMIN_TOKEN, body });
      await cutUnderWay(() => ask('GET'));
      await cutUnderWay(() => ask('POST', { name: 'Cut off', plan: 'starter' }));
    } finally {
      process.off('uncaughtException', note);
    }
    assert.deepEqual(fatal, []);
  });

  it('/readyz asks a database that hangs one question at a time, and all calls get its answer', async () => {
    await until('ready', isReady);
    const sent: Statement[] = [];
    const restore = statementsOf('postgres', sent);
    try {
      line.freeze();
      const together = await Promise.all(Array.from({ length: 8 }, () => service.request('GET', '/readyz')));
      for (const answer of [...together, await service.request('GET', '/readyz')])
        assert.match(isNotReady(answer, 'database'), /within 2 seconds/);
    } finally {
      restore();
    }
    assert.equal(sent.filter(({ text }) => text.includes('schema_migrations')).length, 1);
    await line.cut();
    await line.open();
    await until('ready again', isReady);
  });

  it('requests get 503 even when connections are accepted and never answered', async () => {
    const org = await service.newOrganization();
    await line.cut();
    // Until the service has noticed that all its connections are gone, a request may fail for that instead.
    for (let i = 0; i < 20; i++) await org.call('GET', '/api/v1/me');
    await line.openSilently();
    const answer = await org.call('GET', '/api/v1/me');
    await line.cut();
    await line.open();
    await until('ready again', isReady);
    isUnavailable(answer);
  });
});
