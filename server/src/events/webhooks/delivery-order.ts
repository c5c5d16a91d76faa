// Deliveries of an endpoint about the same subject are sent one after another: only the first pending one has a `next_at`.
import { sql } from 'kysely';
import type { Tx } from '../../db/database.js';
import type { WebhookEndpointRow } from '../../db/tables.js';

export type EndpointRef = Pick<WebhookEndpointRow, 'org_id' | 'id'>;

/** Everything that changes what is pending locks the endpoint first. */
export const lockEndpoint = (tx: Tx, { org_id, id }: EndpointRef): Promise<WebhookEndpointRow | undefined> =>
  tx
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** After deliveries of these subjects became pending, or ended. The endpoint is locked. */
export async function promoteFirstPending(
  tx: Tx,
  { org_id, id }: EndpointRef,
  subjects: readonly string[],
  now: number,
): Promise<void> {
  const pending = await tx
    .selectFrom('webhook_deliveries')
    .select(['id', 'subject', 'next_at', 'lease_until'])
    .where('org_id', '=', org_id)
    .where('endpoint_id', '=', id)
    // Not a parameter: the index has pending ones only.
    .where('state', '=', sql.lit('pending'))
    .where('subject', 'in', subjects)
    .orderBy('event_seq')
    .execute();
  const led = new Set<string>();
  const first: string[] = [];
  const waiting: string[] = [];
  for (const { id, subject, next_at, lease_until } of pending) {
    if (!led.has(subject)) {
      if (next_at === null) first.push(id);
    } else if (next_at !== null && lease_until === null) waiting.push(id);
    led.add(subject);
  }
  await setNext(tx, org_id, first, now);
  await setNext(tx, org_id, waiting, null);
}

async function setNext(tx: Tx, orgId: string, ids: string[], next_at: number | null): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('webhook_deliveries')
    .set({ next_at })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where('state', '=', 'pending')
    .execute();
}
