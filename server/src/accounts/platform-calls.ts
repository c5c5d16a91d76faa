// Calls to the platform on behalf of an account: with a live token, renewed in time, and with lost grants detected.

import type { Connector, PlatformFailure } from '../connectors/connector.js';
import type { Tx } from '../db/database.js';
import type { App } from '../request/app.js';
import { splitScopes } from './scopes.js';
import { type AccountRef, findTokens, type StoredTokens } from './stored-tokens.js';
import {
  type Access,
  asLater,
  markReconnectRequired,
  openUsableTokens,
  type Reauthorize,
  renewAccess,
} from './token-renewal.js';
import { postponeIfKeyUnknown } from './unknown-key.js';

/** A token that expires sooner than this is renewed before use. */
const MIN_LIFE_MS = 60_000;

type Call<T> = (
  accessToken: string,
  signal: AbortSignal,
  connector: Connector,
) => Promise<T | PlatformFailure>;

/**
 * Calls the platform on behalf of an account: with a live access token, and once more with a new one if the platform
 * rejects the first. A lost grant marks the account as `reconnect_required`. Platform errors are returned, not thrown. For
 * calls that may be repeated; one that may not takes these steps itself.
 */
export async function callAsAccount<T extends { kind: string }>(
  app: App,
  account: AccountRef,
  call: Call<T>,
): Promise<T | PlatformFailure> {
  const access = await openAccess(app, account);
  if ('kind' in access) return access;
  const answer = await callWith(app, access, call);
  if (!isTokenTooOld(answer)) return judgeAnswer(app, access, answer);
  const renewed = await renewAccess(app, access.row);
  if ('kind' in renewed) return renewed;
  return judgeAnswer(app, renewed, await callWith(app, renewed, call));
}

export const openAccess = (app: App, account: AccountRef): Promise<Access | PlatformFailure> =>
  postponeIfKeyUnknown(app, account, () => findAccess(app, account));

export const callWith = <T>(
  app: App,
  { accessToken, row }: Access,
  call: Call<T>,
): Promise<T | PlatformFailure> => call(accessToken, deadline(app), app.connector(row.platform));

/** The platform wants a newer token. Whether it took nothing is for the caller to know: `renewAccess` comes next. */
export const isTokenTooOld = (answer: { kind: string }): answer is Reauthorize =>
  isReauthorize(answer) && answer.cure === 'refresh';

/** What the last answer says about the account. Records a lost grant. */
export async function judgeAnswer<T extends { kind: string }>(
  app: App,
  { row }: Access,
  answer: T | PlatformFailure,
): Promise<T | PlatformFailure> {
  if (!isReauthorize(answer)) return answer;
  if (answer.cure === 'consent') return handleMissingScope(app, row, answer);
  // A fresh token that is rejected is the platform's fault, and no reason to ask a person to reconnect.
  return asLater(answer);
}

/** The grant may be gone: the next use or renewal finds out. Does not affect a grant given since. */
export async function scheduleGrantCheck(app: App, { org_id, id }: AccountRef): Promise<void> {
  await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set({ access_expires_at: 0, refresh_at: app.clock.now() })
      .where('org_id', '=', org_id)
      .where('id', '=', id)
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

async function findAccess(app: App, account: AccountRef): Promise<Access | PlatformFailure> {
  const row = await findTokens(app, account);
  const found = await openUsableTokens(app, row);
  if ('kind' in found || isFresh(app, found.row)) return found;
  const renewed = await renewAccess(app, found.row);
  // The current token may outlast the platform's outage.
  const isAlive = app.clock.now() < (found.row.access_expires_at ?? 0);
  return 'kind' in renewed && renewed.kind === 'later' && isAlive ? found : renewed;
}

/** In the first half of its life, or far enough from its end: short-lived tokens would otherwise be renewed at each use. */
function isFresh(app: App, { access_expires_at, refresh_at }: StoredTokens): boolean {
  const now = app.clock.now();
  const left = (access_expires_at ?? 0) - now;
  const least = Math.max(MIN_LIFE_MS, app.config.publishing.platformTimeoutMs);
  return left > least || (left > 0 && now < (refresh_at ?? 0));
}

/**
 * The grant does not cover the call. If it never did, the account keeps working with the scopes it has; otherwise the
 * person has withdrawn one.
 */
async function handleMissingScope(
  app: App,
  row: StoredTokens,
  setback: Reauthorize,
): Promise<PlatformFailure> {
  const { consent } = app.connector(row.platform);
  if (consent.missingScopes(splitScopes(row.scopes)).length === 0)
    await markReconnectRequired(app, row, setback.reason, row);
  return setback;
}

const deadline = (app: App) => AbortSignal.timeout(app.config.publishing.platformTimeoutMs);

const isReauthorize = (answer: { kind: string }): answer is Reauthorize => answer.kind === 'reauthorize';
