// Calls to the platform on behalf of an account: with a live token, renewed in time, and with lost grants detected.

import type { App } from '../app/app.js';
import type { Connector, PlatformFailure } from '../connectors/connector.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { AccountRef } from '../db/tables.js';
import { findTokens, postponeIfKeyUnknown, splitScopes } from './stored-tokens.js';
import {
  type AccountAccess,
  markReconnectRequired,
  openUsableTokens,
  type Reauthorize,
  renewAccess,
} from './token-renewal.js';

/** A token that expires sooner than this is renewed before use. */
const MIN_LIFE_MS = 60_000;

type Call<T> = (
  accessToken: string,
  signal: AbortSignal,
  connector: Connector,
) => Promise<T | PlatformFailure>;

/**
 * Calls the platform on behalf of an account: with a live access token, and once more with a new one if the platform
 * rejects the first. A lost grant marks the account as `reconnect_required`. Platform errors are returned, not thrown.
 *
 * Only for calls of which nothing visible comes: that a token was too old does not prove that the platform took nothing.
 */
export async function callAsAccount<T extends { kind: string }>(
  app: App,
  account: AccountRef,
  call: Call<T>,
): Promise<T | PlatformFailure> {
  const access = await openAccess(app, account);
  if ('kind' in access) return access;
  const answer = await callWith(app, access, call);
  if (!isTokenTooOld(answer)) return answer;
  const renewed = await renewAccess(app, access.row);
  return 'kind' in renewed ? renewed : callWithRenewed(app, renewed, call);
}

/** One call. A token that is too old is for the caller to renew, with `renewAccess`. */
export async function callWith<T extends { kind: string }>(
  app: App,
  { accessToken, row }: AccountAccess,
  call: Call<T>,
): Promise<T | PlatformFailure> {
  const connector = app.connector(row.platform);
  const signal = AbortSignal.timeout(app.config.publishing.platformTimeoutMs);
  const answer = await call(accessToken, signal, connector);
  if (isReauthorize(answer) && answer.cure === 'consent') {
    // The grant does not cover the call. If it never did, the account keeps working with the scopes it has; otherwise the
    // person has withdrawn one.
    const isWithdrawn = connector.consent.missingScopes(splitScopes(row.scopes)).length === 0;
    if (isWithdrawn) await markReconnectRequired(app, row, answer);
  }
  return answer;
}

/** A fresh token that is rejected is the platform's fault, and no reason to ask a person to reconnect. */
export async function callWithRenewed<T extends { kind: string }>(
  app: App,
  access: AccountAccess,
  call: Call<T>,
): Promise<T | PlatformFailure> {
  const answer = await callWith(app, access, call);
  return isTokenTooOld(answer) ? { kind: 'later', code: answer.code, reason: answer.reason } : answer;
}

const isReauthorize = (answer: { kind: string }): answer is Reauthorize => answer.kind === 'reauthorize';

export const isTokenTooOld = (answer: { kind: string }): answer is Reauthorize =>
  isReauthorize(answer) && answer.cure === 'refresh';

/** A token that lives long enough for a call, renewed if need be. */
export const openAccess = (app: App, account: AccountRef): Promise<AccountAccess | PlatformFailure> =>
  postponeIfKeyUnknown(app, account, async () => {
    const found = await openUsableTokens(app, await findTokens(app, account));
    if ('kind' in found) return found;
    const { access_expires_at, refresh_at } = found.row;
    const now = app.clock.now();
    const left = (access_expires_at ?? 0) - now;
    const least = Math.max(MIN_LIFE_MS, app.config.publishing.platformTimeoutMs);
    // In the first half of its life, or far enough from its end: short-lived tokens would otherwise be renewed at each use.
    if (left > least || (left > 0 && now < (refresh_at ?? 0))) return found;
    const renewed = await renewAccess(app, found.row);
    // The current token may outlast the platform's outage.
    const isAlive = app.clock.now() < (access_expires_at ?? 0);
    return 'kind' in renewed && renewed.kind === 'later' && isAlive ? found : renewed;
  });

/** The grant may be gone: the next use or renewal finds out. Does not affect a grant given since. */
export async function scheduleGrantCheck(app: App, { org_id, id }: AccountRef): Promise<void> {
  await app.db.transact((tx) => expireTokens(tx, app.clock.now()).where(isRow({ org_id, id })).execute());
}

/** For notifications that a person has revoked the grant: the next renewal of each account finds out whether that is true. */
export async function scheduleGrantChecks(
  tx: Tx,
  now: number,
  platform: string,
  openId: string,
): Promise<void> {
  await expireTokens(tx, now).where('platform', '=', platform).where('open_id', '=', openId).execute();
}

const expireTokens = (tx: Tx, now: number) =>
  tx
    .updateTable('social_accounts')
    .set({ access_expires_at: 0, refresh_at: now })
    .where('status', '=', 'connected');
