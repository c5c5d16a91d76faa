// Events and change notices between writers and processes: none comes late, none is missing, and a listener in any process
// gets every change.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import type { App } from '../../src/app/app.js';
import { type Change, type Listener, markChanged } from '../../src/db/changes.js';
import { recordEvent } from '../../src/events/record.js';
import { openApp } from '../../src/open-app.js';
import { createPost } from '../../src/posts/create.js';
import type { CallerWithAddress } from '../../src/request/caller.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { eventsOf, Stream } from '../support/service/event-streams.js';
import {
  type Organization,
  startTestService,
  type TestService,
  useService,
} from '../support/service/harness.js';
import { UNKNOWN_ID } from '../support/service/posts.js';

const record = (app: App, org: Organization, n: number) =>
  app.db.transact((tx) =>
    recordEvent(tx, org.id, 'webhook.disabled', app.clock.now(), {
      webhook_id: UNKNOWN_ID,
      reason: String(n),
    }),
  );

/** A second App on the same database, like another process. */
async function another(t: TestContext, { app, clock }: TestService): Promise<App> {
  const other = await openApp(app.config, { clock, log: silentLog });
  t.after(() => other.close());
  return other;
}

class TestListener implements Listener {
  readonly heard: Change[] = [];
  gaps = 0;
  changed(change: Change): void {
    this.heard.push(change);
  }
  missed(): void {
    this.gaps++;
  }
}

onEngines('both', 'Events', (engine) => {
  const service = useService(engine);

  it('are numbered without gaps, with concurrent writers and rolled back transactions', async () => {
    const { app } = service;
    const org = await service.newOrganization();
    const writers = Array.from({ length: 40 }, async (_, n) => {
      if (n % 4 !== 0) return record(app, org, n);
      const undone = app.db.transact(async (tx) => {
        await recordEvent(tx, org.id, 'post.deleted', 0, { post_id: UNKNOWN_ID });
        throw new Error('undone');
      });
      return assert.rejects(undone, /undone/);
    });
    await Promise.all(writers);
    const rows = await app.db.read
      .selectFrom('events')
      .select('seq')
      .where('org_id', '=', org.id)
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
  });

  it('never come late: a reader that keeps reading while others write gets them all, in order', async () => {
    const { app } = service;
    const org = await service.newOrganization();
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) await record(app, org, 10 * writer + i);
      }),
    ).finally(() => {
      writing = false;
    });
    const seen: string[] = [];
    for (let last = false; !last; ) {
      last = !writing;
      const next = await eventsOf(org, seen.length === 0 ? {} : { after: seen.at(-1) as string });
      seen.push(...next.map(({ id }) => id));
    }
    await writers;
    assert.deepEqual(
      seen,
      (await eventsOf(org)).map(({ id }) => id),
    );
    assert.equal(seen.length, 60);
  });

  it('announce a change after its commit, and none that was rolled back', async (t) => {
    const { app } = service;
    const listener = new TestListener();
    t.after(await app.db.listen(listener));
    const org = await service.newOrganization();
    const failed = app.db.transact(async (tx) => {
      markChanged(tx, org.id, { posts: ['undone'] });
      throw new Error('undone');
    });
    await assert.rejects(failed, /undone/);
    const caller = { orgId: org.id, plan: 'growth', quotas: null } as CallerWithAddress;
    const { id } = await app.db.transact((tx) => createPost(app, tx, caller, { title: 'A post' }));
    await until('it is heard', () => listener.heard.some(({ posts }) => posts.has(id)));
    assert.ok(!listener.heard.some(({ posts }) => posts.has('undone')));
  });
});

describe('Events on Postgres', () => {
  it('are not visible before those with lower numbers: a number waits for the commit of the one before', async (t) => {
    const service = await startTestService('postgres');
    t.after(() => service.stop());
    const { app } = service;
    const org = await service.newOrganization();
    let letFirstGo = () => {};
    const first = new Promise<void>((isNumbered) => {
      const going = new Promise<void>((go) => {
        letFirstGo = go;
      });
      void app.db.transact(async (tx) => {
        await recordEvent(tx, org.id, 'webhook.disabled', app.clock.now(), {
          webhook_id: UNKNOWN_ID,
          reason: 'first',
        });
        isNumbered();
        await going;
      });
    });
    await first;
    const second = record(app, org, 2);
    await until('the second waits', async () => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db.read as never);
      return (rows[0]?.n ?? 0) > 0;
    });
    assert.deepEqual(await eventsOf(org), []);
    letFirstGo();
    await second;
    assert.deepEqual(
      (await eventsOf(org)).map(({ data }) => data.reason),
      ['first', '2'],
    );
  });

  it('and change notices reach the streams of every process', async (t) => {
    const service = await startTestService('postgres');
    t.after(() => service.stop());
    const other = await another(t, service);
    const org = await service.newOrganization();
    const stream = await Stream.open(service.url, org.key);
    t.after(() => stream.close());
    const caller = { orgId: org.id, plan: 'growth', quotas: null } as CallerWithAddress;
    const { id } = await other.db.transact((tx) =>
      createPost(other, tx, caller, { title: 'From elsewhere' }),
    );
    await stream.untilChanged(id);
    await record(other, org, 1);
    assert.equal((await stream.untilEvents(1)).length, 1);
  });

  it('are announced completely, however many posts have changed at once', async (t) => {
    const service = await startTestService('postgres');
    t.after(() => service.stop());
    const other = await another(t, service);
    const listener = new TestListener();
    await service.app.db.listen(listener);
    const posts = Array.from({ length: 1_000 }, () => service.app.newId());
    await other.db.transact(async (tx) => markChanged(tx, UNKNOWN_ID, { posts, accounts: true }));
    await until(
      'all are heard',
      () => new Set(listener.heard.flatMap((change) => [...change.posts])).size === 1_000,
    );
    assert.ok(
      listener.heard.every(({ orgId, accounts, events }) => orgId === UNKNOWN_ID && accounts && !events),
    );
  });

  it('are announced once to the process that recorded them', async (t) => {
    const service = await startTestService('postgres');
    t.after(() => service.stop());
    const other = await another(t, service);
    const [own, far] = [new TestListener(), new TestListener()];
    await service.app.db.listen(own);
    await other.db.listen(far);
    const tell = (id: string) =>
      service.app.db.transact(async (tx) => markChanged(tx, UNKNOWN_ID, { posts: [id] }));
    await tell('one');
    await until('the other has heard', () => far.heard.length > 0);
    await tell('two');
    await until('the other has heard again', () => far.heard.some(({ posts }) => posts.has('two')));
    assert.deepEqual(
      own.heard.flatMap(({ posts }) => [...posts]),
      ['one', 'two'],
    );
  });

  it('end the streams when one may have been missed, and reach clients that reconnect', async (t) => {
    const service = await startTestService('postgres');
    t.after(() => service.stop());
    const other = await another(t, service);
    const org = await service.newOrganization();
    const stream = await Stream.open(service.url, org.key);
    const client = new pg.Client({ connectionString: String(service.app.config.databaseUrl) });
    await client.connect();
    const { rowCount } = await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'airdate listener' and datname = current_database()",
    );
    await client.end();
    assert.equal(rowCount, 1, 'one connection of the process listens');
    await stream.untilEnd();
    const again = await Stream.open(service.url, org.key);
    t.after(() => again.close());
    const caller = { orgId: org.id, plan: 'growth', quotas: null } as CallerWithAddress;
    const { id } = await other.db.transact((tx) => createPost(other, tx, caller, { title: 'Afterwards' }));
    await again.untilChanged(id);
  });
});
