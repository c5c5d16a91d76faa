// Records events in the transaction of the change itself, so that neither exists without the other. Streams and webhooks
// read them from here.
//
// Events of an organization are numbered in commit order. The number comes from a row that stays locked until the commit,
// so a reader that has seen number 7 never sees a 6 appear later; ids from a clock or a sequence would allow that on
// Postgres. This lock is therefore the last one a transaction takes: posts, attempts, counters, then this.

import { setImmediate } from 'node:timers/promises';
import { DAY_MS } from '../core/durations.js';
import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import { appendEvent, raiseEventCounter } from '../db/event-appends.js';
import type { EventDataOf, EventType } from './schema.js';

export type NewEvent = { [T in EventType]: { type: T; data: EventDataOf<T> } }[EventType];

/** Call it last in a transaction. */
export async function recordEvent<T extends EventType>(
  tx: Tx,
  orgId: string,
  type: T,
  now: number,
  data: EventDataOf<T>,
): Promise<void> {
  await appendEvent(tx, orgId, type, JSON.stringify(data), now);
  markChanged(tx, orgId, { events: true });
}

/** Several of one organization, in this order. Call it last in a transaction. */
export async function recordEvents(
  tx: Tx,
  orgId: string,
  now: number,
  events: readonly NewEvent[],
): Promise<void> {
  const [only, ...more] = events;
  if (!only) return;
  if (more.length === 0) return recordEvent(tx, orgId, only.type, now, only.data);
  const { last } = await raiseEventCounter(tx, orgId, events.length);
  const first = last - events.length + 1;
  for (let from = 0; from < events.length; from += ROWS_PER_STATEMENT) {
    const rows = events.slice(from, from + ROWS_PER_STATEMENT).map(({ type, data }, i) => ({
      org_id: orgId,
      seq: first + from + i,
      type,
      data: JSON.stringify(data),
      created_at: now,
    }));
    await tx.insertInto('events').values(rows).execute();
    // Other requests are served during a large import.
    if (events.length > ROWS_PER_STATEMENT) await setImmediate();
  }
  markChanged(tx, orgId, { events: true });
}

const ROWS_PER_STATEMENT = 500;

/** Long enough to cover a holiday. */
export const EVENT_RETENTION_MS = 30 * DAY_MS;
