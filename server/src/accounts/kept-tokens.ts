// The tokens of an account as they are kept: sealed, under a lock that is a column, and saved only by whoever has it.
//
// A hold is taken by a guarded update and not by a transaction, because the platform is asked while it lasts. Whoever saves
// names the turn it began with, so that one who was paused beyond its hold, or overtaken by a new consent, changes nothing.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app.js';
import type { Grant } from '../connectors/connector.js';
import { noteChange } from '../db/changes.js';
import type { TOKEN_COLUMNS } from '../db/hot-reads.js';
import type { SocialAccountRow } from '../db/tables.js';
import { faultOf } from '../log.js';
import { joinScopes } from './scopes.js';

export interface AccountRef {
  org_id: string;
  id: string;
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

export const holdMs = (app: App): number => app.config.publishing.platformTimeoutMs + TIME_TO_SAVE_MS;

/** The turn of the hold, or null if another has it, or the tokens are others by now, or known to be dead. */
export async function takeHold(app: App, row: KeptTokens): Promise<number | null> {
  const now = app.clock.now();
  const held = await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set((eb) => ({ token_turn: eb('token_turn', '+', 1), refreshing_until: now + holdMs(app) }))
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

const SAVE_PAUSES_MS = [100, 400, 1600];

/**
 * The first thing after the answer: the old refresh token is dead, and the new one is nowhere else. A database that is away
 * for a moment is therefore asked again. False if the account has other tokens by now.
 */
export async function saveGrant(
  app: App,
  account: AccountRef,
  turn: number,
  grant: Grant,
  askedAt: number,
): Promise<boolean> {
  const columns = columnsOf(app, account, grant, askedAt);
  for (let tries = 0; ; tries++) {
    try {
      return await changeHeld(app, account, turn, columns);
    } catch (err) {
      const pause = SAVE_PAUSES_MS[tries];
      if (pause === undefined) throw err;
      app.log.warn(
        { ...faultOf(err), org_id: account.org_id, account_id: account.id },
        'new tokens could not be saved; trying again',
      );
      await delay(pause);
    }
  }
}

export async function releaseHold(app: App, account: AccountRef, turn: number): Promise<void> {
  await changeHeld(app, account, turn, { refreshing_until: null });
}

async function changeHeld(
  app: App,
  { org_id, id }: AccountRef,
  turn: number,
  { refresh_at, ...columns }: Partial<SocialAccountRow>,
): Promise<boolean> {
  const saved = await app.db.transact((tx) => {
    // What is granted is shown; the tokens are nobody's business.
    if (columns.scopes !== undefined) noteChange(tx, org_id, { accounts: true });
    return (
      tx
        .updateTable('social_accounts')
        .set(columns)
        // Of a disconnected account it says when the revocation is looked after, which new tokens must not delay.
        .$if(refresh_at !== undefined, (update) =>
          update.set((eb) => ({
            refresh_at: eb
              .case()
              .when('status', '=', 'disconnected')
              .then(eb.ref('refresh_at'))
              .else(eb.cast<number | null>(eb.val(refresh_at as number), 'bigint'))
              .end(),
          })),
        )
        .where('org_id', '=', org_id)
        .where('id', '=', id)
        .where('token_turn', '=', turn)
        .returning('id')
        .executeTakeFirst()
    );
  });
  return saved !== undefined;
}
