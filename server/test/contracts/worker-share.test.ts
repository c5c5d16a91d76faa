// In a process that serves requests and runs the worker, requests cannot use up the worker's connections.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { until } from '../support/runner/until.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';
import type { Answer } from '../support/service/send.js';

describe('A worker beside requests on Postgres', () => {
  let service: TestService;
  let org: Organization;
  let watcher: pg.Client;
  before(async () => {
    // Two for requests, one for the worker.
    service = await startTestService('postgres', { env: { DATABASE_POOL_SIZE: '3' } });
    org = await service.newOrganization();
    watcher = new pg.Client({ connectionString: String(service.app.config.databaseUrl) });
    await watcher.connect();
  });
  after(async () => {
    await watcher?.end();
    await service?.stop();
  });

  it('the worker keeps its connections while requests exhaust the rest of the pool', async () => {
    const beats = async () => {
      const { rows } = await watcher.query('select max(heartbeat_at)::float8 as at from workers');
      return rows[0].at as number | null;
    };
    await until('the worker has begun', async () => (await beats()) !== null);
    let isReleased = false;
    let begun = 0;
    // As many as there are connections: two of them are for requests, so the third waits in vain.
    const taken = Promise.allSettled(
      [1, 2, 3].map(() =>
        service.app.db.transact(async (tx) => {
          begun++;
          // Never idle for long: Postgres would end it.
          while (!isReleased) {
            await sql`select 1`.execute(tx);
            await delay(20);
          }
        }),
      ),
    );
    const waiting: Promise<Answer>[] = [];
    try {
      await until('they have taken what they can', () => begun >= 2);
      for (let n = 0; n < 5; n++) waiting.push(org.call('GET', '/api/v1/posts'));
      const before = Number(await beats());
      await until('the worker gives another sign', async () => Number(await beats()) > before);
    } finally {
      isReleased = true;
    }
    await taken;
    for (const { status } of await Promise.all(waiting)) assert.ok(status === 200 || status === 503);
    assert.equal((await org.call('GET', '/api/v1/posts')).status, 200);
  });

  it('never opens more connections together than DATABASE_POOL_SIZE, and one that listens', async () => {
    const { db, workerDb } = service.app;
    const sleep = () => sql`select pg_sleep(0.05)`.execute(db.read as never);
    const sleepInBackground = () => sql`select pg_sleep(0.05)`.execute(workerDb.read as never);
    await Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 ? sleep() : sleepInBackground())));
    const { rows } = await watcher.query(
      `select application_name as name, count(*)::int as n from pg_stat_activity
       where datname = current_database() and application_name like 'airdate%' group by 1 order by 1`,
    );
    assert.deepEqual(rows, [
      { name: 'airdate', n: 3 },
      { name: 'airdate listener', n: 1 },
    ]);
  });
});
