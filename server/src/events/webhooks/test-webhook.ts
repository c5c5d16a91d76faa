// A test message, sent while the caller waits. It is in no log.
import { randomUUID } from 'node:crypto';
import type { App, TxApp } from '../../app/app.js';
import { toTimestamp } from '../../core/clock.js';
import type { Tx } from '../../db/database.js';
import type { WebhookEndpointRow } from '../../db/tables.js';
import type { Caller, CallerWithAddress } from '../../request/caller.js';
import { recordWebhookAudit, requireEndpoint } from './endpoints.js';
import type { WebhookTest } from './schema.js';
import { sendRequest } from './send-request.js';
import { findOlderSecrets } from './signature.js';

interface Tested {
  endpoint: WebhookEndpointRow;
  test: WebhookTest;
}

export async function testWebhook(app: App, caller: Caller, webhookId: string): Promise<Tested> {
  const endpoint = await requireEndpoint(app.db.read, caller, webhookId);
  app.safety.assertNormalMode();
  const olderSecrets = await findOlderSecrets(app.db.read, endpoint, app.clock.now());
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  const timestamp = toTimestamp(app.clock.now());
  const body = JSON.stringify({ id, type: 'webhook.test', timestamp, data: { webhook_id: endpoint.id } });
  const sent = await app.queues.testWebhook(caller.orgId, () =>
    sendRequest(app, { ...endpoint, olderSecrets }, { id, body }, app.background.stopSignal),
  );
  const { at, ms, status, error, response } = sent;
  const delivered = status !== null && status >= 200 && status < 300;
  return { endpoint, test: { delivered, at: toTimestamp(at), ms, status, error, response } };
}

export async function recordTest(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { endpoint, test }: Tested,
): Promise<WebhookTest> {
  await recordWebhookAudit(app, tx, caller, 'webhook.tested', endpoint, { delivered: test.delivered });
  return test;
}
