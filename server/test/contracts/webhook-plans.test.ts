// Sending a webhook costs the same however many were sent before. SQLite plans a statement without its values, as Postgres does
// once it is prepared, so it shows whether an index of pending deliveries can be used.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createSender } from '../../src/events/webhooks/sender.js';
import { type Explainer, explainerOf } from '../support/databases/query-plans.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { startTestService, type TestService, useService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';
import { ALLOW, addDelivery, addWebhook, fanOutAll, Receiver, sendAll } from '../support/service/webhooks.js';

const SENT_BEFORE = 2_000;
const TO_SEND = 5_000;
/** Some for each subject of a batch. */
const MAX_ROWS = 100;

describe('A webhook of an endpoint with a long log', () => {
  const sent: Statement[] = [];
  const receiver = new Receiver();
  let service: TestService;
  let explainer: Explainer;
  let stopListening = () => {};
  before(async () => {
    await receiver.start();
    stopListening = statementsOf('sqlite', sent);
    service = await startTestService('sqlite', {
      ...WITHOUT_WORKER,
      env: { ...WITHOUT_WORKER.env, ...ALLOW },
    });
    explainer = await explainerOf(service.app);
  });
  after(async () => {
    stopListening();
    await explainer?.close();
    await service?.stop();
    await receiver.stop();
  });

  it('is handed out, sent and recorded without reading that log', async () => {
    const org = await service.newOrganization();
    const { id } = await addWebhook(org, receiver.url);
    const old = await addDelivery(service, org, id);
    await service.app.db.transact((tx) =>
      sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${SENT_BEFORE})
        insert into webhook_deliveries select org_id, 'old-' || i, endpoint_id, 'msg_' || i, event_id, event_seq, type, 'old-' || i,
          body, 'delivered', attempts, tries, null, null, fence, created_at, settled_at
        from n, webhook_deliveries where id = ${old}`.execute(tx),
    );
    const post = await org.addPost();
    await org.call('DELETE', `/api/v1/posts/${post}`);
    sent.length = 0;
    await sendAll(service);
    assert.deepEqual(receiver.types(), ['post.created', 'post.deleted']);
    const about = [...new Map(sent.map((statement) => [statement.text, statement])).values()].filter(
      ({ text }) =>
        text.includes('webhook_deliveries') &&
        /^\s*(select|update|with)/.test(text) &&
        // The test's own question whether anything is left.
        !text.includes('inner join'),
    );
    assert.ok(about.length >= 6, `${about.length} statements`);
    for (const statement of about)
      for (const { step } of await explainer.steps(statement))
        assert.doesNotMatch(
          step,
          /SCAN webhook_deliveries\b|webhook_deliveries USING.*\((org_id=\? AND endpoint_id=\?|org_id=\?)\)$/,
          statement.text,
        );
  });
});

onEngines(
  'postgres',
  'A webhook of an endpoint with much to send, in tables without statistics,',
  (engine) => {
    const sent: Statement[] = [];
    const receiver = new Receiver();
    const service = useService(engine, { ...WITHOUT_WORKER, env: { ...WITHOUT_WORKER.env, ...ALLOW } });
    before(() => receiver.start());
    after(() => receiver.stop());

    it('is handed out, sent and recorded without reading what else is to be sent', async () => {
      const org = await service.newOrganization();
      const { id } = await addWebhook(org, receiver.url);
      const post = await org.addPost();
      await org.call('DELETE', `/api/v1/posts/${post}`);
      await fanOutAll(service);
      await service.app.db.transact((tx) =>
        sql`insert into webhook_deliveries select org_id, gen_random_uuid(), endpoint_id, 'msg_' || i, event_id, event_seq, type,
          'other-' || i, body, 'pending', attempts, tries, created_at, null, fence, created_at, null
        from generate_series(1, ${TO_SEND}) as n (i), webhook_deliveries
        where endpoint_id = ${id} and next_at is not null`.execute(tx),
      );
      for (let n = 0; n < 10; n++) await org.addPost();
      const stop = statementsOf(engine, sent);
      await fanOutAll(service);
      const sender = createSender(service.app);
      await sender.startDue();
      await sender.idle();
      stop();
      assert.ok(receiver.received.length > 0, 'nothing was sent');
      const about = [...new Map(sent.map((statement) => [statement.text, statement])).values()].filter(
        ({ text }) => text.includes('webhook_deliveries') && !text.startsWith('insert'),
      );
      assert.ok(about.length >= 5, `${about.length} statements`);
      const explainer = await explainerOf(service.app);
      try {
        for (const statement of about)
          for (const { step, rows } of await explainer.steps(statement))
            assert.ok(Number(rows) <= MAX_ROWS, `${step} read ${rows} rows: ${statement.text}`);
      } finally {
        await explainer.close();
      }
    });
  },
);
