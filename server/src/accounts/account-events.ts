// Records the events of accounts: one was connected, or can no longer be used, whatever the cause.

import type { TxApp } from '../app/app.js';
import { type Actor, recordAudit } from '../audit/record.js';
import { markChanged } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { SocialAccountRow } from '../db/tables.js';
import { recordEvent } from '../events/record.js';
import type { Platform } from '../request/platforms.js';

export const LOST_COLUMNS = [
  'org_id',
  'id',
  'platform',
  'username',
  'status',
  'status_reason',
] as const satisfies (keyof SocialAccountRow)[];

type Lost = Pick<SocialAccountRow, (typeof LOST_COLUMNS)[number]>;

/** `account` is its state after the change, and `actor` the cause of it. Call it last in the transaction. */
export async function recordAccountLost(app: TxApp, tx: Tx, account: Lost, actor: Actor): Promise<void> {
  const { org_id, id, platform, username, status, status_reason } = account;
  markChanged(tx, org_id, { accounts: true });
  if (status === 'connected') return;
  await recordAudit(app, tx, actor, {
    action: status === 'disconnected' ? 'account.disconnected' : 'account.revoked',
    target: { id, name: username },
    details: { platform: platform as Platform, ...(status_reason === null ? {} : { reason: status_reason }) },
  });
  const lost = {
    social_account_id: id,
    platform: platform as Platform,
    username,
    account_status: status,
    reason: status_reason,
  };
  await recordEvent(tx, org_id, 'account.disconnected', app.clock.now(), lost);
}

/** The account's name is null until the platform gives one. Call this last in the transaction. */
export async function recordAccountConnected(
  app: TxApp,
  tx: Tx,
  { org_id, id, platform, username }: Pick<Lost, 'org_id' | 'id' | 'platform'> & { username: string | null },
  isReconnected: boolean,
): Promise<void> {
  await recordEvent(tx, org_id, 'account.connected', app.clock.now(), {
    social_account_id: id,
    platform: platform as Platform,
    ...(username === null ? {} : { username }),
    is_reconnected: isReconnected,
  });
}
