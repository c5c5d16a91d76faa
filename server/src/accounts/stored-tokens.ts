// The stored tokens of an account: sealed, and guarded by a renewal lease.
//
// A lease and not a transaction, because the platform is called while it is held. A process that saves new tokens names the access
// token they replace: if a new consent has replaced it already, the save changes nothing; if the process was merely slow, nothing
// is lost. Tokens that were only sealed again with another key are the same tokens.
import { sql } from 'kysely';
import type { App } from '../app/app.js';
import type { Grant, PlatformFailure, Tokens } from '../connectors/connector.js';
import { toLogFields } from '../core/log.js';
import { keyIdOf, UnknownKey } from '../core/seal.js';
import { markChanged } from '../db/changes.js';
import { CLOCK_SLACK_MS, type ClockCheck } from '../db/clock-checks.js';
import { isRow } from '../db/is-row.js';
import { prepareRead } from '../db/prepared-statements.js';
import { sealedTable } from '../db/sealed-table.js';
import { type AccountRef, type SocialAccountRow, TOKEN_COLUMNS } from '../db/tables.js';
import { createLease } from '../work/lease.js';

/** A token renewal: the tokens it began with, the fence of its lease, and when the platform was called. */
export interface Renewal {
  old: StoredTokens;
  fence: number;
  askedAt: number;
}

export type StoredTokens = Pick<SocialAccountRow, (typeof TOKEN_COLUMNS)[number]>;

type Field = 'access_token' | 'refresh_token';

export async function findTokens(
  { db }: Pick<App, 'db'>,
  { org_id, id }: AccountRef,
): Promise<StoredTokens | undefined> {
  return (await findTokenRow(db.read, org_id, id))[0];
}

const findTokenRow = prepareRead(
  (read, orgId: string, id: string) =>
    read
      .selectFrom('social_accounts')
      .select(TOKEN_COLUMNS)
      .where(isRow({ org_id: orgId, id })),
  'tokens_of_account',
);

/** The tokens are not sealed again while a process renews them: if they are dead, it marks them by their sealed text. */
export const SEALED_TOKENS = sealedTable('social_accounts', {
  key: ['org_id', 'id'],
  columns: ['access_token', 'refresh_token'],
  busyUntil: 'refreshing_until',
});

/** Null if there is none, or if it does not open: then only a new consent helps. Throws if another process could open it. */
export function openToken(app: Pick<App, 'seal' | 'log'>, row: StoredTokens, field: Field): string | null {
  const sealed = row[field];
  if (sealed === null) return null;
  try {
    return app.seal.unseal(sealed, SEALED_TOKENS.contextOf(row, field));
  } catch (err) {
    if (err instanceof UnknownKey) throw err;
    app.log.error(
      { ...toLogFields(err), org_id: row.org_id, account_id: row.id },
      'a token could not be decrypted',
    );
    return null;
  }
}

/** Null if one does not open: then only a new consent helps. */
export function openTokens(app: Pick<App, 'seal' | 'log'>, row: StoredTokens): Tokens | null {
  const accessToken = openToken(app, row, 'access_token');
  const refreshToken = openToken(app, row, 'refresh_token');
  const isBroken = accessToken === null || (refreshToken === null && row.refresh_token !== null);
  return isBroken ? null : { accessToken, refreshToken };
}

/** Whether both hold the same access token, even if it is sealed with different keys. */
export function isSameToken(app: Pick<App, 'seal' | 'log'>, one: StoredTokens, other: StoredTokens): boolean {
  if (one.access_token === other.access_token) return true;
  const token = openToken(app, one, 'access_token');
  return token !== null && token === openToken(app, other, 'access_token');
}

/** The columns of a grant requested at this time. It is renewed after half of its life. */
export function tokenColumns(app: Pick<App, 'seal'>, account: AccountRef, grant: Grant, askedAt: number) {
  return {
    access_token: app.seal.seal(grant.accessToken, SEALED_TOKENS.contextOf(account, 'access_token')),
    access_expires_at: askedAt + grant.lifetimeMs,
    refresh_token:
      grant.refreshToken === null
        ? null
        : app.seal.seal(grant.refreshToken, SEALED_TOKENS.contextOf(account, 'refresh_token')),
    refresh_expires_at: askedAt + grant.refreshLifetimeMs,
    refresh_at: askedAt + Math.floor(grant.lifetimeMs / 2),
    refreshing_until: null,
    scopes: grant.scopes.join(' '),
  };
}

/** Granted scopes, from the format stored in a row. */
export const splitScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');

export const NO_TOKENS = {
  access_token: null,
  access_expires_at: null,
  refresh_token: null,
  refresh_expires_at: null,
  refresh_at: null,
  refreshing_until: null,
} as const;

/** Leaves time to save after the longest call. */
const TIME_TO_SAVE_MS = 15_000;

export const renewalLease = createLease<SocialAccountRow, 'org_id' | 'id' | 'token_fence'>({
  table: 'social_accounts',
  key: ['org_id', 'id', 'token_fence'],
  ends: ['refreshing_until'],
  ms: ({ config }) => config.publishing.platformTimeoutMs + TIME_TO_SAVE_MS,
});

/** When the worker next tries what it could not do: a renewal, or the revocation of a disconnected account. */
export const RETRY_MS = 60_000;

/**
 * Renewal leases, and revocations, that were planned before the clock was set back. Not the renewals of connected accounts:
 * the platform says how long tokens live, and a call whose token has expired renews it.
 */
export function accountClockChecks(app: Pick<App, 'config'>): ClockCheck[] {
  const leaseMs = renewalLease.ms(app);
  const account = { table: 'social_accounts', key: ['org_id', 'id'] } as const;
  return [
    {
      ...account,
      column: 'refreshing_until',
      isImpossible: (now) => sql`refreshing_until > ${sql.lit(now + leaseMs + CLOCK_SLACK_MS)}`,
      standsMs: leaseMs,
      reset: () => ({ refreshing_until: null }),
    },
    {
      ...account,
      column: 'refresh_at',
      isImpossible: (now) =>
        sql`status = 'disconnected' and refresh_at > ${sql.lit(now + RETRY_MS + CLOCK_SLACK_MS)}`,
      standsMs: 0,
      reset: (now) => ({ refresh_at: now }),
    },
  ];
}

const acquireRenewal = renewalLease.acquireIf(
  (accessToken: string | null, now: number) => sql`access_token = ${accessToken}
    and status <> 'reconnect_required' and (refreshing_until is null or refreshing_until <= ${now})`,
);

/** The fence of the lease, or null if another process has it, or the tokens have changed or are known to be dead. */
export async function leaseRenewal(app: App, seen: StoredTokens): Promise<number | null> {
  const now = app.clock.now();
  const leased = await app.db.transact((tx) =>
    acquireRenewal(tx, seen, now + renewalLease.ms(app), seen.access_token, now),
  );
  return leased?.token_fence ?? null;
}

/**
 * Saves the grant received for tokens that the account still has, whichever process has the lease by now: they may be
 * dead, and this grant replaces them. Also reverts `reconnect_required` if another process has found the token
 * dead in the meantime. Returns false if the account has other tokens by now, or none.
 */
export async function saveGrant(app: App, { old, fence, askedAt }: Renewal, grant: Grant): Promise<boolean> {
  const { refresh_at, ...columns } = tokenColumns(app, old, grant, askedAt);
  return app.db.transact(async (tx) => {
    const stored = await tx
      .selectFrom('social_accounts')
      .select(TOKEN_COLUMNS)
      .where(isRow(old))
      .forUpdate()
      .executeTakeFirst();
    if (!stored || !isSameToken(app, stored, old)) return false; // mutant: token-owner
    const saved = await tx
      .updateTable('social_accounts')
      .set((eb) => ({
        ...columns,
        // On a disconnected account this schedules the revocation, which new tokens must not delay.
        refresh_at: eb
          .case()
          .when('status', '=', 'disconnected')
          .then(eb.ref('refresh_at'))
          .else(eb.cast<number | null>(eb.val(refresh_at), 'bigint'))
          .end(),
        // Another process that tries the dead token keeps its lease until it gets a response.
        refreshing_until: eb
          .case()
          .when('token_fence', '=', fence)
          .then(null)
          .else(eb.ref('refreshing_until'))
          .end(),
      }))
      .where(isRow(old))
      .returning(['org_id', 'id', 'status'])
      .executeTakeFirstOrThrow();
    // Scopes are visible to clients, tokens are not.
    markChanged(tx, saved.org_id, { accounts: true });
    // mutant: undo-reconnect
    if (saved.status === 'reconnect_required') {
      await tx
        .updateTable('social_accounts')
        .set({
          status: 'connected',
          status_reason: null,
          status_reason_code: null,
          updated_at: app.clock.now(),
        })
        .where(isRow(old))
        .execute();
      await app.onConnected(tx, { org_id: old.org_id, id: old.id });
    }
    return true;
  });
}

// A token whose key this process does not have says nothing about the grant, and changes nothing: what needs it is postponed,
// until a process that has the key does it.

const KEY_UNKNOWN: PlatformFailure = {
  kind: 'later',
  code: 'key_unknown',
  reason: "The account's access token can't be decrypted at the moment; nothing was sent (key_unknown)",
  retryAfterMs: 30_000,
  isUnsent: true,
};

type SealedTokens = Pick<StoredTokens, 'access_token' | 'refresh_token'>;

/** Before an attempt is begun or polled for a request: throws if this process cannot open the tokens. */
export async function assertHasKey(app: Pick<App, 'db' | 'seal'>, account: AccountRef): Promise<void> {
  const row = await findTokens(app, account);
  if (row) assertCanOpen(app, row);
}

export function assertCanOpen(app: Pick<App, 'seal'>, { access_token, refresh_token }: SealedTokens): void {
  for (const sealed of [access_token, refresh_token])
    if (sealed && !app.seal.hasKeyOf(sealed)) throw new UnknownKey(keyIdOf(sealed));
}

/** Runs work that opens tokens of the account. */
export async function postponeIfKeyUnknown<T>(
  { log }: Pick<App, 'log'>,
  { org_id, id }: AccountRef,
  work: () => Promise<T>,
): Promise<T | PlatformFailure> {
  try {
    return await work();
  } catch (err) {
    if (!(err instanceof UnknownKey)) throw err;
    log.error(
      { ...toLogFields(err), org_id, account_id: id },
      'a token cannot be opened; its use is postponed',
    );
    return KEY_UNKNOWN;
  }
}
