// Deliveries and their attempts expire with the events that caused them.
import type { App } from '../../app/app.js';
import { EVENT_RETENTION_MS } from '../record.js';
import { promoteFirstPending } from './delivery-order.js';

/** Removes a batch of expired deliveries of all organizations, pending ones too. Returns how many. */
export function sweepDeliveries(app: App, now: number, limit: number) {
  return app.db.transact(async (tx) => {
    const expired = await tx
      .selectFrom('webhook_deliveries')
      .select(['org_id', 'id', 'endpoint_id', 'subject', 'state'])
      .where('created_at', '<=', now - EVENT_RETENTION_MS)
      .orderBy('created_at')
      .limit(limit)
      .execute();
    for (const org_id of new Set(expired.map((row) => row.org_id))) {
      const rows = expired.filter((row) => row.org_id === org_id);
      const ids = rows.map(({ id }) => id);
      for (const [table, column] of [
        ['webhook_attempts', 'delivery_id'],
        ['webhook_deliveries', 'id'],
      ] as const)
        await tx.deleteFrom(table).where('org_id', '=', org_id).where(column, 'in', ids).execute();
      // What waited for one of them is first in its line now.
      for (const { endpoint_id: id, subject, state } of rows)
        if (state === 'pending') await promoteFirstPending(tx, { org_id, id }, [subject], now);
    }
    return expired.length;
  });
}
