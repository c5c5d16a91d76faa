// The tokens of an account as they are kept: sealed, and under a lock that is a column.
//
// A hold is taken by a guarded update and not by a transaction, because the platform is asked while it lasts. A process that
// saves new tokens names the refresh token it got them for, so that one that was overtaken by a new consent changes nothing,
// and one that was only slow loses nothing.
import type { App } from '../api/app.js';
import type { Grant } from '../connectors/connector.js';
import { noteChange } from '../db/changes.js';
import type { Tx } from '../db/database.js';
import type { TOKEN_COLUMNS } from '../db/hot-reads.js';
import type { SocialAccountRow } from '../db/tables.js';
import { faultOf } from '../ground/log.js';
import { joinScopes } from './scopes.js';

export interface AccountRef {
  org_id: string;
  id: string;
}

/** A renewal of tokens: those it began with, the turn of its hold on them, and when the platform was asked. */
export interface Renewal {
  old: KeptTokens;
  fence: number;
  askedAt: number;
}

export type KeptTokens = Pick<SocialAccountRow, (typeof TOKEN_COLUMNS)[number]>;

type Field = 'access_token' | 'refresh_token';

export async function findTokens(
  { reads }: Pick<App, 'reads'>,
  { org_id, id }: AccountRef,
): Promise<KeptTokens | undefined> {
  return (await reads.tokensOfAccount(org_id, id))[0];
}

const placeOf = ({ org_id, id }: AccountRef, field: Field) => [org_id, id, `social_accounts.${field}`];

/** Null if there is none, or one that does not open: then only a new consent helps. */
export function openToken(app: Pick<App, 'seal' | 'log'>, row: KeptTokens, field: Field): string | null {
  const sealed = row[field];
  if (sealed === null) return null;
  try {
    return app.seal.open(sealed, placeOf(row, field));
  } catch (err) {
    app.log.error({ ...faultOf(err), org_id: row.org_id, account_id: row.id }, 'a token does not open');
    return null;
  }
}

/** The columns of a grant that was asked for at this moment. It is renewed at half of its life. */
export function columnsOf(app: Pick<App, 'seal'>, account: AccountRef, grant: Grant, askedAt: number) {
  return {
    access_token: app.seal.close(grant.accessToken, placeOf(account, 'access_token')),
    access_expires_at: askedAt + grant.lifetimeMs,
    refresh_token: app.seal.close(grant.refreshToken, placeOf(account, 'refresh_token')),
    refresh_expires_at: askedAt + grant.refreshLifetimeMs,
    refresh_at: askedAt + Math.floor(grant.lifetimeMs / 2),
    refreshing_until: null,
    scopes: joinScopes(grant.scopes),
  };
}

export const NO_TOKENS = {
  access_token: null,
  access_expires_at: null,
  refresh_token: null,
  refresh_expires_at: null,
  refresh_at: null,
  refreshing_until: null,
} as const;

/** After the longest call there is still time to save. */
const TIME_TO_SAVE_MS = 15_000;

export const renewalLockMs = (app: App): number => app.config.publishing.platformTimeoutMs + TIME_TO_SAVE_MS;

/** The turn of the hold, or null if another has it, or the tokens are others by now, or known to be dead. */
export async function lockRenewal(app: App, row: KeptTokens): Promise<number | null> {
  const now = app.clock.now();
  const held = await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set((eb) => ({ token_turn: eb('token_turn', '+', 1), refreshing_until: now + renewalLockMs(app) }))
      .where('org_id', '=', row.org_id)
      .where('id', '=', row.id)
      .where('access_token', '=', row.access_token)
      .where('status', '<>', 'reconnect_required')
      .where((eb) => eb.or([eb('refreshing_until', 'is', null), eb('refreshing_until', '<=', now)]))
      .returning('token_turn')
      .executeTakeFirst(),
  );
  return held?.token_turn ?? null;
}

/**
 * Saves what the platform has given for a refresh token that the account still has, whoever has the hold by now: that token
 * is dead, and this is what lives. It also takes back that the account must be reconnected, if another process has found the
 * token dead meanwhile. False if the account has other tokens by now, or none.
 */
export async function saveGrant(app: App, { old, fence, askedAt }: Renewal, grant: Grant): Promise<boolean> {
  const { refresh_at, ...columns } = columnsOf(app, old, grant, askedAt);
  return app.db.transact(async (tx) => {
    const saved = await tx
      .updateTable('social_accounts')
      .set((eb) => ({
        ...columns,
        // Of a disconnected account it says when the revocation is looked after, which new tokens must not delay.
        refresh_at: eb
          .case()
          .when('status', '=', 'disconnected')
          .then(eb.ref('refresh_at'))
          .else(eb.cast<number | null>(eb.val(refresh_at), 'bigint'))
          .end(),
        // Another process that tries the dead token keeps its hold until it is answered.
        refreshing_until: eb
          .case()
          .when('token_turn', '=', fence)
          .then(null)
          .else(eb.ref('refreshing_until'))
          .end(),
      }))
      .where('org_id', '=', old.org_id)
      .where('id', '=', old.id)
      .where('refresh_token', '=', old.refresh_token)
      .returning(['org_id', 'id', 'status'])
      .executeTakeFirst();
    if (!saved) return false;
    // What is granted is shown; the tokens are nobody's business.
    noteChange(tx, saved.org_id, { accounts: true });
    if (saved.status === 'reconnect_required') await takeBackLoss(app, tx, saved);
    return true;
  });
}

async function takeBackLoss(app: App, tx: Tx, account: AccountRef): Promise<void> {
  await tx
    .updateTable('social_accounts')
    .set({ status: 'connected', status_reason: null, updated_at: app.clock.now() })
    .where('org_id', '=', account.org_id)
    .where('id', '=', account.id)
    .execute();
  await app.onConnected(tx, account);
}

export async function unlockRenewal(app: App, { org_id, id }: AccountRef, fence: number): Promise<void> {
  await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set({ refreshing_until: null })
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .where('token_turn', '=', fence)
      .execute(),
  );
}
