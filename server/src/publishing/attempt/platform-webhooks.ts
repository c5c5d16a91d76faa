// Webhooks of the platform. They arrive repeatedly, late and in any order, so they only trigger a poll: the poll's answer
// counts.
import { scheduleGrantChecks } from '../../accounts/platform-calls.js';
import type { App } from '../../app/app.js';
import { DAY_MS } from '../../core/durations.js';
import { unauthorized } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';

/** The platform repeats a webhook for this long. */
export const WEBHOOK_RETENTION_MS = 3 * DAY_MS;

/** Fails with 401 if the signature is not the platform's. */
export async function receiveWebhook(
  app: App,
  platform: string,
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
): Promise<void> {
  const notice = app.connector(platform).readWebhook(headers, body, app.clock.now());
  if (notice === null) throw unauthorized('The signature is not the platform’s, or is too old.');
  await app.db.transact(async (tx) => {
    const now = app.clock.now();
    const isNew = await tx
      .insertInto('platform_webhooks')
      .values({ key: notice.key, received_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst();
    if (!isNew) return;
    if (notice.isGrantGone && notice.openId !== null)
      await scheduleGrantChecks(tx, now, platform, notice.openId);
    if (notice.publishId !== null) await pollSoon(tx, now, platform, notice.publishId, notice.isPublic);
  });
}

/** Makes the next poll due immediately, unless a worker has the lease. Of a published post only its address is left to ask for. */
async function pollSoon(
  tx: Tx,
  now: number,
  platform: string,
  publishId: string,
  isPublic: boolean,
): Promise<void> {
  await tx
    .updateTable('dispatches')
    .set({ next_at: now })
    .where('platform', '=', platform)
    .where('publish_id', '=', publishId)
    .where((eb) =>
      eb.or([eb('outcome', '<>', 'published'), ...(isPublic ? [eb('platform_post_id', 'is', null)] : [])]),
    )
    .where('phase', 'in', ['observing', 'done'])
    .where('lease_until', 'is', null)
    .execute();
}
