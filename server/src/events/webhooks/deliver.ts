// One delivery: leased, sent, settled. A worker that dies in between leaves a lease, after which another one sends it again:
// at least once, under the same id.
import { sql } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { bySystem, recordAudit } from '../../audit/record.js';
import { invalidateResponses } from '../../db/changes.js';
import { CLOCK_SLACK_MS, type ClockCheck, WRITTEN_AHEAD_MS } from '../../db/clock-checks.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { WebhookDeliveryRow, WebhookEndpointRow } from '../../db/tables.js';
import { createLease } from '../../work/lease.js';
import { recordEvent } from '../record.js';
import { decideDelivery, MAX_WAIT_MS } from './decide.js';
import { lockEndpoint, promoteFirstPending } from './delivery-order.js';
import type { Answered, Delivery } from './delivery-pool.js';
import { type DeliveryResult, sendRequest } from './send-request.js';
import { findOlderSecrets } from './signature.js';

/** How long a lease lasts: longer than a request and its records take, so no heartbeat renews it. */
const LEASE_MS = 60_000;

type LeasedDelivery = Pick<WebhookDeliveryRow, 'org_id' | 'id' | 'fence'>;
export type DueDelivery = LeasedDelivery & Delivery;

const deliveryLease = createLease<WebhookDeliveryRow, keyof LeasedDelivery>({
  table: 'webhook_deliveries',
  key: ['org_id', 'id', 'fence'],
  ends: ['lease_until', 'next_at'],
  ms: () => LEASE_MS,
});

// What is not pending has no `next_at`. To name the state would let Postgres read all that is due of the organization for it.
const acquireDue = deliveryLease.acquireIf((now: number) => sql`next_at <= ${now}`);

const pending = { table: 'webhook_deliveries', key: ['org_id', 'id'], column: 'next_at' } as const;

/** Leases and waits that were set before the clock was set back. */
export const deliveryClockChecks: readonly ClockCheck[] = [
  {
    ...pending,
    isImpossible: (now) =>
      sql`state = 'pending' and next_at is not null and lease_until is not null
        and next_at > ${sql.lit(now + LEASE_MS + CLOCK_SLACK_MS)}`,
    standsMs: LEASE_MS,
    reset: (now) => ({ next_at: now, lease_until: null }),
  },
  {
    ...pending,
    isImpossible: (now) => {
      const ahead = sql.lit(now + WRITTEN_AHEAD_MS);
      return sql`state = 'pending' and next_at is not null and lease_until is null and next_at > ${ahead}
        and (created_at > ${ahead} or next_at > ${sql.lit(now + MAX_WAIT_MS + CLOCK_SLACK_MS)} or exists (
          select 1 from webhook_attempts where webhook_attempts.org_id = webhook_deliveries.org_id
            and delivery_id = webhook_deliveries.id and n = webhook_deliveries.attempts and at > ${ahead}))`;
    },
    standsMs: 0,
    reset: (now) => ({ next_at: now }),
  },
];

export type Limited = <T>(work: () => Promise<T>) => Promise<T>;

/** What the endpoint answered; null if it was not sent. `limited` bounds the transactions. */
export async function deliver(
  app: App,
  due: DueDelivery,
  limited: Limited,
  stopping: AbortSignal,
): Promise<Answered | null> {
  const leased = await limited(() => app.db.transact((tx) => acquire(app, tx, due)));
  if (!leased) return null;
  const { delivery, endpoint } = leased;
  const message = { id: delivery.message_id, body: delivery.body };
  const posted = await app.spans.withSpan(
    {
      name: 'webhook',
      isCall: true,
      attributesOf: ({ status }) => ({ 'http.response.status_code': status ?? 0 }),
    },
    () => sendRequest(app, endpoint, message, stopping),
  );
  if (posted.status === null && stopping.aborted) {
    // The process stops: another one sends it.
    await limited(() =>
      app.db.transact(async (tx) => {
        invalidateResponses(tx, delivery.org_id);
        await deliveryLease.release(tx, delivery, { next_at: app.clock.now() });
      }),
    );
    return null;
  }
  const isAccepted = await limited(() => app.db.transact((tx) => saveResult(app, tx, delivery, posted)));
  return isAccepted === null ? null : { isAccepted, ms: posted.ms };
}

/** Null if another worker was faster, the endpoint is gone or disabled, or nothing may be sent. */
async function acquire(app: TxApp, tx: Tx, due: DueDelivery) {
  if ((await app.safety.refusal(tx)) !== null) return null;
  const now = app.clock.now();
  const endpoint = await tx
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where(isRow({ org_id: due.org_id, id: due.target }))
    .where('enabled', '=', 1)
    .executeTakeFirst();
  if (!endpoint) return null;
  const olderSecrets = await findOlderSecrets(tx, endpoint, now);
  if (!olderSecrets.every((secret) => app.seal.hasKeyOf(secret))) return null;
  invalidateResponses(tx, due.org_id);
  const delivery = await acquireDue(tx, due, now + LEASE_MS, now);
  return delivery ? { delivery, endpoint: { ...endpoint, olderSecrets } } : null;
}

/** Whether the endpoint accepted it; null if another worker has it. */
async function saveResult(
  app: TxApp,
  tx: Tx,
  delivery: WebhookDeliveryRow,
  posted: DeliveryResult,
): Promise<boolean | null> {
  const { org_id, endpoint_id, subject, tries, attempts } = delivery;
  const endpoint = await lockEndpoint(tx, { org_id, id: endpoint_id });
  if (!endpoint) return null;
  invalidateResponses(tx, org_id);
  const now = app.clock.now();
  const { failing_since: failingSince, failures } = endpoint;
  const decision = decideDelivery(posted, { tries, failingSince, failures }, now, Math.random());
  const isOurs = await deliveryLease.release(tx, delivery, {
    attempts: attempts + 1,
    tries: tries + 1,
    ...(decision.kind === 'retry' ? { next_at: decision.at } : { state: decision.kind, settled_at: now }),
  });
  if (!isOurs) return null;
  const { at, ms, status, error, response } = posted;
  await tx
    .insertInto('webhook_attempts')
    .values({ org_id, delivery_id: delivery.id, n: attempts + 1, at, ms, status, error, response })
    .execute();
  if (decision.kind !== 'retry') await promoteFirstPending(tx, endpoint, [subject], now);
  const isDelivered = decision.kind === 'delivered';
  if (!isDelivered || failingSince !== null)
    await tx
      .updateTable('webhook_endpoints')
      .set(
        isDelivered
          ? { failing_since: null, failures: 0 }
          : { failing_since: failingSince ?? now, failures: failures + 1 },
      )
      .where(isRow({ org_id, id: endpoint_id }))
      .execute();
  // An attempt that began before the endpoint was disabled may end after it.
  if (!isDelivered && decision.disable !== null && endpoint.enabled === 1)
    await disable(app, tx, endpoint, decision.disable, now);
  return isDelivered;
}

const WHY = {
  gone: 'The endpoint answered 410 Gone.',
  failing: 'Everything that was sent to the endpoint has failed for five days.',
} as const;

/** Disables the endpoint. The event that says so is the last write of the transaction. */
async function disable(
  app: TxApp,
  tx: Tx,
  { org_id, id, url }: WebhookEndpointRow,
  disabled_reason: keyof typeof WHY,
  now: number,
): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ enabled: 0, disabled_reason, disabled_at: now, updated_at: now })
    .where(isRow({ org_id, id }))
    .execute();
  const reason = WHY[disabled_reason];
  await recordAudit(app, tx, bySystem(org_id), {
    action: 'webhook.disabled',
    target: { id, name: new URL(url).host },
    details: { reason },
  });
  await recordEvent(tx, org_id, 'webhook.disabled', now, { webhook_id: id, reason });
}
