// Disconnecting an account: immediate for the organization, as soon as possible at the platform.

import { setTimeout as delay } from 'node:timers/promises';
import type { App, TxApp } from '../app/app.js';
import { byCaller } from '../audit/record.js';
import type { Grant, PlatformFailure, Result } from '../connectors/connector.js';
import { DAY_MS } from '../core/durations.js';
import { asUuid } from '../core/ids.js';
import { toLogFields } from '../core/log.js';
import { notFound } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { AccountRef } from '../db/tables.js';
import type { CallerWithAddress } from '../request/caller.js';
import { LOST_COLUMNS, recordAccountLost } from './account-events.js';
import { whileRevoking } from './grant-calls.js';
import { callAsAccount } from './platform-calls.js';
import { findTokens, NO_TOKENS, RETRY_MS, type StoredTokens } from './stored-tokens.js';

/** How long a revocation waits for the platform or for open attempts. After that the tokens are wiped unrevoked. */
const GIVE_UP_MS = DAY_MS;

const NOTHING_TO_DO: Result<null> = { kind: 'ok', value: null };

/** An account on the platform is being connected, possibly that of the same person. */
const BEING_CONNECTED: PlatformFailure = {
  kind: 'later',
  code: 'being_connected',
  reason: 'An account is being connected at the moment; nothing was revoked (being_connected)',
  isUnsent: true,
};

const POLL_MS = 200;

/** The account leaves the organization now. Its tokens stay until `finishRevocation`. */
export async function disconnectAccount(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
): Promise<AccountRef> {
  const uuid = asUuid(id);
  const now = app.clock.now();
  const gone =
    uuid !== null &&
    (await tx
      .updateTable('social_accounts')
      .set({
        status: 'disconnected',
        status_reason: null,
        status_reason_code: null,
        // The worker takes over a revocation that is not done by then.
        refresh_at: now + RETRY_MS,
        updated_at: now,
      })
      .where(isRow({ org_id: caller.orgId, id: uuid }))
      .where('status', '<>', 'disconnected')
      .returning(LOST_COLUMNS)
      .executeTakeFirst());
  if (!gone) throw notFound('account');
  await recordAccountLost(app, tx, gone, byCaller(caller));
  return { org_id: gone.org_id, id: gone.id };
}

/** Right after the disconnection, within the request; the worker does what cannot be done now. */
export async function revokeNow(app: App, account: AccountRef): Promise<void> {
  try {
    const row = await findTokens(app, account);
    if (row) await finishRevocation(app, row);
  } catch (err) {
    app.log.warn(
      { ...toLogFields(err), org_id: account.org_id, account_id: account.id },
      'the access of an account could not be revoked yet; the worker retries',
    );
  }
}

/** For a consent that is refused: its tokens were never saved, so only this request can revoke them. */
export async function revokeUnsaved(
  app: App,
  platform: string,
  { openId, accessToken }: Grant,
): Promise<void> {
  try {
    // The platform keeps one grant per person and app. Tokens that are still kept, here or in another organization, depend on it.
    const answer = await whenNoExchange(app, platform, async (isInTime) => {
      if ((await hasTokens(app, platform, openId)) || !isInTime()) return NOTHING_TO_DO;
      const signal = AbortSignal.timeout(app.config.publishing.platformTimeoutMs);
      return app.connector(platform).revoke(accessToken, signal);
    });
    if (answer.kind !== 'ok')
      app.log.warn({ platform, answer: answer.kind }, 'the tokens of a refused consent could not be revoked');
  } catch (err) {
    app.log.warn({ ...toLogFields(err), platform }, 'the tokens of a refused consent could not be revoked');
  }
}

/** Whether any organization still has tokens for the account. */
async function hasTokens(app: App, platform: string, openId: string): Promise<boolean> {
  const account = await app.db.read
    .selectFrom('social_accounts')
    .select('id')
    .where('platform', '=', platform)
    .where('open_id', '=', openId)
    .where('access_token', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return account !== undefined;
}

/** Tries for as long as one call may take: no worker can do it later. */
async function whenNoExchange(
  app: App,
  platform: string,
  revoke: (isInTime: () => boolean) => Promise<Result<null>>,
): Promise<Result<null> | PlatformFailure> {
  const giveUpAt = performance.now() + app.config.publishing.platformTimeoutMs;
  for (;;) {
    const answer = await whileRevoking(app, platform, revoke);
    if (answer !== null) return answer;
    if (performance.now() >= giveUpAt || app.background.stopSignal.aborted) return BEING_CONNECTED;
    await delay(POLL_MS);
  }
}

/** Revokes and wipes the tokens of a disconnected account. If it must wait, the worker's next run does it. */
export async function finishRevocation(app: App, row: StoredTokens): Promise<void> {
  const isOver = app.clock.now() - row.updated_at >= GIVE_UP_MS;
  const mayWipe = row.access_token === null || isOver;
  if (mayWipe || (!(await isAttemptOpen(app, row)) && (await revokeGrant(app, row)))) await wipe(app, row);
}

async function revokeGrant(app: App, row: StoredTokens): Promise<boolean> {
  // The platform keeps one grant per person and app: revoking it would also cut off other organizations that use it.
  if (await isSharedPerson(app, row)) return true;
  const answer = await callAsAccount(app, row, async (token, signal, connector) => {
    const revoked = await whileRevoking(app, row.platform, async (isInTime) => {
      // Again, now that no exchange is under way: the account may have been reconnected, and the token would be theirs, or
      // another organization may have connected the same person.
      const { status } = (await findTokens(app, row)) ?? {};
      if (status !== 'disconnected' || (await isSharedPerson(app, row))) return NOTHING_TO_DO;
      return isInTime() ? connector.revoke(token, signal) : BEING_CONNECTED;
    });
    return revoked ?? BEING_CONNECTED;
  });
  return answer.kind === 'ok' || answer.kind === 'reauthorize';
}

/** Whether another account of any organization belongs to the same person. The result is not revealed to callers. */
async function isSharedPerson(app: App, { org_id, id, platform, open_id }: StoredTokens): Promise<boolean> {
  const other = await app.db.read
    .selectFrom('social_accounts')
    .select('id')
    .where('platform', '=', platform)
    .where('open_id', '=', open_id)
    .where('status', '=', 'connected')
    .where((eb) => eb.not(eb.and([eb('org_id', '=', org_id), eb('id', '=', id)])))
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** An open attempt is followed with the old tokens until its outcome is known. */
async function isAttemptOpen(app: App, { org_id, id }: AccountRef): Promise<boolean> {
  const open = await app.db.read
    .selectFrom('dispatches')
    .select('id')
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    .where('outcome', 'in', ['started', 'accepted'])
    .where('next_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/** Only while it is disconnected: reconnecting has brought new tokens. */
async function wipe(app: App, { org_id, id }: AccountRef): Promise<void> {
  await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      // Raising the fence keeps a renewal in progress from restoring the wiped tokens.
      .set((eb) => ({ ...NO_TOKENS, token_fence: eb('token_fence', '+', 1) }))
      .where(isRow({ org_id, id }))
      .where('status', '=', 'disconnected')
      .execute(),
  );
}
