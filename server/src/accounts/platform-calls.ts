// Calls to the platform on behalf of an account: with a live token, renewed in time, and with lost grants detected.

import type { Connector, PlatformFailure } from '../connectors/connector.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { App } from '../request/app.js';
import { type AccountRef, findTokens, postponeIfKeyUnknown, splitScopes } from './stored-tokens.js';
import {
  type AccountAccess,
  markReconnectRequired,
  openUsableTokens,
  type Reauthorize,
  renewAccess,
} from './token-renewal.js';

/** A token that expires sooner than this is renewed before use. */
const MIN_LIFE_MS = 60_000;

/**
 * Calls the platform on behalf of an account: with a live access token, and once more with a new one if the platform
 * rejects the first. A lost grant marks the account as `reconnect_required`. Platform errors are returned, not thrown.
 *
 * `before` runs directly before each call, and what it returns is returned instead of calling. For the second call it gets the
 * first answer: that the token was too old does not prove that the platform took nothing.
 */
export async function callAsAccount<T extends { kind: string }>(
  app: App,
  account: AccountRef,
  call: (accessToken: string, signal: AbortSignal, connector: Connector) => Promise<T | PlatformFailure>,
  before?: (tooOld: Reauthorize | null) => Promise<T | PlatformFailure | null>,
): Promise<T | PlatformFailure> {
  let access = await openAccess(app, account);
  for (let tooOld: Reauthorize | null = null; ; ) {
    if ('kind' in access) return access;
    const { accessToken, row } = access;
    const withheld = await before?.(tooOld);
    if (withheld) return withheld;
    const connector = app.connector(row.platform);
    const signal = AbortSignal.timeout(app.config.publishing.platformTimeoutMs);
    const answer = await call(accessToken, signal, connector);
    if (!isReauthorize(answer)) return answer;
    if (answer.cure === 'consent') {
      // The grant does not cover the call. If it never did, the account keeps working with the scopes it has; otherwise the
      // person has withdrawn one.
      const isWithdrawn = connector.consent.missingScopes(splitScopes(row.scopes)).length === 0;
      if (isWithdrawn) await markReconnectRequired(app, row, answer.reason);
      return answer;
    }
    // A fresh token that is rejected is the platform's fault, and no reason to ask a person to reconnect.
    if (tooOld !== null) return { kind: 'later', code: answer.code, reason: answer.reason };
    tooOld = answer;
    access = await renewAccess(app, row);
  }
}

const isReauthorize = (answer: { kind: string }): answer is Reauthorize => answer.kind === 'reauthorize';

const openAccess = (app: App, account: AccountRef): Promise<AccountAccess | PlatformFailure> =>
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
  await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set({ access_expires_at: 0, refresh_at: app.clock.now() })
      .where(isRow({ org_id, id }))
      .where('status', '=', 'connected')
      .execute(),
  );
}

/** For notifications that a person has revoked the grant: the next renewal of each account finds out whether that is true. */
export async function scheduleGrantChecks(
  tx: Tx,
  now: number,
  platform: string,
  openId: string,
): Promise<void> {
  await tx
    .updateTable('social_accounts')
    .set({ access_expires_at: 0, refresh_at: now })
    .where('platform', '=', platform)
    .where('open_id', '=', openId)
    .where('status', '=', 'connected')
    .execute();
}
