// No organization can stop the others by searching, whatever its posts contain.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { type Database, ReadTimeoutError } from '../../src/db/database.js';
import type { Tables } from '../../src/db/tables.js';
import { ENGINES } from '../support/databases/fresh-databases.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem, listPosts } from '../support/service/posts.js';
import { addPosts, fillers, SMALL, search, settleIndex } from '../support/service/searching.js';
import type { Answer } from '../support/service/send.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

/** Folds to four characters of three bytes. */
const LONG = '\u2057';
const HOSTILE = { title: LONG.repeat(500), caption: LONG.repeat(2_200), hashtags: LONG.repeat(500) };
/** Occurs nowhere, and a comparison notices it late. */
const NOWHERE = `${LONG.repeat(24)}x`;

/** The longest text in bytes. */
const MAX_TEXT = 3 * 3_300;

onEngines('both', 'A search', (engine) => {
  let running = 0;
  let most = 0;
  /** The test lets them begin. */
  let held: Promise<void> | null = null;
  /** Counts the searches that hold a connection. */
  const counting = (real: Database): Database => ({
    ...real,
    readWithTimeout: async (ms, work) => {
      most = Math.max(most, ++running);
      await held;
      try {
        return await real.readWithTimeout(ms, work);
      } finally {
        running--;
      }
    },
  });
  const env = { ...WITHOUT_WORKER.env, DATABASE_POOL_SIZE: '6' };
  const service = useService(engine, { ...WITHOUT_WORKER, env, database: counting });

  function pauseSearches(): () => void {
    most = 0;
    let begin = () => {};
    held = new Promise((resolve) => {
      begin = resolve;
    });
    return () => {
      held = null;
      begin();
    };
  }

  const q = (org: Organization, text: string) =>
    org.call('GET', `/api/v1/posts?q=${encodeURIComponent(text)}`);

  it('keeps no text that folding has made longer than it may be', async () => {
    const org = await service.newOrganization();
    await addPosts(service, org, [HOSTILE]);
    const rows = await service.app.db.read
      .selectFrom('post_search')
      .select(sql<number>`octet_length(content)`.as('bytes'))
      .where('org_id', '=', org.id)
      .execute();
    assert.ok(Number(rows[0]?.bytes) <= MAX_TEXT, `${rows[0]?.bytes} bytes`);
  });

  it('looks at a limited length of text, and at little of it in one statement', async () => {
    const org = await service.newOrganization();
    await addPosts(service, org, Array<typeof HOSTILE>(300).fill(HOSTILE));
    const { ids, progress } = await search(service, org, NOWHERE, {
      limits: { ...SMALL, newest: 10_000, work: 1_000_000 },
    });
    assert.deepEqual(ids, []);
    const atOnce = progress.posts / progress.statements;
    // The limit is noticed after the statement that exceeds it.
    assert.ok(progress.bytes <= 1_000_000 + atOnce * MAX_TEXT, `${progress.bytes} bytes`);
    if (engine === 'sqlite') assert.ok(atOnce <= 96, `${atOnce} posts in one statement`);
    const more = await search(service, org, NOWHERE.repeat(4).slice(0, 100));
    if (engine === 'sqlite')
      assert.ok(more.progress.posts / more.progress.statements <= 48, 'a longer word, fewer posts');
  });

  it('counts what the index finds and the filter excludes as work', async () => {
    const org = await service.newOrganization();
    const videos = Array.from({ length: 300 }, () => ({ title: 'Zebra', post_type: 'video' as const }));
    await addPosts(service, org, [...videos, ...fillers(25)]);
    await settleIndex(service);
    // For 100 posts.
    const limits = { ...SMALL, work: 40_000 };
    const { ids, progress } = await search(service, org, 'zebra', { limits, input: { post_type: 'slides' } });
    assert.deepEqual(ids, []);
    if (engine === 'sqlite') assert.ok(progress.posts <= 100 + 96, `looked at ${progress.posts} posts`);
  });

  if (engine === 'sqlite')
    it('lets every other request be served between its statements', async () => {
      const [org, other] = [await service.newOrganization(), await service.newOrganization()];
      await addPosts(service, org, [...fillers(250), ...Array<typeof HOSTILE>(250).fill(HOSTILE)]);
      await addPosts(service, other, [...fillers(50), ...Array<typeof HOSTILE>(250).fill(HOSTILE)]);
      const sent: Statement[] = [];
      const stopListening = statementsOf(engine, sent);
      // How many statements each turn of the process had.
      const perTurn: number[] = [];
      let isDone = false;
      const count = () => {
        perTurn.push(sent.filter(({ text }) => /post_search/.test(text)).length);
        sent.length = 0;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      const limits = { ...SMALL, newest: 10_000, first: 300 };
      await Promise.all([org, other].map((one) => search(service, one, NOWHERE, { limits })));
      isDone = true;
      stopListening();
      const statements = perTurn.reduce((sum, n) => sum + n);
      const busyTurns = perTurn.filter((n) => n > 0).length;
      assert.ok(statements >= 10, 'this would prove nothing');
      // Some are cheap and share a turn.
      assert.ok(busyTurns >= statements / 4, `${statements} statements in ${busyTurns} turns`);
    });

  if (engine === 'sqlite')
    it('has its index written a little at a time, which changes no answer', async () => {
      const org = await service.newOrganization();
      await settleIndex(service);
      await addPosts(service, org, Array<typeof HOSTILE>(30).fill(HOSTILE));
      const { db } = service.app;
      const pending = async () =>
        (await db.read.selectFrom('post_search_pending').select('n').execute()).length;
      const stamp = await db.readChangeStamp(org.id);
      assert.equal(await pending(), 30);
      assert.equal(await db.indexPendingBatch(), true);
      assert.equal(await pending(), 30 - Math.floor(40_000 / 3_300));
      await settleIndex(service);
      assert.equal(await pending(), 0);
      assert.equal(await db.readChangeStamp(org.id), stamp);
    });

  it('runs one at a time for an organization, and leaves half of the connections to everything else', async () => {
    const organizations = await Promise.all(Array.from({ length: 5 }, () => service.newOrganization()));
    const [org] = organizations as [Organization];
    for (const one of organizations) await addPosts(service, one, fillers(20));
    most = 0;
    const alone = await Promise.all(Array.from({ length: 12 }, () => q(org, 'number')));
    assert.deepEqual([...new Set(alone.map(({ status }) => status))], [200]);
    assert.equal(most, 1);
    const release = pauseSearches();
    const together = organizations.flatMap((one) => Array.from({ length: 4 }, () => q(one, 'number')));
    await until('two searches run', async () => running === 2);
    release();
    for (const { status, json } of await Promise.all(together))
      assert.deepEqual([status, json.pagination.total], [200, 20]);
    assert.equal(most, 2);
  });

  it('is refused while too many of its organization wait, and only of this one', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    for (const one of [org, other]) await addPosts(service, one, fillers(1));
    const release = pauseSearches();
    const refused: Answer[] = [];
    const many = Array.from({ length: 40 }, async () => {
      const answer = await q(org, 'number');
      if (answer.status !== 200) refused.push(answer);
      return answer;
    });
    // One runs and 32 wait.
    await until('seven are refused', async () => refused.length === 7);
    const another = q(other, 'number');
    release();
    assert.equal((await another).status, 200);
    await Promise.all(many);
    assert.equal(refused.length, 7);
    for (const answer of refused) assertProblem(answer, 503, 'busy');
    assert.equal((await q(org, 'number')).status, 200);
  });

  it('answers with what it has found when its time is over', async () => {
    const org = await service.newOrganization();
    await addPosts(service, org, [{ title: 'Zebra' }, ...fillers(30), { title: 'Zebra' }]);
    const { ids } = await search(service, org, 'zebra', { limits: { ...SMALL, ms: 0 } });
    assert.deepEqual(ids, []);
  });

  it('counts to 1,000 and no further', async () => {
    const org = await service.newOrganization();
    await addPosts(service, org, [...fillers(1_010), { title: 'Zebra' }]);
    const { pagination } = await listPosts(org, { q: 'number', page: 50 });
    assert.deepEqual(pagination, { page: 50, per_page: 20, total: 1_000, total_pages: 50 });
    assert.deepEqual((await listPosts(org, { q: 'number', page: 51 })).data, []);
    assert.equal((await listPosts(org, { q: 'zebra' })).pagination.total, 1);
  });
});

if (ENGINES.includes('postgres'))
  describe('A brief read (postgres)', () => {
    const service = useService('postgres', WITHOUT_WORKER);
    const sleep = (read: unknown) => sql`select pg_sleep(20)`.execute(read as Kysely<Tables>);

    it('is ended after its time, and nothing else is', async () => {
      const { db } = service.app;
      await assert.rejects(
        db.readWithTimeout(20, (read) => sleep(read)),
        ReadTimeoutError,
      );
      const limit = sql<{ limit: string }>`select current_setting('statement_timeout') as limit`;
      assert.deepEqual((await limit.execute(db.read as Kysely<Tables>)).rows, [{ limit: '15s' }]);
    });

    it('writes nothing', async () => {
      const write = (read: unknown) => sql`delete from posts`.execute(read as Kysely<Tables>);
      await assert.rejects(
        service.app.db.readWithTimeout(1_000, (read) => write(read)),
        /read-only transaction/,
      );
    });

    it('gives a search what it has found so far, and what is among the newest posts', async () => {
      const org = await service.newOrganization();
      const ids = await addPosts(service, org, [
        { title: 'Zebra' },
        ...fillers(10),
        { title: 'Zebra' },
        ...fillers(300),
      ]);
      const slow = {
        searchableWords: async () => ['zebra'],
        async *pages({ read }: { read: unknown }) {
          await sleep(read);
          yield [];
        },
      };
      const hanging = { ...service, app: { ...service.app, postIndex: slow } };
      // The index is asked after one statement; when it takes too long, the search looks through the rest.
      const limits = { ...SMALL, newest: 305, statementMs: 2_000 };
      const found = await search(hanging, org, 'zebra', { limits });
      assert.deepEqual([found.ids, found.progress.posts], [[ids[11]], 305]);
    });
  });
