// Calls to the platform on behalf of an account: with a live token, renewed in time by one process at a time, and with
// lost grants detected.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../api/app.js';
import { byPlatform } from '../audit/record.js';
import type { Connector, Setback, Tokens } from '../connectors/connector.js';
import type { Tx } from '../db/database.js';
import { LOST_COLUMNS, tellOfLoss } from './connection-record.js';
import {
  type AccountRef,
  findTokens,
  isSameToken,
  type KeptTokens,
  lockRenewal,
  openToken,
  openTokens,
  renewalLockMs,
  unlockRenewal,
} from './kept-tokens.js';
import { splitScopes } from './scopes.js';
import { unlessKeyUnknown } from './unknown-key.js';
import { awaitSaving, keepGrant } from './unsaved-grants.js';

type Reauthorize = Extract<Setback, { kind: 'reauthorize' }>;

/** A token that expires sooner than this is renewed before use. */
const MIN_LIFE_MS = 60_000;
const POLL_MS = 50;

/** What a call on behalf of an account needs: a token that is valid as far as we know, and the row it comes from. */
export interface Access {
  row: KeptTokens;
  accessToken: string;
}

type Call<T> = (accessToken: string, signal: AbortSignal, connector: Connector) => Promise<T | Setback>;

/**
 * Calls the platform on behalf of an account: with a live access token, and once more with a new one if the platform
 * rejects the first. A lost grant marks the account as `reconnect_required`. Platform errors are returned, not thrown. For
 * calls that may be repeated; one that may not takes these steps itself.
 */
export async function asAccount<T extends { kind: string }>(
  app: App,
  account: AccountRef,
  call: Call<T>,
): Promise<T | Setback> {
  const access = await openAccess(app, account);
  if ('kind' in access) return access;
  const answer = await callWith(app, access, call);
  if (!isTokenTooOld(answer)) return judgeAnswer(app, access, answer);
  const renewed = await renewAccess(app, access.row);
  if ('kind' in renewed) return renewed;
  return judgeAnswer(app, renewed, await callWith(app, renewed, call));
}

export const openAccess = (app: App, account: AccountRef): Promise<Access | Setback> =>
  unlessKeyUnknown(app, account, () => findAccess(app, account));

export const callWith = <T>(app: App, { accessToken, row }: Access, call: Call<T>): Promise<T | Setback> =>
  call(accessToken, deadline(app), app.connector(row.platform));

/** The platform wants a newer token. Whether it took nothing is for the caller to know: `renewAccess` comes next. */
export const isTokenTooOld = (answer: { kind: string }): answer is Reauthorize =>
  isReauthorize(answer) && answer.cure === 'refresh';

/** What the last answer says about the account. Records a lost grant. */
export async function judgeAnswer<T extends { kind: string }>(
  app: App,
  { row }: Access,
  answer: T | Setback,
): Promise<T | Setback> {
  if (!isReauthorize(answer)) return answer;
  if (answer.cure === 'consent') return tooSmall(app, row, answer);
  // A fresh token that is rejected is the platform's fault, and no reason to ask a person to reconnect.
  return asLater(answer);
}

/** The grant may be gone: the next use or renewal finds out. Does not affect a grant given since. */
export async function doubtGrant(app: App, { org_id, id }: AccountRef): Promise<void> {
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
export async function checkGrants(tx: Tx, now: number, platform: string, openId: string): Promise<void> {
  await tx
    .updateTable('social_accounts')
    .set({ access_expires_at: 0, refresh_at: now })
    .where('platform', '=', platform)
    .where('open_id', '=', openId)
    .where('status', '=', 'connected')
    .execute();
}

async function findAccess(app: App, account: AccountRef): Promise<Access | Setback> {
  const row = await findTokens(app, account);
  const found = await usableOf(app, row);
  if ('kind' in found || isFresh(app, found.row)) return found;
  const renewed = await renewAccess(app, found.row);
  // The current token may outlast the platform's outage.
  const isAlive = app.clock.now() < (found.row.access_expires_at ?? 0);
  return 'kind' in renewed && renewed.kind === 'later' && isAlive ? found : renewed;
}

/** In the first half of its life, or far enough from its end: short-lived tokens would otherwise be renewed at each use. */
function isFresh(app: App, { access_expires_at, refresh_at }: KeptTokens): boolean {
  const now = app.clock.now();
  const left = (access_expires_at ?? 0) - now;
  const least = Math.max(MIN_LIFE_MS, app.config.publishing.platformTimeoutMs);
  return left > least || (left > 0 && now < (refresh_at ?? 0));
}

/** A disconnected account with tokens still works: open attempts are followed to their end before the tokens are revoked. */
async function usableOf(app: App, row: KeptTokens | undefined): Promise<Access | Setback> {
  if (!row || row.status === 'reconnect_required' || (row.status === 'disconnected' && !row.access_token))
    return goneBefore(row?.status_reason ?? null);
  const accessToken = openToken(app, row, 'access_token');
  if (accessToken !== null) return { row, accessToken };
  const gone = goneBefore(null);
  await markGone(app, row, gone.reason, row);
  return gone;
}

const goneBefore = (reason: string | null): Reauthorize => ({
  kind: 'reauthorize',
  cure: 'consent',
  code: 'reconnect_required',
  reason: reason ?? 'The account is not connected. Reconnect it (reconnect_required)',
});

/** Renewals in this process; across processes the renewal lock does the same. */
const newRenewals = () => new Map<string, Promise<Access | Setback>>();

/** Tokens other than these. Concurrent calls in this process share one renewal. */
export function renewAccess(app: App, row: KeptTokens): Promise<Access | Setback> {
  // A restored refresh token may already be dead, and a new one would be lost with the next restore.
  if (app.safety.mode.kind !== 'normal') return Promise.resolve(NOT_NOW);
  const renewals = app.perProcess(newRenewals);
  // No two sealed texts are equal, so it names the account and the token that is not wanted any more.
  const key = row.access_token ?? '';
  let renewal = renewals.get(key);
  if (!renewal) {
    renewal = unlessKeyUnknown(app, row, () => renew(app, row)).finally(() => renewals.delete(key));
    renewals.set(key, renewal);
  }
  return renewal;
}

const NOT_NOW: Setback = {
  kind: 'later',
  code: 'safe_mode',
  reason: 'Access tokens are not renewed in safe mode (safe_mode)',
};

/** Requests new tokens, or waits for another process that does. */
async function renew(app: App, row: KeptTokens): Promise<Access | Setback> {
  if ((await awaitSaving(app, row)) === 'goes on') return UNSAVED;
  const giveUpAt = performance.now() + renewalLockMs(app);
  let old = row;
  // Opened first: a process without their key must not lock them.
  let tokens = openTokens(app, old);
  for (;;) {
    const fence = await lockRenewal(app, old);
    if (fence !== null) return refresh(app, old, tokens, fence);
    const kept = await findTokens(app, old);
    if (!kept || !isSameToken(app, kept, old) || kept.status === 'reconnect_required')
      return usableOf(app, kept);
    if (kept.access_token !== old.access_token) tokens = openTokens(app, kept);
    old = kept;
    if (performance.now() > giveUpAt)
      return {
        kind: 'later',
        code: 'tokens_busy',
        reason: "The account's access token is being renewed (tokens_busy)",
      };
    await delay(POLL_MS);
  }
}

const UNSAVED: Setback = {
  kind: 'later',
  code: 'tokens_unsaved',
  reason: "The account's new tokens could not be saved yet; the service keeps trying (tokens_unsaved)",
};

async function refresh(
  app: App,
  old: KeptTokens,
  tokens: Tokens | null,
  fence: number,
): Promise<Access | Setback> {
  const askedAt = app.clock.now();
  const answer =
    tokens === null ? goneBefore(null) : await app.connector(old.platform).renew(tokens, deadline(app));
  if (answer.kind === 'ok') {
    // Before anything else: the old refresh token is dead, and the new one exists only here.
    keepGrant(app, { old, fence, askedAt }, answer.value);
    if ((await awaitSaving(app, old)) === 'goes on') return UNSAVED;
    return usableOf(app, await findTokens(app, old));
  }
  const isGone = isReauthorize(answer) && (await markGone(app, old, answer.reason, old));
  await unlockRenewal(app, old, fence);
  if (isReauthorize(answer) && !isGone) {
    // The refused token may be outdated: another process has saved newer ones, or a person has reconnected the account.
    const row = await findTokens(app, old);
    if (row?.status === 'connected' && row.access_token !== old.access_token) return usableOf(app, row);
  }
  // Any other setback says nothing about the grant: a lost response, or an app unknown to the platform.
  return isReauthorize(answer) ? answer : asLater(answer);
}

/**
 * The grant does not cover the call. If it never did, the account keeps working with the scopes it has; otherwise the
 * person has withdrawn one.
 */
async function tooSmall(app: App, row: KeptTokens, setback: Reauthorize): Promise<Setback> {
  const { consent } = app.connector(row.platform);
  if (consent.lackOf(splitScopes(row.scopes)).length === 0) await markGone(app, row, setback.reason, row);
  return setback;
}

/** Only if the account still has the tokens in `seen`. Returns false if it has others or is no longer connected. */
async function markGone(
  app: App,
  { org_id, id }: AccountRef,
  reason: string,
  seen: KeptTokens,
): Promise<boolean> {
  const now = app.clock.now();
  return app.db.transact(async (tx) => {
    const gone = await tx
      .updateTable('social_accounts')
      .set({ status: 'reconnect_required', status_reason: reason, refresh_at: null, updated_at: now })
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .where('status', '=', 'connected')
      .where('access_token', seen.access_token === null ? 'is' : '=', seen.access_token)
      .returning(LOST_COLUMNS)
      .executeTakeFirst();
    if (gone) await tellOfLoss(app, tx, gone, byPlatform(org_id, gone.platform));
    return gone !== undefined;
  });
}

const deadline = (app: App) => AbortSignal.timeout(app.config.publishing.platformTimeoutMs);

const isReauthorize = (answer: { kind: string }): answer is Reauthorize => answer.kind === 'reauthorize';

const asLater = ({ code, reason, ...more }: Setback): Setback => ({
  kind: 'later',
  code,
  reason,
  ...('retryAfterMs' in more && more.retryAfterMs !== undefined ? { retryAfterMs: more.retryAfterMs } : {}),
});
