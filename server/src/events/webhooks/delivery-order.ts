// Deliveries of an endpoint about the same subject are sent one after another: only the first pending one has a `next_at`.
import { sql } from 'kysely';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { WebhookEndpointRow } from '../../db/tables.js';

export type EndpointRef = Pick<WebhookEndpointRow, 'org_id' | 'id'>;

/** Locks the endpoint. Call it before any change of what is pending. */
export const lockEndpoint = (tx: Tx, { org_id, id }: EndpointRef): Promise<WebhookEndpointRow | undefined> =>
  tx.selectFrom('webhook_endpoints').selectAll().where(isRow({ org_id, id })).forUpdate().executeTakeFirst();

/**
 * After deliveries of these subjects became pending, or ended. The endpoint is locked. Postgres, without statistics of the
 * table, takes all that an endpoint has pending for a few rows, and would read it: so each subject is looked up by itself,
 * in the order of the index of what is queued, and the last condition keeps the index of what is due out of it.
 */
export async function promoteFirstPending(
  tx: Tx,
  { org_id, id }: EndpointRef,
  subjects: readonly string[],
  now: number,
): Promise<void> {
  const pending = sql`select id from webhook_deliveries where org_id = ${org_id} and endpoint_id = ${id}
    and state = 'pending' and subject = wanted.subject`;
  for (let isSettled = false; !isSettled; ) {
    const { rows } = await sql<{ first: string | null; early: string | null }>`
      with wanted (subject) as (values ${sql.join(subjects.map((subject) => sql`(${subject})`))})
      select (${pending} order by event_seq limit 1) as first,
        (${pending} and lease_until is null and coalesce(next_at, 0) > 0 order by event_seq desc limit 1) as early
      from wanted`.execute(tx);
    const first = rows.flatMap((row) => row.first ?? []);
    await setNext(tx, org_id, first, now, true);
    // An earlier one is pending again. Of several, the last one is found first.
    const early = rows.flatMap((row) => (row.early === row.first ? [] : (row.early ?? [])));
    await setNext(tx, org_id, early, null, false);
    isSettled = early.length === 0;
  }
}

async function setNext(
  tx: Tx,
  orgId: string,
  ids: string[],
  next_at: number | null,
  isWaiting: boolean,
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('webhook_deliveries')
    .set({ next_at })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where('next_at', isWaiting ? 'is' : 'is not', null)
    .execute();
}
