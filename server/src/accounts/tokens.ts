// The worker's job that renews tokens and finishes revocations.

import type { App } from '../app/app.js';
import { isRow } from '../db/is-row.js';
import { hasKeysOf } from '../db/sealed-table.js';
import type { AccountRef, SocialAccountRow } from '../db/tables.js';
import { createPool, type Pool, type PoolLimits, type Work } from '../work/pool.js';
import { createRunner, type Runner, type WakeLoop } from '../work/runner.js';
import { refreshProfile } from './profile.js';
import { finishRevocation } from './revocation.js';
import { findTokens, RETRY_MS } from './stored-tokens.js';
import { renewAccess } from './token-renewal.js';

/** How many renewals run at the same time. At worst each waits for one hanging call. */
const LIMITS = { max: 20, perOrganization: 20, perTarget: 1 } as const satisfies PoolLimits;

type DueAccount = AccountRef & Work & Pick<SocialAccountRow, 'refresh_at'>;

/** Renews due tokens and finishes pending revocations. */
export const createRenewals = (app: App, wakeLoop?: WakeLoop): Runner =>
  createRunner(
    app,
    {
      name: 'tokens',
      everyMs: 15_000,
      pool: (events) => createPool(LIMITS, events),
      source: (pool) => () => dueAccounts(app, pool),
      run: (account) => renewOrRevoke(app, account),
      onFailure: 'the access of an account could not be renewed or revoked; it is tried again',
    },
    wakeLoop,
  );

/** Spans all organizations; each row is then handled within its own organization. */
async function* dueAccounts(app: App, pool: Pool): AsyncGenerator<DueAccount> {
  const now = app.clock.now();
  const due = await app.db.read
    .selectFrom('social_accounts')
    .select(['org_id', 'id', 'id as target', 'refresh_at'])
    .where('refresh_at', '<=', now)
    // A worker without the key would only postpone them, for those that have it too.
    .where(hasKeysOf(app.seal, 'access_token', 'refresh_token'))
    .where((eb) => eb.or([eb('refreshing_until', 'is', null), eb('refreshing_until', '<=', now)]))
    .orderBy('refresh_at')
    // Renewals that have just begun may still be due.
    .limit(2 * LIMITS.max)
    .execute();
  for (const account of due) if (pool.mayStart(account)) yield account;
}

async function renewOrRevoke(app: App, account: DueAccount): Promise<void> {
  // Postponed first: a failing account must not hold up the others, and no two workers may handle the same one.
  if (!(await postpone(app, account))) return;
  const row = await findTokens(app, account);
  if (row?.status === 'disconnected') await finishRevocation(app, row);
  if (!row || row.status === 'disconnected' || row.access_token === null) return;
  const renewed = await renewAccess(app, row);
  // Avatar URLs expire with the tokens.
  if (!('kind' in renewed)) return refreshProfile(app, row);
  const about = { org_id: row.org_id, account_id: row.id, reason: renewed.reason };
  app.log.warn(about, 'the access of an account could not be renewed');
}

async function postpone(app: App, { org_id, id, refresh_at }: DueAccount): Promise<boolean> {
  const mine = await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set({ refresh_at: app.clock.now() + RETRY_MS })
      .where(isRow({ org_id, id }))
      .where('refresh_at', '=', refresh_at)
      .returning('id')
      .executeTakeFirst(),
  );
  return mine !== undefined;
}
