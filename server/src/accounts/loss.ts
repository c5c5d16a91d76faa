// Records the event of an account that can no longer be used, whatever the cause.
import type { Platform } from '../api/platforms.js';
import { noteChange } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { SocialAccountRow } from '../db/tables.js';
import { recordEvent } from '../events/record.js';

export const LOST_COLUMNS = [
  'org_id',
  'id',
  'platform',
  'username',
  'status',
  'status_reason',
] as const satisfies (keyof SocialAccountRow)[];

type Lost = Pick<SocialAccountRow, (typeof LOST_COLUMNS)[number]>;

/** `account` is its state after the change. Call it last in the transaction. */
export async function tellOfLoss(tx: Tx, account: Lost, now: number): Promise<void> {
  const { org_id, id, platform, username, status, status_reason } = account;
  noteChange(tx, org_id, { accounts: true });
  if (status === 'connected') return;
  const lost = {
    social_account_id: id,
    platform: platform as Platform,
    username,
    account_status: status,
    reason: status_reason,
  };
  await recordEvent(tx, org_id, 'account.disconnected', now, lost);
}
