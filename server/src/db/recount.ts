// Counts again what counters keep, for a check of them.
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.js';
import { NO_ACCOUNT, type Tables } from './tables.js';

/** A cell whose counter is not what its rows say. */
export interface WrongCounter {
  cell: string;
  counted: number;
  counter: number;
}

const account = sql`coalesce(cast(social_account_id as text), ${sql.lit(NO_ACCOUNT)})`;

/** For each counter, its rows and what it keeps of them, by cell. Triggers keep the inbox, the bytes and the booked slots. */
const COUNTERS = {
  posts: sql`
    select org_id || ' ' || status || ' ' || post_type || ' ' || ${account}
        || case when posted_at is null then ' 0' else ' 1' end as cell, count(*) as counted, 0 as counter
      from posts group by org_id, status, post_type, social_account_id, posted_at is null
    union all
    select org_id || ' ' || status || ' ' || post_type || ' ' || account_id || ' ' || published, 0, n
      from post_counters`,
  inbox: sql`
    select org_id || ' ' || status || ' ' || post_type || ' ' || ${account} as cell, 1 as counted, 0 as counter
      from posts where last_outcome = 'in_inbox'
    union all
    select org_id || ' ' || status || ' ' || post_type || ' ' || account_id, 0, n from inbox_counters`,
  dispatches: sql`
    select org_id || ' ' || outcome as cell, 1 as counted, 0 as counter from dispatches
    union all
    select org_id || ' ' || outcome, 0, n from dispatch_counters`,
  bytes: sql`
    select org_id || ' bytes in files' as cell,
        coalesce(case state when 'ready' then size when 'pending' then coalesce(announced_length, size) end, 0) as counted,
        0 as counter
      from assets
    union all
    select org_id || ' bytes in files', coalesce(size, 0), 0 from objects_to_delete
    union all
    select org_id || ' bytes in responses', coalesce(length(response), 0), 0 from idempotency_records
    union all
    select org_id || ' bytes in ' || kind, 0, n from stored_bytes`,
  slots: sql`
    select 'slot ' || org_id || ' ' || id || ' ' || scheduled_at || case when exists (select 1 from assets
        where assets.org_id = posts.org_id and assets.post_id = posts.id and assets.state = 'ready')
      then ' 1' else ' 0' end as cell, 1 as counted, 0 as counter
      from posts where status = 'scheduled'
    union all
    select 'slot ' || org_id || ' ' || post_id || ' ' || scheduled_at || ' ' || has_media, 0, 1 from booked_slots`,
};

/** Returns every cell that is wrong. One statement for each counter sees one snapshot, even while others write. */
export async function recount(
  db: Database,
  names = Object.keys(COUNTERS) as (keyof typeof COUNTERS)[],
): Promise<WrongCounter[]> {
  const wrong: WrongCounter[] = [];
  for (const name of names) {
    const { rows } = await sql<WrongCounter>`
      select cell, sum(counted) as counted, sum(counter) as counter from (${COUNTERS[name]}) as both_sides
      group by cell having sum(counted) <> sum(counter)`.execute(db.read as Kysely<Tables>);
    for (const { cell, counted, counter } of rows)
      wrong.push({ cell, counted: Number(counted), counter: Number(counter) });
  }
  return wrong;
}
