// Secrets are found by the id of their key, page by page, through an index.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { createSeal } from '../../src/core/seal.js';
import type { Database } from '../../src/db/database.js';
import { countByKey, resealPage } from '../../src/db/sealed-table.js';
import { SEALED_ATTEMPTS } from '../../src/publishing/attempt/sealed.js';
import { SEALED_RESPONSES } from '../../src/request/idempotency-record.js';
import { explainerOf } from '../support/databases/query-plans.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const [OLD, CURRENT, UNKNOWN] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const both = createSeal(CURRENT, OLD);
const idOf = (key: Buffer) => createSeal(key).keyIds[0] as string;

onEngines('both', 'Secrets of an old key', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  /** Recorded responses of a new organization, sealed with this key. */
  async function answers(key: Buffer, n: number): Promise<Organization> {
    const org = await service.newOrganization();
    const rows = Array.from({ length: n }, (_, i) => ({
      org_id: org.id,
      key: `key-${i}`,
      fingerprint: 'x',
      response: createSeal(key).seal(`answer ${i}`, [org.id, `key-${i}`, 'idempotency_records.response']),
      created_at: service.clock.now(),
      dispatch_id: null,
    }));
    await service.app.db.transact((tx) => tx.insertInto('idempotency_records').values(rows).execute());
    return org;
  }
  const answerOf = ({ id }: Organization, key: string) =>
    service.app.db.read
      .selectFrom('idempotency_records')
      .select('response')
      .where('org_id', '=', id)
      .where('key', '=', key)
      .executeTakeFirstOrThrow();

  async function resealAnswers(db: Database = service.app.db) {
    const sum = { pages: 0, resealed: 0, left: 0, damaged: 0 };
    let after: readonly string[] | null = null;
    do {
      const page = await resealPage(db, both, SEALED_RESPONSES, after, service.clock.now());
      sum.pages++;
      for (const what of ['resealed', 'left', 'damaged'] as const) sum[what] += page[what];
      after = page.last;
    } while (after !== null);
    return sum;
  }

  it('are found in all pages and sealed again; those of an unknown key stay', async () => {
    const [old, foreign] = [await answers(OLD, 450), await answers(UNKNOWN, 3)];
    const { response } = await answerOf(foreign, 'key-1');
    const { pages, ...found } = await resealAnswers();
    assert.deepEqual(found, { resealed: 450, left: 0, damaged: 0 });
    assert.ok(pages >= 3);
    for (const i of [0, 199, 449]) {
      const sealed = (await answerOf(old, `key-${i}`)).response as string;
      const place = [old.id, `key-${i}`, 'idempotency_records.response'];
      assert.equal(createSeal(CURRENT).unseal(sealed, place), `answer ${i}`);
    }
    assert.equal((await answerOf(foreign, 'key-1')).response, response);
    const counts = await countByKey(service.app.db.read, SEALED_RESPONSES);
    assert.deepEqual([counts.get(idOf(CURRENT)), counts.get(idOf(UNKNOWN))], [450, 3]);
    assert.equal(counts.get(idOf(OLD)), undefined);
    assert.equal((await resealAnswers()).resealed, 0);
  });

  it('that do not open are counted, and do not stop the others', async () => {
    const org = await answers(OLD, 3);
    await change(org, `${idOf(OLD)}.damaged`);
    assert.deepEqual(await resealAnswers(), {
      pages: (await resealAnswers()).pages,
      resealed: 2,
      left: 0,
      damaged: 1,
    });
  });

  const change = ({ id }: Organization, response: string) =>
    service.app.db.transact((tx) =>
      tx
        .updateTable('idempotency_records')
        .set({ response })
        .where('org_id', '=', id)
        .where('key', '=', 'key-1')
        .execute(),
    );

  it('are not written over something newer', async () => {
    const org = await answers(OLD, 3);
    const { db } = service.app;
    // Another process is faster, after the page was read.
    const raced: Database = {
      ...db,
      transact: async (work) => {
        await change(org, 'newer');
        return db.transact(work);
      },
    };
    const found = await resealAnswers(raced);
    assert.deepEqual([found.resealed, found.left], [2, 1]);
    assert.equal((await answerOf(org, 'key-1')).response, 'newer');
  });

  it('are read through an index, without sorting', async () => {
    const { app } = service;
    const sent: Statement[] = [];
    const stop = statementsOf(engine, sent);
    const explainer = await explainerOf(app);
    try {
      const somewhere = app.newId();
      for (const table of [SEALED_RESPONSES, SEALED_ATTEMPTS])
        await resealPage(app.db, both, table, [somewhere, somewhere], app.clock.now());
      const pages = sent.filter(({ text }) => /limit/.test(text));
      assert.equal(pages.length, 2);
      // The tables of a test are too small for an index to pay off.
      if (engine === 'postgres') await explainer.run('set enable_seqscan = off; set enable_bitmapscan = off');
      for (const statement of pages) {
        const steps = (await explainer.steps(statement)).map(({ step }) => step).join('\n');
        assert.match(steps, /(SEARCH|Index Scan).*(idempotency_records|dispatches|one_open_dispatch)/);
        assert.doesNotMatch(steps, /Sort|TEMP B-TREE/);
      }
    } finally {
      stop();
      await explainer.close();
    }
  });
});
