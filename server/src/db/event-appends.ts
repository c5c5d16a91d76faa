// Appending to an organization's events. Their number comes from a counter that stays locked until the commit, and that every
// other writer of the organization waits for. So Postgres, where each statement is a round trip, does all of it in one.
import { PostgresAdapter, sql } from 'kysely';
import type { Tx } from './database.js';
import type { EventTable } from './event-tables.js';
import { prepareWrite } from './prepared-statements.js';

export interface AppendedEvent {
  orgId: string;
  type: EventTable['type'];
  /** JSON. */
  data: string;
  now: number;
}

/** The cell of post_counters in which a new draft counts. */
export interface DraftCell {
  postType: string;
  accountId: string;
}

const isPostgres = (tx: Tx): boolean => tx.getExecutor().adapter instanceof PostgresAdapter;

export async function appendEvent(tx: Tx, { orgId, type, data, now }: AppendedEvent): Promise<void> {
  await (isPostgres(tx) ? appendOnPostgres : appendOnSqlite)(tx, orgId, type, data, now);
}

/** Counts a new draft, then appends its event: the order in which all transactions lock. */
export async function countDraftAndAppendEvent(
  tx: Tx,
  { postType, accountId }: DraftCell,
  { orgId, type, data, now }: AppendedEvent,
): Promise<void> {
  if (isPostgres(tx)) {
    await countAndAppendOnPostgres(tx, orgId, postType, accountId, type, data, now);
    return;
  }
  await countDraft(tx, orgId, postType, accountId);
  await appendOnSqlite(tx, orgId, type, data, now);
}

/** Reserves this many numbers, and returns the last. */
export const raiseEventCounter = (tx: Pick<Tx, 'insertInto'>, org_id: string, by: number) =>
  tx
    .insertInto('event_counters')
    .values({ org_id, last: sql.lit(by) })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((eb) => ({ last: eb('event_counters.last', '+', sql.lit(by)) })),
    )
    .returning('last');

/** SQLite writes to one table in a statement. A trigger counts, and while this transaction runs there is no other. */
const appendOnSqlite = prepareWrite(
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

const appendOnPostgres = prepareWrite(
  (tx, orgId: string, type: EventTable['type'], data: string, now: number) =>
    tx
      .with('counter', (db) => raiseEventCounter(db, orgId, 1))
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

const countDraft = prepareWrite((tx, orgId: string, postType: string, accountId: string) => ({
  compile: () =>
    sql`
      insert into post_counters (org_id, status, post_type, account_id, published, n)
      values (${orgId}, 'draft', ${postType}, ${accountId}, 0, 1)
      on conflict (org_id, status, post_type, account_id, published) do update set n = post_counters.n + 1
    `.compile(tx),
}));

/** Each part reads the one before, so the locks are taken in that order here, too. */
const countAndAppendOnPostgres = prepareWrite(
  (tx, orgId: string, postType: string, accountId: string, type: string, data: string, now: number) => ({
    compile: () =>
      sql`
        with counted as (
          insert into post_counters (org_id, status, post_type, account_id, published, n)
          values (cast(${orgId} as uuid), 'draft', cast(${postType} as text), cast(${accountId} as uuid), 0, 1)
          on conflict (org_id, status, post_type, account_id, published) do update set n = post_counters.n + 1
          returning org_id
        ), counter as (
          insert into event_counters (org_id, last) select org_id, 1 from counted
          on conflict (org_id) do update set last = event_counters.last + 1
          returning org_id, last
        )
        insert into events (org_id, seq, type, data, created_at)
        select org_id, last, cast(${type} as text), cast(${data} as text), cast(${now} as bigint) from counter
      `.compile(tx),
  }),
);
