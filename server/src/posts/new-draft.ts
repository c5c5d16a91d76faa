// A new draft is counted, and its event recorded. On Postgres both are one statement: they hold locks that every other
// creation of the organization waits for, and each statement is a round trip.
import { PostgresAdapter, sql } from 'kysely';
import { noteChange } from '../db/changes.js';
import { writeOnce } from '../db/compiled-once.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import { recordEvent } from '../events/record.js';
import { NO_ACCOUNT, recordPostChanges } from './counters.js';
import { createdEvent } from './life-record.js';

/** Call it last in a transaction. */
export async function recordDraft(tx: Tx, post: PostRow, now: number): Promise<void> {
  const { type, data } = createdEvent(post);
  const { org_id, id, post_type, social_account_id } = post;
  if (tx.getExecutor().adapter instanceof PostgresAdapter) {
    await countAndAppend(
      tx,
      org_id,
      post_type,
      social_account_id ?? NO_ACCOUNT,
      type,
      JSON.stringify(data),
      now,
    );
    noteChange(tx, org_id, { posts: [id], events: true });
  } else {
    await recordPostChanges(tx, [{ after: post }]);
    await recordEvent(tx, org_id, type, now, data);
  }
}

/** Each part reads the one before, so the locks are taken in the order that all transactions keep. */
const countAndAppend = writeOnce(
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
