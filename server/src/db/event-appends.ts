// Appending to an organization's events. Their number comes from a counter that stays locked until the commit, and that every
// other writer of the organization waits for. So Postgres, where each statement is a round trip, does all of it in one.
import { PostgresAdapter, sql } from 'kysely';
import type { Tx } from './database.js';
import { prepareWrite } from './prepared-statements.js';
import type { EventTable } from './tables.js';

const isPostgres = (tx: Tx): boolean => tx.getExecutor().adapter instanceof PostgresAdapter;

/** `data` is JSON. */
export const appendEvent = prepareWrite(
  (tx, orgId: string, type: EventTable['type'], data: string, now: number) =>
    isPostgres(tx)
      ? sql`
          with counter as (
            insert into event_counters (org_id, last) values (cast(${orgId} as uuid), 1)
            on conflict (org_id) do update set last = event_counters.last + 1
            returning org_id, last
          )
          insert into events (org_id, seq, type, data, created_at)
          select org_id, last, cast(${type} as text), cast(${data} as text), cast(${now} as bigint) from counter
        `
      : // SQLite writes to one table in a statement. A trigger counts, and while this transaction runs there is no other.
        sql`
          insert into events (org_id, seq, type, data, created_at)
          values (${orgId}, coalesce((select last from event_counters where org_id = ${orgId}), 0) + 1, ${type}, ${data}, ${now})
        `,
);

/** Counts a new draft, then appends its event: the order in which all transactions lock. */
export async function countDraftAndAppendEvent(
  tx: Tx,
  orgId: string,
  postType: string,
  accountId: string,
  type: EventTable['type'],
  data: string,
  now: number,
): Promise<void> {
  if (isPostgres(tx)) {
    await countAndAppendOnPostgres(tx, orgId, postType, accountId, type, data, now);
    return;
  }
  await countDraft(tx, orgId, postType, accountId);
  await appendEvent(tx, orgId, type, data, now);
}

/** Reserves this many numbers, and returns the last. */
export const raiseEventCounter = (tx: Tx, org_id: string, by: number) =>
  tx
    .insertInto('event_counters')
    .values({ org_id, last: by })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((eb) => ({ last: eb('event_counters.last', '+', by) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow();

const countDraft = prepareWrite(
  (_tx, orgId: string, postType: string, accountId: string) => sql`
    insert into post_counters (org_id, status, post_type, account_id, published, n)
    values (${orgId}, 'draft', ${postType}, ${accountId}, 0, 1)
    on conflict (org_id, status, post_type, account_id, published) do update set n = post_counters.n + 1
  `,
);

/** Each part reads the one before, so the locks are taken in that order here, too. */
const countAndAppendOnPostgres = prepareWrite(
  (_tx, orgId: string, postType: string, accountId: string, type: string, data: string, now: number) => sql`
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
  `,
);
