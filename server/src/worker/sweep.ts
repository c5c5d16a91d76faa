// Deletes expired rows in small batches: a long statement would block every other writer.
import { sql } from 'kysely';
import type { App } from '../app/app.js';
import { HOUR_MS } from '../core/durations.js';
import { firstIdAt } from '../core/ids.js';
import { anyTable } from '../db/any-table.js';
import { WRITTEN_AHEAD_MS } from '../db/clock-checks.js';
import type { Tables } from '../db/tables.js';
import { EVENT_RETENTION_MS } from '../events/record.js';
import { disableForExpiredKeys } from '../events/webhooks/ended-keys.js';
import { sweepDeliveries } from '../events/webhooks/sweep.js';
import { NETWORK_RETENTION_MS } from '../identity/auth/factors/wrong-codes.js';
import { WEBHOOK_RETENTION_MS } from '../publishing/attempt/platform-webhooks.js';
import { REPORT_RETENTION_MS } from '../publishing/schedule/at-risk.js';
import { IDEMPOTENCY_RETENTION_MS } from '../request/idempotency-record.js';

const BATCH = 500;

interface Expired {
  table: keyof Tables;
  /** The column that tells the age, and the last value at which a row has expired. */
  by: string;
  until: number | string;
  /** Names a row, so that batches can be removed; without it, all are: there are few. */
  key?: readonly string[];
  /** A row may be renewed while the statement waits for it, so its age is compared again. */
  mayBeRenewed?: true;
}

/** `now` is the clock's, but in tests. */
export async function sweep(app: App, now = app.clock.now()): Promise<void> {
  await app.db.transact((tx) =>
    tx
      .deleteFrom('workers')
      // Also those of a time before the clock was set back: they would look alive. A worker that is signs on again.
      .where((eb) =>
        eb.or([eb('heartbeat_at', '<', now - HOUR_MS), eb('heartbeat_at', '>', now + WRITTEN_AHEAD_MS)]),
      )
      .execute(),
  );
  const sentBefore = now - EVENT_RETENTION_MS;
  const recordedBefore = now - IDEMPOTENCY_RETENTION_MS;
  const expired: Expired[] = [
    { table: 'platform_webhooks', by: 'received_at', until: now - WEBHOOK_RETENTION_MS },
    // States of consents that were never completed.
    { table: 'oauth_states', by: 'expires_at', until: now, key: ['hash'] },
    { table: 'sessions', by: 'ends_at', until: now, key: ['hash'], mayBeRenewed: true },
    // Each is created by hand.
    { table: 'invitations', by: 'expires_at', until: now },
    { table: 'person_links', by: 'expires_at', until: now },
    { table: 'sign_in_tickets', by: 'expires_at', until: now, key: ['hash'] },
    {
      table: 'person_networks',
      by: 'seen_at',
      until: now - NETWORK_RETENTION_MS,
      key: ['org_id', 'person_id', 'network'],
      mayBeRenewed: true,
    },
    {
      table: 'idempotency_records',
      by: 'created_at',
      until: recordedBefore,
      key: ['org_id', 'key'],
      mayBeRenewed: true,
    },
    { table: 'events', by: 'created_at', until: sentBefore, key: ['org_id', 'seq'] },
    // Secrets that no longer sign: each was replaced by hand.
    { table: 'webhook_previous_secrets', by: 'valid_until', until: now },
    // Calls of processes that stopped meanwhile.
    { table: 'grant_calls', by: 'valid_until', until: now },
    { table: 'audit', by: 'id', until: firstIdAt(now - app.config.auditKeptMs), key: ['id'] },
    {
      table: 'reported_risks',
      by: 'slot',
      until: now - REPORT_RETENTION_MS,
      key: ['org_id', 'post_id', 'slot', 'code'],
    },
  ];
  for (const rows of expired) while ((await removeExpired(app, rows)) === BATCH);
  await disableForExpiredKeys(app);
  while ((await sweepDeliveries(app, now, BATCH)) === BATCH);
}

/** Returns how many rows a batch had; 0 without batches. */
async function removeExpired({ db }: App, { table, by, until, key, mayBeRenewed }: Expired): Promise<number> {
  const isOver = sql<boolean>`${sql.ref(by)} <= ${until}`;
  return db.transact(async (tx) => {
    const rows = anyTable(tx).deleteFrom(table);
    if (key === undefined) {
      await rows.where(isOver).execute();
      return 0;
    }
    const oldest = anyTable(tx).selectFrom(table).select(key).where(isOver).orderBy(sql.ref(by)).limit(BATCH);
    const batch = rows.where(sql<boolean>`(${sql.join(key.map((name) => sql.ref(name)))}) in ${oldest}`);
    const { numDeletedRows } = await (mayBeRenewed ? batch.where(isOver) : batch).executeTakeFirst();
    return Number(numDeletedRows);
  });
}
