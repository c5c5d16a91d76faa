// A webhook that was made with a key is disabled when the key ends: who had the key would still get every event.

import type { App, TxApp } from '../../app/app.js';
import { type Act, type Actor, bySystem, recordAudit } from '../../audit/record.js';
import { invalidateResponses } from '../../db/changes.js';
import type { Tx } from '../../db/database.js';
import type { WebhookEndpointRow } from '../../db/tables.js';
import { recordEvents } from '../record.js';

type Disabled = Pick<WebhookEndpointRow, 'id' | 'url'>;

const WHY = {
  revoked: 'The key that it was set up with was revoked.',
  expired: 'The key that it was set up with has expired.',
} as const;

/** With its rows in the audit log. The caller records the events, as the last writes of the transaction. */
export async function disableWebhooksOf(
  app: TxApp,
  tx: Tx,
  actor: Actor<string>,
  keyIds: readonly string[],
  why: keyof typeof WHY = 'revoked',
): Promise<Disabled[]> {
  if (keyIds.length === 0) return [];
  const { orgId } = actor;
  const now = app.clock.now();
  // In the order of their ids, as several of them are locked.
  const found = await tx
    .selectFrom('webhook_endpoints')
    .select(['id', 'url', 'made_with'])
    .where('org_id', '=', orgId)
    .where('made_with', 'is not', null)
    .where('enabled', '=', 1)
    .orderBy('id')
    .forUpdate()
    .execute();
  const ended = new Set(keyIds);
  const disabled = found.filter(({ made_with }) => made_with !== null && ended.has(made_with));
  if (disabled.length === 0) return [];
  await tx
    .updateTable('webhook_endpoints')
    .set({ enabled: 0, disabled_reason: null, disabled_at: now, key_ended_at: now, updated_at: now })
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      disabled.map(({ id }) => id),
    )
    .execute();
  invalidateResponses(tx, orgId);
  const acts = disabled.map(
    ({ id, url }): Act => ({
      action: 'webhook.disabled',
      target: { id, name: new URL(url).host },
      details: { reason: WHY[why] },
    }),
  );
  await recordAudit(app, tx, actor, ...acts);
  return disabled;
}

/** Call it last in the transaction. */
export const recordDisabled = (
  app: TxApp,
  tx: Tx,
  orgId: string,
  disabled: readonly Disabled[],
  why: keyof typeof WHY = 'revoked',
): Promise<void> =>
  recordEvents(
    tx,
    orgId,
    app.clock.now(),
    disabled.map(({ id }) => ({
      type: 'webhook.disabled',
      data: { webhook_id: id, reason: WHY[why] },
    })),
  );

/** Disables the webhooks of expired keys, in all organizations. A revocation disables them itself; no request ends an expired key. */
export async function disableForExpiredKeys(app: App): Promise<void> {
  const expired = await app.db.read
    .selectFrom('webhook_endpoints')
    .innerJoin('api_keys', (join) =>
      join
        .onRef('api_keys.org_id', '=', 'webhook_endpoints.org_id')
        .onRef('api_keys.id', '=', 'webhook_endpoints.made_with'),
    )
    .select(['api_keys.org_id', 'api_keys.id'])
    .distinct()
    .where('webhook_endpoints.made_with', 'is not', null)
    .where('webhook_endpoints.enabled', '=', 1)
    .where('api_keys.expires_at', '<=', app.clock.now())
    .execute();
  for (const { org_id, id } of expired)
    await app.db.transact(async (tx) => {
      const disabled = await disableWebhooksOf(app, tx, bySystem(org_id), [id], 'expired');
      await recordDisabled(app, tx, org_id, disabled, 'expired');
    });
}
