// Makes deliveries from events: each endpoint has a cursor in the organization's events, so writing an event costs nothing
// more. Events are numbered in commit order, so nothing appears behind a cursor.

import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { App, TxApp } from '../../app/app.js';
import { createFairQueue } from '../../core/concurrency.js';
import { NIL_UUID } from '../../core/ids.js';
import { Tally } from '../../core/tally.js';
import { invalidateResponses } from '../../db/changes.js';
import { type Tx, transactionBudget } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { WebhookDeliveryRow } from '../../db/tables.js';
import { createPool, orderFairly, type Work } from '../../work/pool.js';
import { createRunner, type Runner, type WakeLoop } from '../../work/runner.js';
import { type EventRow, findEventsAfter, presentEvent } from '../events.js';
import type { EventData } from '../schema.js';
import { type EndpointRef, lockEndpoint, promoteFirstPending } from './delivery-order.js';

const EVENTS_PER_BATCH = 50;
const ENDPOINTS_PER_PAGE = 500;
const MAX_CONCURRENT = 256;

/**
 * The job that hands events out to the endpoints that are behind, a batch to each at a time. Organizations take turns, and those
 * that have just fallen behind are looked for after every batch: one with twenty endpoints and a million events delays another by
 * a batch. `wakeSender` is called when there may be something to send.
 */
export function createFanOut(
  app: App,
  wakeLoop?: WakeLoop,
  wakeSender: () => void = () => {},
  page = ENDPOINTS_PER_PAGE,
): Runner {
  const maxConcurrent = transactionBudget(app.db, 1 / 4);
  const enqueue = createFairQueue({ maxConcurrent, perKey: 1 });
  /** How much work waits, by organization. */
  const waiting = new Tally();
  return createRunner<LaggingEndpoint>(
    app,
    {
      name: 'webhook-fan-out',
      everyMs: 5_000,
      pool: (events) => createPool({ max: MAX_CONCURRENT, perTarget: 1 }, events),
      source(pool) {
        // If more are behind than fit on a page, each search begins where the last one ended.
        let after = NIL_UUID;
        return async function* () {
          const from = after;
          let behind = await findBehind(app, from, page);
          if (behind.length === 0 && from !== NIL_UUID) behind = await findBehind(app, NIL_UUID, page);
          after = behind.length === page ? (behind.at(-1)?.id ?? NIL_UUID) : NIL_UUID;
          for (const endpoint of orderFairly(behind, pool)) if (pool.mayStart(endpoint)) yield endpoint;
        };
      },
      run(endpoint, stopping) {
        const { org_id, cursor_seq } = endpoint;
        waiting.add(org_id, +1);
        return enqueue(org_id, async () => {
          waiting.add(org_id, -1);
          if (stopping.aborted || app.safety.mode.kind !== 'normal') return;
          const began = performance.now();
          const events = await findEventsAfter(app.db.read, org_id, cursor_seq, EVENTS_PER_BATCH);
          await app.db.transact((tx) => queueDeliveries(app, tx, endpoint, events));
          wakeSender();
          // Others write meanwhile: of an upload each of many steps would otherwise wait for a batch.
          const hasMore = waiting.of(org_id) > 0 || events.length === EVENTS_PER_BATCH;
          if (hasMore) await delay(performance.now() - began);
        });
      },
      onFailure: 'events were not handed out to a webhook; it gets them later',
    },
    wakeLoop,
  );
}

/** An endpoint that has not been given the latest events. As a piece of work, the endpoint is also its own target. */
type LaggingEndpoint = Work & { cursor_seq: number; last: number };

const findBehind = (app: App, after: string, limit: number): Promise<LaggingEndpoint[]> =>
  app.db.read
    .selectFrom('webhook_endpoints')
    .innerJoin('event_counters', 'event_counters.org_id', 'webhook_endpoints.org_id')
    .select([
      'webhook_endpoints.org_id',
      'webhook_endpoints.id',
      'webhook_endpoints.id as target',
      'webhook_endpoints.cursor_seq',
      'event_counters.last',
    ])
    .where('webhook_endpoints.enabled', '=', 1)
    .whereRef('webhook_endpoints.cursor_seq', '<', 'event_counters.last')
    .where('webhook_endpoints.id', '>', after)
    .orderBy('webhook_endpoints.id')
    .limit(limit)
    .execute();

async function queueDeliveries(
  app: TxApp,
  tx: Tx,
  behind: LaggingEndpoint,
  events: readonly EventRow[],
): Promise<void> {
  const endpoint = await lockEndpoint(tx, behind);
  // Another worker was faster, or the endpoint was changed.
  if (!endpoint || endpoint.enabled === 0 || endpoint.cursor_seq !== behind.cursor_seq) return;
  invalidateResponses(tx, endpoint.org_id);
  const wanted = endpoint.types === null ? null : new Set<string>(JSON.parse(endpoint.types));
  const now = app.clock.now();
  const rows = events
    .filter(({ type }) => wanted?.has(type) ?? true)
    .map((event) => ({ ...newDelivery(endpoint, event, now), id: app.newId() }));
  if (rows.length > 0) {
    const queued = await tx
      .insertInto('webhook_deliveries')
      .values(rows)
      // The cursor may have been set back: what was delivered, or is pending, stays so.
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'endpoint_id', 'message_id'])
          .doUpdateSet({ state: 'pending', tries: 0, settled_at: null })
          .where('webhook_deliveries.state', '=', 'failed'),
      )
      .returning('subject')
      .execute();
    const subjects = [...new Set(queued.map(({ subject }) => subject))];
    if (subjects.length > 0) await promoteFirstPending(tx, endpoint, subjects, now);
  }
  await tx
    .updateTable('webhook_endpoints')
    // Numbers of expired events are skipped.
    .set({ cursor_seq: events.at(-1)?.seq ?? behind.last })
    .where(isRow(endpoint))
    .execute();
}

/** Derived from the event alone, so that it is the same for all endpoints, and again after a restored backup. */
function newDelivery(
  { org_id, id: endpoint_id }: EndpointRef,
  event: EventRow,
  now: number,
): Omit<WebhookDeliveryRow, 'id'> {
  const { id: event_id, type, created_at: timestamp, data } = presentEvent(event);
  const says = { type, timestamp, data, event_id };
  // A hash of everything that the body says: no other body has it, whatever a restored database counts anew.
  const digest = hash('sha256', JSON.stringify([org_id, event.created_at, says]), 'hex');
  const message_id = `msg_${digest.slice(0, 32)}`;
  return {
    org_id,
    endpoint_id,
    message_id,
    event_id,
    event_seq: event.seq,
    type,
    subject: subjectOf(data),
    body: JSON.stringify({ id: message_id, ...says }),
    state: 'pending',
    attempts: 0,
    tries: 0,
    next_at: null,
    lease_until: null,
    fence: 0,
    created_at: now,
    settled_at: null,
  };
}

/** What happens to the same post or account is told in order. */
function subjectOf(data: EventData): string {
  if ('post_id' in data) return data.post_id;
  return 'webhook_id' in data ? data.webhook_id : data.social_account_id;
}
