// The parts of token handling that other folders use, and the worker's run that renews tokens and finishes revocations.
import type { App } from '../api/app.js';
import { hasKeysOf } from '../db/sealed-table.js';
import { faultOf, levelOf } from '../ground/log.js';
import { renewAccess } from './access.js';
import { findTokens, type KeptTokens, RETRY_MS } from './kept-tokens.js';
import { refreshProfile } from './profile.js';
import { finishRevocation } from './revocation.js';

export {
  asAccount,
  callWith,
  checkGrants,
  doubtGrant,
  isTokenTooOld,
  judgeAnswer,
  openAccess,
  renewAccess,
} from './access.js';
export type { AccountRef } from './kept-tokens.js';
export { mustHaveKey } from './unknown-key.js';

/** How many run at once; at worst each waits for one hanging call. */
const BATCH = 20;
const RUN_MS = 5_000;

/** One run of the worker: renews due tokens and finishes pending revocations. */
export async function renewTokens(app: App): Promise<void> {
  const giveUpAt = performance.now() + RUN_MS;
  for (;;) {
    if (app.safety.mode.kind !== 'normal') return;
    const due = await dueAccounts(app);
    await Promise.all(due.map((row) => renewOrRevoke(app, row)));
    if (due.length < BATCH || performance.now() > giveUpAt) return;
  }
}

/** Spans all organizations; each row is then handled within its own organization. */
async function dueAccounts(app: App): Promise<KeptTokens[]> {
  const now = app.clock.now();
  const due = await app.db.read
    .selectFrom('social_accounts')
    .select(['org_id', 'id'])
    .where('refresh_at', '<=', now)
    // A worker without the key would only postpone them, for those that have it too.
    .where(hasKeysOf(app.seal, 'access_token', 'refresh_token'))
    .where((eb) => eb.or([eb('refreshing_until', 'is', null), eb('refreshing_until', '<=', now)]))
    .orderBy('refresh_at')
    .limit(BATCH)
    .execute();
  const rows = await Promise.all(due.map((account) => findTokens(app, account)));
  return rows.filter((row) => row !== undefined);
}

async function renewOrRevoke(app: App, row: KeptTokens): Promise<void> {
  try {
    // Postponed first: a failing account must not hold up the others, and no two workers may handle the same one.
    if (!(await postpone(app, row))) return;
    if (row.status === 'disconnected') await finishRevocation(app, row);
    else if (row.access_token !== null) await renewOne(app, row);
  } catch (err) {
    app.log[levelOf(err)](
      { ...faultOf(err), ...named(row) },
      'the access of an account could not be renewed or revoked',
    );
  }
}

async function renewOne(app: App, row: KeptTokens): Promise<void> {
  const renewed = await renewAccess(app, row);
  if ('kind' in renewed) {
    app.log.warn({ ...named(row), reason: renewed.reason }, 'the access of an account could not be renewed');
    return;
  }
  // Avatar URLs expire with the tokens.
  await refreshProfile(app, row);
}

async function postpone(app: App, { org_id, id, refresh_at }: KeptTokens): Promise<boolean> {
  const mine = await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set({ refresh_at: app.clock.now() + RETRY_MS })
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .where('refresh_at', '=', refresh_at)
      .returning('id')
      .executeTakeFirst(),
  );
  return mine !== undefined;
}

const named = ({ org_id, id }: KeptTokens) => ({ org_id, account_id: id });
