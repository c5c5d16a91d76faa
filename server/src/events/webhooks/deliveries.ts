// The log of a webhook, and sending again what is in it.
import { sql } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { parseTimestamp, toTimestamp } from '../../core/clock.js';
import { invalid } from '../../core/problems.js';
import { invalidateResponses, markChanged } from '../../db/changes.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../db/tables.js';
import type { Caller, CallerWithAddress } from '../../request/caller.js';
import { countReachable, type Page, pageWindow, paginate } from '../../request/pagination.js';
import { requireFound } from '../../request/require-found.js';
import { EVENT_RETENTION_MS } from '../record.js';
import { type EndpointRef, promoteFirstPending } from './delivery-order.js';
import { assertEnabled, lockWebhook, recordWebhookAudit, requireEndpoint } from './endpoints.js';
import { type ListDeliveries, RECOVER_DAYS, type RecoverWebhook, type WebhookDelivery } from './schema.js';

/** How many attempts of a delivery are shown. */
const ATTEMPTS_SHOWN = 20;

export async function listDeliveries(
  app: App,
  caller: Caller,
  webhookId: string,
  input: ListDeliveries,
): Promise<Page<WebhookDelivery>> {
  const { read } = app.db;
  const { org_id, id } = await requireEndpoint(read, caller, webhookId);
  let log = read.selectFrom('webhook_deliveries').where('org_id', '=', org_id).where('endpoint_id', '=', id);
  if (input.state) log = log.where('state', '=', input.state);
  const total = await countReachable(read, log.select('id'));
  const { limit, offset } = pageWindow(input);
  const rows = await log.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
  return paginate(await presentDeliveries(read, rows), input, total);
}

async function presentDeliveries(
  read: Reader | Tx,
  rows: readonly WebhookDeliveryRow[],
): Promise<WebhookDelivery[]> {
  const [first] = rows;
  if (!first) return [];
  const attempts = await read
    .selectFrom('webhook_attempts')
    .innerJoin('webhook_deliveries', (join) =>
      join
        .onRef('webhook_deliveries.org_id', '=', 'webhook_attempts.org_id')
        .onRef('webhook_deliveries.id', '=', 'webhook_attempts.delivery_id'),
    )
    .selectAll('webhook_attempts')
    .where('webhook_attempts.org_id', '=', first.org_id)
    .where(
      'webhook_attempts.delivery_id',
      'in',
      rows.map(({ id }) => id),
    )
    .whereRef(
      'webhook_attempts.n',
      '>',
      sql<number>`webhook_deliveries.attempts - ${sql.lit(ATTEMPTS_SHOWN)}`,
    )
    .orderBy('webhook_attempts.n', 'desc')
    .execute();
  return rows.map((row) =>
    presentDelivery(
      row,
      attempts.filter(({ delivery_id }) => delivery_id === row.id),
    ),
  );
}

function presentDelivery(row: WebhookDeliveryRow, attempts: WebhookAttemptRow[]): WebhookDelivery {
  return {
    id: row.id,
    message_id: row.message_id,
    event_id: row.event_id,
    type: row.type,
    state: row.state,
    next_attempt_at: row.next_at === null ? null : toTimestamp(row.next_at),
    attempt_count: row.attempts,
    attempts: attempts.map(({ at, ms, status, error, response }) => ({
      at: toTimestamp(at),
      ms,
      status,
      error,
      response,
    })),
    body: row.body,
    created_at: toTimestamp(row.created_at),
    settled_at: row.settled_at === null ? null : toTimestamp(row.settled_at),
  };
}

/** The same message again, with a new timestamp; a pending one is sent now, unless it waits for an earlier one. */
export async function replayDelivery(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  webhookId: string,
  id: string,
): Promise<WebhookDelivery> {
  const endpoint = await lockWebhook(tx, caller, webhookId);
  const delivery = await requireDelivery(tx, endpoint, id);
  assertEnabled(endpoint);
  const now = app.clock.now();
  invalidateResponses(tx, endpoint.org_id);
  const isWaiting = delivery.state === 'pending' && delivery.next_at === null;
  const isBeingSent = (delivery.lease_until ?? 0) > now;
  if (!isWaiting && !isBeingSent) {
    await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'pending', tries: 0, next_at: now, lease_until: null, settled_at: null })
      .where(isRow(delivery))
      .execute();
    await promoteFirstPending(tx, endpoint, [delivery.subject], now);
  }
  await recordWebhookAudit(app, tx, caller, 'webhook.replayed', endpoint, { delivery_id: delivery.id });
  const [shown] = await presentDeliveries(tx, [await requireDelivery(tx, endpoint, id)]);
  return shown as WebhookDelivery;
}

const requireDelivery = (tx: Tx, endpoint: EndpointRef, id: string): Promise<WebhookDeliveryRow> =>
  requireFound('delivery', { orgId: endpoint.org_id }, id, (row) =>
    tx
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where(isRow(row))
      .where('endpoint_id', '=', endpoint.id)
      .executeTakeFirst(),
  );

/** Sets the cursor back: the fan-out then queues what was not delivered since, in the order of the events. */
export async function recoverWebhook(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  webhookId: string,
  { since }: RecoverWebhook,
): Promise<number> {
  const now = app.clock.now();
  const from = parseTimestamp(since) ?? 0;
  if (from > now) throw invalid([{ pointer: '/since', message: 'must not be in the future' }]);
  // A little more than the limit, for clients that calculate it.
  if (from < now - EVENT_RETENTION_MS - 60_000)
    throw invalid([{ pointer: '/since', message: `must be at most ${RECOVER_DAYS} days ago` }]);
  const endpoint = await lockWebhook(tx, caller, webhookId);
  assertEnabled(endpoint);
  const { org_id, id } = endpoint;
  const { last, before } = await seqBefore(tx, org_id, from);
  markChanged(tx, org_id, { events: true });
  await tx
    .updateTable('webhook_endpoints')
    .set({ cursor_seq: Math.min(before, endpoint.cursor_seq) })
    .where(isRow({ org_id, id }))
    .execute();
  const events = last - before;
  const details = { since: toTimestamp(from), events };
  await recordWebhookAudit(app, tx, caller, 'webhook.recovered', endpoint, details);
  return events;
}

/** The number of the last event before a time. Their times rise with their numbers, so a few steps find it among millions. */
async function seqBefore(tx: Tx, orgId: string, at: number): Promise<{ last: number; before: number }> {
  const next = (seq: number) =>
    tx
      .selectFrom('events')
      .select(['seq', 'created_at'])
      .where('org_id', '=', orgId)
      .where('seq', '>=', seq)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
  const counter = await tx
    .selectFrom('event_counters')
    .select('last')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  const last = counter?.last ?? 0;
  const first = await next(0);
  // Everything up to `before` is earlier; everything from `after` on is not.
  let before = (first?.seq ?? last + 1) - 1;
  let after = last + 1;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const event = await next(middle);
    if (event && event.created_at < at) before = event.seq;
    else after = middle;
  }
  return { last, before };
}
