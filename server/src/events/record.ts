// Records events in the transaction of the change itself, so that neither exists without the other. Streams (and later
// webhooks) read them from here.
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

/** Call it last in a transaction. */
export async function recordEvent(
  tx: Tx,
  orgId: string,
  type: EventTable['type'],
  now: number,
  data: EventData,
): Promise<void> {
  const text = JSON.stringify(data);
  if (tx.getExecutor().adapter instanceof PostgresAdapter) await append(tx, orgId, type, text, now);
  else {
    // SQLite cannot write to two tables in one statement. Without a network round trip, two statements take hardly longer
    // than the counter alone (56 µs and 48 µs on a busy machine).
    const [counter] = (await nextNumber(tx, orgId)).rows;
    await insertEvent(tx, orgId, counter?.last ?? 1, type, text, now);
  }
  noteChange(tx, orgId, { events: true });
}

const EVENTS_PER_STATEMENT = 500;

/** Several events of one organization, in this order. Call it last in a transaction. */
export async function recordEvents(
  tx: Tx,
  orgId: string,
  now: number,
  events: readonly { type: EventTable['type']; data: EventData }[],
): Promise<void> {
  const [first] = events;
  if (!first) return;
  await recordEvent(tx, orgId, first.type, now, first.data);
  const more = events.slice(1);
  if (more.length === 0) return;
  const { last } = await tx
    .updateTable('event_counters')
    .set((eb) => ({ last: eb('last', '+', more.length) }))
    .where('org_id', '=', orgId)
    .returning('last')
    .executeTakeFirstOrThrow();
  const rows = more.map(({ type, data }, i) => ({
    org_id: orgId,
    seq: last - more.length + 1 + i,
    type,
    data: JSON.stringify(data),
    created_at: now,
  }));
  for (let i = 0; i < rows.length; i += EVENTS_PER_STATEMENT) {
    await tx
      .insertInto('events')
      .values(rows.slice(i, i + EVENTS_PER_STATEMENT))
      .execute();
    await nextTurn();
  }
}

const counted = (tx: Pick<Tx, 'insertInto'>, org_id: string) =>
  tx
    .insertInto('event_counters')
    .values({ org_id, last: sql.lit(1) })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((eb) => ({ last: eb('event_counters.last', '+', sql.lit(1)) })),
    )
    .returning('last');

const nextNumber = writeOnce((tx, orgId: string) => counted(tx, orgId));

const insertEvent = writeOnce(
  (tx, org_id: string, seq: number, type: EventTable['type'], data: string, created_at: number) =>
    tx.insertInto('events').values({ org_id, seq, type, data, created_at }),
);

const append = writeOnce((tx, orgId: string, type: EventTable['type'], data: string, now: number) =>
  tx
    .with('counter', (db) => counted(db, orgId))
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
export const EVENTS_KEPT_MS = 30 * 24 * 3_600_000;

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
          .where('created_at', '<=', now - EVENTS_KEPT_MS)
          .orderBy('created_at')
          .limit(most)
          .$asTuple('org_id', 'seq'),
      )
      .executeTakeFirst(),
  );
}
