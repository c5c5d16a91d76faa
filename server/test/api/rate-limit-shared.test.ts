// Limits that several processes count together, on a real Redis.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../support/databases/postgres.js';
import { startTestService, type TestService } from '../support/service/harness.js';
import { scrape } from '../support/service/metrics.js';

const found = spawnSync('redis-server', ['--version']).status === 0;
// In a full run a missing server is a failure; otherwise the test is skipped with a notice.
const skip = !found && !process.env.CI && 'redis-server is not installed, so shared limits were not tried';

describe('rate limits of processes that share a Redis', { skip }, () => {
  let dir: string;
  let server: ChildProcess;
  let url: string;
  const services: TestService[] = [];

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-redis-'));
    const port = await freePort();
    server = spawn(
      'redis-server',
      // As in deploy/compose.
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir, '--requirepass', 'word'],
      {
        stdio: 'ignore',
      },
    );
    url = `redis://:word@127.0.0.1:${port}`;
    await untilRedisAnswers(url, server);
    const env = { RATE_LIMIT: 'on', RATE_LIMIT_PER_MINUTE: '6', REDIS_URL: url };
    for (let i = 0; i < 2; i++) services.push(await startTestService('sqlite', { env }));
  });
  after(async () => {
    for (const service of services) await service.stop();
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    rmSync(dir, { recursive: true, force: true });
  });

  it('are counted together, and requests pass when Redis is gone', async (t) => {
    // One moment for all requests: the minute must not turn while they are counted.
    const now = Date.now();
    t.mock.method(Date, 'now', () => now);
    const [first, second] = services as [TestService, TestService];
    const isShared = () => !first.app.rates.isLocal() && !second.app.rates.isLocal();
    const askFor = async (count: number, key: string) => {
      const statuses: number[] = [];
      for (let i = 0; i < count; i++)
        statuses.push((await (i % 2 === 0 ? first : second).request('GET', '/api/v1/me', { key })).status);
      return statuses;
    };
    let org: Awaited<ReturnType<TestService['newOrganization']>>;
    let statuses: number[];
    do {
      // A service listens before it is connected to Redis, and an answer late by a quarter of a second is not waited
      // for: on a busy machine either makes it count by itself, and the round says nothing of Redis.
      while (!isShared()) await delay(20);
      org = await first.newOrganization();
      // The same organization and key in the other database: what they share is Redis alone.
      await copyOrganization(first, second, org.id);
      statuses = await askFor(8, org.key);
    } while (!isShared());
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429]);
    const ask = (service: TestService) => service.request('GET', '/api/v1/me', { key: org.key });

    server.kill('SIGSTOP');
    assert.equal((await ask(first)).status, 200);
    assert.equal(first.app.rates.isLocal(), true, 'the next requests do not wait for Redis');
    assert.equal(second.app.rates.isLocal(), false);
    const shown = async (service: TestService) => (await scrape(service.url)).value('airdate_limiter_local');
    assert.deepEqual([await shown(first), await shown(second)], [1, 0]);
    server.kill('SIGCONT');
    const real = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => real() + 60_000);
    assert.equal(first.app.rates.isLocal(), false, 'after some seconds it tries again');

    // A Redis without memory refuses to count, and evicts nothing: each process counts by itself, and never stops counting.
    const redis = new Redis(url);
    await redis.config('SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction');
    redis.disconnect();
    const alone: number[] = [];
    for (let i = 0; i < 8; i++) alone.push((await ask(second)).status);
    assert.deepEqual(alone, [200, 200, 200, 200, 200, 200, 429, 429]);
    assert.equal(second.app.rates.isLocal(), true);

    server.kill('SIGKILL');
    await once(server, 'exit');
    assert.equal((await ask(first)).status, 200);
  });
});

async function copyOrganization(from: TestService, to: TestService, orgId: string): Promise<void> {
  const organization = await from.app.db.read
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow();
  const keys = await from.app.db.read
    .selectFrom('api_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .execute();
  await to.app.db.transact(async (tx) => {
    await tx.insertInto('organizations').values(organization).execute();
    await tx.insertInto('api_keys').values(keys).execute();
  });
}

async function untilRedisAnswers(url: string, server: ChildProcess): Promise<void> {
  while (server.exitCode === null) {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.ping();
      return;
    } catch {
      await delay(20);
    } finally {
      client.disconnect();
    }
  }
  throw new Error('redis-server ended before it answered');
}
