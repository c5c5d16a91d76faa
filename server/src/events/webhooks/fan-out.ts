// Makes deliveries from events: each endpoint has a cursor in the organization's events, so writing an event costs nothing
// more. Events are numbered in commit order, so nothing appears behind a cursor.
import { setTimeout as delay } from 'node:timers/promises';
import { createFairQueue } from '../../core/concurrency.js';
import { Tally } from '../../core/tally.js';
import { markChanged } from '../../db/changes.js';
import { type Tx, transactionBudget } from '../../db/database.js';
import type { WebhookDeliveryRow } from '../../db/tables.js';
import type { App, TxApp } from '../../request/app.js';
import type { EventRow } from '../events.js';
import { type EndpointRef, lockEndpoint, promoteFirstPending } from './delivery-order.js';
import { type Message, messageOf } from './message.js';

const EVENTS_PER_BATCH = 50;
const ENDPOINTS_PER_PAGE = 500;

/** So long a page of endpoints is worked on before others are looked for, or so many times what looking took. */
const PAGE_MS = 50;
const TIMES_LOOKING = 4;

/**
 * One round through the endpoints that are behind. Organizations take turns, and each gets something in a round, but only
 * while the round is young does it get more: one with twenty endpoints and a million events delays the others by a batch.
 * Returns whether some may still be behind. If it fails for an endpoint, the others get theirs before it throws.
 */
export async function fanOut(app: App, atOnce = ENDPOINTS_PER_PAGE): Promise<boolean> {
  let isAnyBehind = false;
  const failures: unknown[] = [];
  let after = NO_ID;
  for (;;) {
    if (app.safety.mode.kind !== 'normal') return false;
    const began = performance.now();
    const behind = await endpointsBehind(app, after, atOnce);
    const youngUntil = performance.now() + Math.max(PAGE_MS, TIMES_LOOKING * (performance.now() - began));
    failures.push(...(await handOutTo(app, behind, () => performance.now() < youngUntil)));
    isAnyBehind ||= behind.length > 0;
    const last = behind.at(-1);
    if (!last || behind.length < atOnce) break;
    after = last.id;
  }
  if (failures.length > 0) throw failures[0];
  return isAnyBehind;
}

/**
 * Several organizations at a time: SQLite commits them together, and Postgres has connections to spare. One that has more to do
 * pauses after each batch for as long as it took, because others write meanwhile: of an upload each of many steps would
 * otherwise wait for a batch. Returns the errors.
 */
async function handOutTo(
  app: App,
  endpoints: readonly LaggingEndpoint[],
  isYoung: () => boolean,
): Promise<unknown[]> {
  const enqueue = createFairQueue({ maxConcurrent: transactionBudget(app.db, 1 / 4), perKey: 1 });
  const served = new Set<string>();
  const left = new Tally();
  for (const { org_id } of endpoints) left.add(org_id, +1);
  const eventsOf = new Map<string, Promise<EventRow[]>>();
  const read = ({ org_id, cursor_seq }: LaggingEndpoint) => {
    // Endpoints of an organization are mostly equally far.
    const key = `${org_id} ${cursor_seq}`;
    const events = eventsOf.get(key) ?? app.reads.eventsAfter(org_id, cursor_seq, EVENTS_PER_BATCH);
    eventsOf.set(key, events);
    return events;
  };
  const results = await Promise.allSettled(
    endpoints
      // An organization's endpoint that got nothing in the last round is the first in this one.
      .toSorted((a, b) => a.cursor_seq - b.cursor_seq)
      .map((endpoint) =>
        enqueue(endpoint.org_id, async () => {
          left.add(endpoint.org_id, -1);
          if (served.has(endpoint.org_id) && !isYoung()) return;
          served.add(endpoint.org_id);
          try {
            const events = await read(endpoint);
            const began = performance.now();
            await app.db.transact((tx) => queueDeliveries(app, tx, endpoint, events));
            const hasMore = left.of(endpoint.org_id) > 0 || events.length === EVENTS_PER_BATCH;
            if (hasMore) await delay(performance.now() - began);
          } catch (error) {
            // It stays the furthest behind, and must not be the only one that is tried in each round.
            served.delete(endpoint.org_id);
            throw error;
          }
        }),
      ),
  );
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

/** Before every other id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

type LaggingEndpoint = EndpointRef & { cursor_seq: number; last: number };

const endpointsBehind = (app: App, after: string, limit: number): Promise<LaggingEndpoint[]> =>
  app.db.read
    .selectFrom('webhook_endpoints')
    .innerJoin('event_counters', 'event_counters.org_id', 'webhook_endpoints.org_id')
    .select([
      'webhook_endpoints.org_id',
      'webhook_endpoints.id',
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
  markChanged(tx, endpoint.org_id, {});
  const wanted = endpoint.types === null ? null : new Set<string>(JSON.parse(endpoint.types));
  const messages = events
    .filter(({ type }) => wanted?.has(type) ?? true)
    .map((row) => ({ ...messageOf(row), seq: row.seq }));
  const queued = await queue(app, tx, behind, messages);
  if (queued.length > 0) await promoteFirstPending(tx, endpoint, queued, app.clock.now());
  await tx
    .updateTable('webhook_endpoints')
    // Numbers of expired events are skipped.
    .set({ cursor_seq: events.at(-1)?.seq ?? behind.last })
    .where('org_id', '=', endpoint.org_id)
    .where('id', '=', endpoint.id)
    .execute();
}

/** Returns the subjects of what became pending. What was delivered, or is pending, stays so: the cursor may have been set back. */
async function queue(
  app: TxApp,
  tx: Tx,
  { org_id, id: endpoint_id }: EndpointRef,
  messages: readonly (Message & { seq: number })[],
): Promise<string[]> {
  if (messages.length === 0) return [];
  const known = await tx
    .selectFrom('webhook_deliveries')
    .select(['id', 'message_id', 'state', 'subject'])
    .where('org_id', '=', org_id)
    .where('endpoint_id', '=', endpoint_id)
    .where(
      'message_id',
      'in',
      messages.map(({ id }) => id),
    )
    .execute();
  const now = app.clock.now();
  const failed = known.filter(({ state }) => state === 'failed');
  if (failed.length > 0)
    await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'pending', tries: 0, next_at: null, settled_at: null })
      .where('org_id', '=', org_id)
      .where(
        'id',
        'in',
        failed.map(({ id }) => id),
      )
      .execute();
  const knownIds = new Set(known.map(({ message_id }) => message_id));
  const rows = messages
    .filter(({ id }) => !knownIds.has(id))
    .map(
      ({ id: message_id, event_id, seq: event_seq, type, subject, body }): WebhookDeliveryRow => ({
        org_id,
        id: app.newId(),
        endpoint_id,
        message_id,
        event_id,
        event_seq,
        type,
        subject,
        body,
        state: 'pending',
        attempts: 0,
        tries: 0,
        next_at: null,
        lease_until: null,
        fence: 0,
        created_at: now,
        settled_at: null,
      }),
    );
  if (rows.length > 0) await tx.insertInto('webhook_deliveries').values(rows).execute();
  return [...new Set([...failed, ...rows].map(({ subject }) => subject))];
}
