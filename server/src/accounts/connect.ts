// Connecting an account: sending a person to the platform's consent page, and handling their return.

import { randomBytes } from 'node:crypto';
import type { App, TxApp } from '../app/app.js';
import { type Actor, recordAudit } from '../audit/record.js';
import type { ConsentRequest, ConsentTerms, Grant, PlatformFailure } from '../connectors/connector.js';
import { AppError } from '../core/problems.js';
import { markChanged } from '../db/changes.js';
import type { Reader, Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { AccountRef } from '../db/tables.js';
import { reserveQuota } from '../quotas/quotas.js';
import type { SessionCaller } from '../request/caller.js';
import type { Platform } from '../request/platforms.js';
import { recordAccountConnected } from './account-events.js';
import { accountsInUse, findUsername } from './accounts.js';
import { type Begun, consumeState, saveState } from './consent-state.js';
import { whileExchanging } from './grant-calls.js';
import { refreshProfile } from './profile.js';
import { revokeUnsaved } from './revocation.js';
import { tokenColumns } from './stored-tokens.js';

/** The query parameters of the platform's redirect. */
export interface Callback {
  state?: string | undefined;
  code?: string | undefined;
  error?: string | undefined;
}

export type ConnectResult =
  | {
      kind: 'connected';
      account: AccountRef;
      username: string;
      lacks: ReturnType<ConsentTerms['missingScopes']>;
    }
  /** The state was not issued here, was used before, or is too old. */
  | { kind: 'stale' }
  /** Begun in a session that has ended or is not the visitor's. */
  | { kind: 'foreign' }
  | { kind: 'denied' }
  /** The callback has neither a code nor an error. */
  | { kind: 'incomplete' }
  /** The granted scopes allow no way to publish. */
  | { kind: 'insufficient_scopes' }
  /** The organization has as many accounts as it may have. */
  | { kind: 'quota_exceeded'; reason: string }
  /** The consent page itself ended in an error. */
  | { kind: 'failed'; code: string }
  | PlatformFailure;

export const CALLBACK_PATH = '/oauth/callback';

export interface ConnectRequest {
  platform: string;
  /** The session that begins it; null for a key or the demo. */
  sessionId: string | null;
  /** The account to be reconnected; null: any. */
  account: { id: string; username: string } | null;
}

/** Records a pending consent; the returned request goes into the consent page's URL. */
export async function beginConnect(
  app: TxApp,
  tx: Tx,
  { orgId, ...actor }: Actor<string>,
  { platform, sessionId, account }: ConnectRequest,
): Promise<ConsentRequest> {
  const state = randomBytes(32).toString('base64url');
  const verifier = randomBytes(48).toString('base64url');
  const redirectUri = app.urls.publicUrl + CALLBACK_PATH;
  await saveState(app, tx, state, {
    org_id: orgId,
    platform,
    verifier,
    redirect_uri: redirectUri,
    session_id: sessionId,
    begun_by: JSON.stringify(actor),
    account_id: account?.id ?? null,
  });
  const { scopes } = app.connector(platform).consent;
  const organization = await findOrganizationName(tx, orgId);
  return { redirectUri, state, verifier, scopes, organization, username: account?.username ?? null };
}

/** Handles the return. Only the state tells which organization it is for. */
export async function finishConnect(
  app: App,
  callback: Callback,
  /** The person who came back, if signed in. */
  visitor: SessionCaller | null,
  /** The address that the person came back from. */
  address: string | null,
): Promise<CallbackResult> {
  const begun = await consumeState(app, callback.state ?? '');
  if (!begun) return { ending: { kind: 'stale' }, request: null, fromDashboard: false };
  const request = {
    organization: await findOrganizationName(app.db.read, begun.orgId),
    account: begun.accountId === null ? null : await namedAccount(app, begun.orgId, begun.accountId),
  };
  if (!isTheirs(begun, visitor)) return { ending: { kind: 'foreign' }, request, fromDashboard: false };
  return {
    ending: await exchange(app, { ...begun, address }, callback),
    request,
    fromDashboard: begun.sessionId !== null,
  };
}

export interface CallbackResult {
  ending: ConnectResult;
  /** Null if the state tells nothing. `account` is the one to be reconnected, if one was meant. */
  request: { organization: string; account: { id: string; username: string } | null } | null;
  fromDashboard: boolean;
}

async function namedAccount(app: App, orgId: string, id: string) {
  const [row] = await findUsername(app.db.read, orgId, id);
  return row ? { id, username: row.username } : null;
}

async function findOrganizationName(read: Reader | Tx, orgId: string): Promise<string> {
  const { name } = await read
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow();
  return name;
}

/** A consent begun in a session must end in it, or an attacker could slip their own account into the organization. */
function isTheirs({ orgId, sessionId }: Begun, visitor: SessionCaller | null): boolean {
  if (sessionId === null) return true;
  return visitor?.sessionId === sessionId && visitor.orgId === orgId && visitor.scopes.has('accounts:manage');
}

async function exchange(
  app: App,
  begun: Begun & { address: string | null },
  callback: Callback,
): Promise<ConnectResult> {
  const { platform } = begun;
  if (callback.error === 'access_denied') return { kind: 'denied' };
  if (callback.error) return { kind: 'failed', code: cleanCode(callback.error) };
  const { code } = callback;
  if (!code) return { kind: 'incomplete' };
  const account = await whileExchanging(app, platform, () => exchangeAndSave(app, begun, code));
  if (account.kind === 'over_quota') {
    await revokeUnsaved(app, platform, account.grant);
    return { kind: 'quota_exceeded', reason: account.reason };
  }
  if (account.kind !== 'saved') return account;
  const { saved, grant } = account;
  await refreshProfile(app, saved);
  return {
    kind: 'connected',
    account: saved,
    username: (await namedAccount(app, saved.org_id, saved.id))?.username ?? grant.openId,
    lacks: app.connector(platform).consent.missingScopes(grant.scopes),
  };
}

type Exchanged =
  | { kind: 'saved'; saved: AccountRef; grant: Grant }
  | { kind: 'over_quota'; grant: Grant; reason: string }
  | { kind: 'insufficient_scopes' }
  | PlatformFailure;

async function exchangeAndSave(
  app: App,
  begun: Begun & { address: string | null },
  code: string,
): Promise<Exchanged> {
  const { platform, redirectUri, verifier } = begun;
  const askedAt = app.clock.now();
  const signal = AbortSignal.timeout(app.config.publishing.platformTimeoutMs);
  const connector = app.connector(platform);
  const answer = await connector.exchange(code, { redirectUri, verifier }, signal);
  if (answer.kind !== 'ok') return answer;
  const grant = answer.value;
  const { allowsDirect, allowsInbox } = connector.consent;
  if (!allowsDirect(grant.scopes) && !allowsInbox(grant.scopes)) return { kind: 'insufficient_scopes' };
  try {
    const saved = await app.db.transact(async (tx) => {
      const { isReconnected, ...account } = await saveAccount(app, tx, begun, grant, askedAt);
      await app.onConnected(tx, account);
      const username = account.username === grant.openId ? null : account.username;
      await recordAccountConnected(app, tx, { ...account, platform, username }, isReconnected);
      return account;
    });
    return { kind: 'saved', saved, grant };
  } catch (error) {
    // The person is in a browser, and gets a page instead of a problem.
    if (!(error instanceof AppError) || error.code !== 'quota_exceeded') throw error;
    return { kind: 'over_quota', grant, reason: error.message };
  }
}

/** Reconnecting an account that is in use takes nothing of the quota. */
async function reserveQuotaIfNew(
  app: TxApp,
  tx: Tx,
  { orgId, platform }: Pick<Begun, 'orgId' | 'platform'>,
  openId: string,
): Promise<void> {
  const known = await accountsInUse(tx, orgId)
    .select('id')
    .where('platform', '=', platform)
    .where('open_id', '=', openId)
    // A concurrent disconnection comes before or after.
    .forUpdate()
    .executeTakeFirst();
  if (!known) await reserveQuota(app, tx, orgId, 'accounts');
}

/** The same person in the same organization is the same account, even after a disconnection. */
async function saveAccount(
  app: TxApp,
  tx: Tx,
  { orgId, platform, actor, address }: Begun & { address: string | null },
  grant: Grant,
  askedAt: number,
): Promise<AccountRef & { username: string; isReconnected: boolean }> {
  await reserveQuotaIfNew(app, tx, { orgId, platform }, grant.openId);
  const now = app.clock.now();
  const added = await tx
    .insertInto('social_accounts')
    .values({
      org_id: orgId,
      id: app.newId(),
      platform,
      // Until the platform gives a better one.
      username: grant.openId,
      open_id: grant.openId,
      status: 'connected',
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  const account = await tx
    .selectFrom('social_accounts')
    .select(['org_id', 'id', 'username'])
    .where('org_id', '=', orgId)
    .where('platform', '=', platform)
    .where('open_id', '=', grant.openId)
    .executeTakeFirstOrThrow();
  const isReconnected = added.numInsertedOrUpdatedRows === 0n;
  // The id is known only now, and sealing binds the tokens to it.
  await tx
    .updateTable('social_accounts')
    .set((eb) => ({
      ...tokenColumns(app, account, grant, askedAt),
      status: 'connected',
      status_reason: null,
      status_reason_code: null,
      token_fence: eb('token_fence', '+', 1),
      updated_at: now,
    }))
    .where(isRow({ org_id: orgId, id: account.id }))
    .execute();
  await recordAudit(
    app,
    tx,
    { ...actor, address },
    {
      action: 'account.connected',
      // Until the platform gives a name, which is entered afterwards.
      target: { id: account.id, name: account.username === grant.openId ? null : account.username },
      details: {
        platform: platform as Platform,
        is_reconnected: isReconnected,
      },
    },
  );
  markChanged(tx, orgId, { accounts: true });
  return { ...account, isReconnected };
}

/** Untrusted: any visitor can put anything in the URL. */
const cleanCode = (code: string) => (/^[\w.-]{1,64}$/.test(code) ? code : 'error');
