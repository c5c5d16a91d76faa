// Renews the tokens of an account. In this process an account has at most one renewal, which is idle, asking the platform, or saving
// what it answered; all callers share it. Across processes the renewal lease does the same.
//
// Once the platform has answered, the old refresh token is dead and the new one exists only here. So saving is retried until it
// succeeds or the process ends, whether or not a caller waits for it.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app/app.js';
import type { TokenRenewal } from '../app/process-state.js';
import { byPlatform } from '../audit/record.js';
import type { Grant, PlatformFailure, Tokens } from '../connectors/connector.js';
import { waitWithTimeout } from '../core/concurrency.js';
import { toLogFields } from '../core/log.js';
import { retryUntilSaved } from '../core/until-saved.js';
import { isRow } from '../db/is-row.js';
import { LOST_COLUMNS, recordAccountLost } from './account-events.js';
import {
  findTokens,
  isSameToken,
  leaseRenewal,
  openToken,
  openTokens,
  postponeIfKeyUnknown,
  type Renewal,
  renewalLease,
  type StoredTokens,
  saveGrant,
} from './stored-tokens.js';

/** What a call on behalf of an account needs: a token that is valid as far as we know, and the row it comes from. */
export interface AccountAccess {
  row: StoredTokens;
  accessToken: string;
}

export type Reauthorize = Extract<PlatformFailure, { kind: 'reauthorize' }>;

const POLL_MS = 50;
/** How long callers wait for saving. Then they are asked to retry later, while saving continues. */
const CALLERS_WAIT_MS = 5_000;

/** Tokens other than these. */
export function renewAccess(app: App, row: StoredTokens): Promise<AccountAccess | PlatformFailure> {
  // A restored refresh token may already be dead, and a new one would be lost with the next restore.
  if (app.safety.mode.kind !== 'normal') return Promise.resolve(NOT_NOW);
  return postponeIfKeyUnknown(app, row, () => {
    const { renewals } = app.state;
    const running = renewals.get(row.id);
    // A renewal of tokens that a new consent has replaced says nothing about these.
    if (running && isSameToken(app, running.old, row)) return running.result;
    const renewed = renew(app, row);
    const renewal: TokenRenewal = { old: row, result: renewed.then(({ access }) => access) };
    renewals.set(row.id, renewal);
    renewed
      .then(({ saved }) => saved)
      .catch(() => {})
      .finally(() => {
        if (renewals.get(row.id) === renewal) renewals.delete(row.id);
      });
    return renewal.result;
  });
}

const NOT_NOW: PlatformFailure = {
  kind: 'later',
  code: 'safe_mode',
  reason: 'Access tokens are not renewed in safe mode (safe_mode)',
};

interface Renewed {
  access: AccountAccess | PlatformFailure;
  /** Ends when new tokens are saved, which may be after callers were told to retry. */
  saved?: Promise<void>;
}

/** Asks the platform for new tokens, or waits for another process that does. */
async function renew(app: App, row: StoredTokens): Promise<Renewed> {
  const leased = await leaseOrWait(app, row);
  if (!('fence' in leased)) return { access: leased };
  const { old, tokens, fence } = leased;
  const askedAt = app.clock.now();
  const signal = AbortSignal.timeout(app.config.publishing.platformTimeoutMs);
  const answer = tokens === null ? goneBefore(null) : await app.connector(old.platform).renew(tokens, signal);
  if (answer.kind !== 'ok') return { access: await notRenewed(app, old, fence, answer) };
  const saved = saveInBackground(app, { old, fence, askedAt }, answer.value);
  const isSaved = await waitWithTimeout(CALLERS_WAIT_MS, saved);
  return { access: isSaved ? await openUsableTokens(app, await findTokens(app, old)) : UNSAVED, saved };
}

/** The account's tokens under a lease of their own, or what another process got for them meanwhile. */
async function leaseOrWait(
  app: App,
  row: StoredTokens,
): Promise<{ old: StoredTokens; tokens: Tokens | null; fence: number } | AccountAccess | PlatformFailure> {
  const giveUpAt = performance.now() + renewalLease.ms(app);
  let old = row;
  // Opened first: a process without their key must not lease them.
  let tokens = openTokens(app, old);
  for (;;) {
    const fence = await leaseRenewal(app, old);
    if (fence !== null) return { old, tokens, fence };
    const stored = await findTokens(app, old);
    if (!stored || !isSameToken(app, stored, old) || stored.status === 'reconnect_required')
      return openUsableTokens(app, stored);
    if (stored.access_token !== old.access_token) tokens = openTokens(app, stored);
    old = stored;
    if (performance.now() > giveUpAt) return BUSY;
    await delay(POLL_MS);
  }
}

async function notRenewed(
  app: App,
  old: StoredTokens,
  fence: number,
  failure: PlatformFailure,
): Promise<AccountAccess | PlatformFailure> {
  const isGone = failure.kind === 'reauthorize' && (await markReconnectRequired(app, old, failure));
  await app.db.transact((tx) => renewalLease.release(tx, { ...old, token_fence: fence }, {}));
  // Any other failure says nothing about the grant: a lost response, or an app unknown to the platform. It may be tried again.
  if (failure.kind !== 'reauthorize') {
    const { code, reason } = failure;
    const wait = failure.kind === 'later' ? failure.retryAfterMs : undefined;
    return { kind: 'later', code, reason, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  }
  const current = isGone ? undefined : await findTokens(app, old);
  // The refused token may be outdated: another process has saved newer ones, or a person has reconnected the account.
  const isOutdated = current?.status === 'connected' && current.access_token !== old.access_token;
  return isOutdated ? openUsableTokens(app, current) : failure;
}

const BUSY: PlatformFailure = {
  kind: 'later',
  code: 'tokens_busy',
  reason: "The account's access token is being renewed (tokens_busy)",
};

const UNSAVED: PlatformFailure = {
  kind: 'later',
  code: 'tokens_unsaved',
  reason: "The account's new tokens could not be saved yet; the service keeps trying (tokens_unsaved)",
};

/** Never rejects: what cannot be saved before the process ends is lost. */
function saveInBackground(app: App, renewal: Renewal, grant: Grant): Promise<void> {
  const { org_id, id } = renewal.old;
  const about = { org_id, account_id: id };
  let failures = 0;
  return app.background.start(async (ending) => {
    try {
      await retryUntilSaved(
        ending,
        () => saveGrant(app, renewal, grant),
        (err, tries, isLogged) => {
          failures = tries;
          if (isLogged)
            app.log.warn(
              { ...toLogFields(err), ...about, tries },
              'new tokens could not be saved; retrying until they are',
            );
        },
      );
      if (failures > 0) app.log.info({ ...about, failures }, 'new tokens were saved after failed attempts');
    } catch (err) {
      app.log.error(
        { ...toLogFields(err), ...about, failures },
        'new tokens are lost: they could not be saved before the process ended',
      );
    }
  });
}

/** A disconnected account with tokens still works: open attempts are followed to their end before the tokens are revoked. */
export async function openUsableTokens(
  app: App,
  row: StoredTokens | undefined,
): Promise<AccountAccess | PlatformFailure> {
  if (!row || row.status === 'reconnect_required' || (row.status === 'disconnected' && !row.access_token))
    return goneBefore(row?.status_reason ?? null);
  const accessToken = openToken(app, row, 'access_token');
  if (accessToken !== null) return { row, accessToken };
  const gone = goneBefore(null);
  await markReconnectRequired(app, row, gone);
  return gone;
}

const goneBefore = (reason: string | null): Reauthorize => ({
  kind: 'reauthorize',
  cure: 'consent',
  code: 'reconnect_required',
  reason: reason ?? 'The account is not connected. Reconnect it (reconnect_required)',
});

/** Only if the account still has these tokens. Returns false if it has others or is no longer connected. */
export async function markReconnectRequired(
  app: App,
  { org_id, id, access_token }: StoredTokens,
  { reason, code }: Reauthorize,
): Promise<boolean> {
  const now = app.clock.now();
  return app.db.transact(async (tx) => {
    const gone = await tx
      .updateTable('social_accounts')
      .set({
        status: 'reconnect_required',
        status_reason: reason,
        status_reason_code: code,
        refresh_at: null,
        updated_at: now,
      })
      .where(isRow({ org_id, id }))
      .where('status', '=', 'connected')
      .where('access_token', access_token === null ? 'is' : '=', access_token)
      .returning(LOST_COLUMNS)
      .executeTakeFirst();
    if (gone) await recordAccountLost(app, tx, gone, byPlatform(org_id, gone.platform));
    return gone !== undefined;
  });
}
