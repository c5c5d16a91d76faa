// Records events in the transaction of the change itself, so that neither exists without the other. Streams and webhooks
// read them from here.
//
// Events of an organization are numbered in commit order. The number comes from a row that stays locked until the commit,
// so a reader that has seen number 7 never sees a 6 appear later; ids from a clock or a sequence would allow that on
// Postgres. This lock is therefore the last one a transaction takes: posts, attempts, counters, then this.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { PostgresAdapter, sql } from 'kysely';
import type { App } from '../api/app.js';
import { noteChange } from '../db/changes.js';
import { writeOnce } from '../db/compiled-once.js';
import type { Tx } from '../db/database.js';
import type { EventTable } from '../db/event-tables.js';
import type { EventData } from './schema.js';

export interface NewEvent {
  type: EventTable['type'];
  data: EventData;
}

/** Call it last in a transaction. */
export async function recordEvent(
  tx: Tx,
  orgId: string,
  type: EventTable['type'],
  now: number,
  data: EventData,
): Promise<void> {
  const append = tx.getExecutor().adapter instanceof PostgresAdapter ? appendOnPostgres : appendOnSqlite;
  await append(tx, orgId, type, JSON.stringify(data), now);
  noteChange(tx, orgId, { events: true });
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
  const { last } = await counted(tx, orgId, events.length).executeTakeFirstOrThrow();
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
    if (events.length > ROWS_PER_STATEMENT) await nextTurn();
  }
  noteChange(tx, orgId, { events: true });
}

const ROWS_PER_STATEMENT = 500;

const counted = (tx: Pick<Tx, 'insertInto'>, org_id: string, by: number) =>
  tx
    .insertInto('event_counters')
    .values({ org_id, last: sql.lit(by) })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((eb) => ({ last: eb('event_counters.last', '+', sql.lit(by)) })),
    )
    .returning('last');

/** SQLite writes to one table in a statement. A trigger counts, and while this transaction runs there is no other. */
const appendOnSqlite = writeOnce(
  (tx, org_id: string, type: EventTable['type'], data: string, created_at: number) =>
    tx.insertInto('events').values((eb) => ({
      org_id,
      seq: eb(
        eb.fn.coalesce(
          eb.selectFrom('event_counters').select('last').where('event_counters.org_id', '=', org_id),
          sql.lit(0),
        ),
        '+',
        sql.lit(1),
      ),
      type,
      data,
      created_at,
    })),
);

const appendOnPostgres = writeOnce((tx, orgId: string, type: EventTable['type'], data: string, now: number) =>
  tx
    .with('counter', (db) => counted(db, orgId, 1))
    .insertInto('events')
    .columns(['org_id', 'seq', 'type', 'data', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('counter')
        .select([
          sql<string>`cast(${orgId} as uuid)`.as('org_id'),
          'counter.last as seq',
          sql<EventTable['type']>`cast(${type} as text)`.as('type'),
          sql<string>`cast(${data} as text)`.as('data'),
          sql<number>`cast(${now} as bigint)`.as('created_at'),
        ]),
    ),
);

/** Long enough to cover a holiday. */
export const EVENT_RETENTION_MS = 30 * 24 * 3_600_000;

/** Removes a batch of expired events of all organizations; their numbers are never reused. */
export function sweepEvents(app: App, now: number, most: number) {
  return app.db.transact((tx) =>
    tx
      .deleteFrom('events')
      .where(
        (eb) => eb.refTuple('org_id', 'seq'),
        'in',
        tx
          .selectFrom('events')
          .select(['org_id', 'seq'])
          .where('created_at', '<=', now - EVENT_RETENTION_MS)
          .orderBy('created_at')
          .limit(most)
          .$asTuple('org_id', 'seq'),
      )
      .executeTakeFirst(),
  );
}
