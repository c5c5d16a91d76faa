// What the rest of the service uses of tokens, and the turn of the worker that keeps them alive or sees them revoked.
import type { App } from '../api/app.js';
import { faultOf, levelOf } from '../ground/log.js';
import { renewedTokens } from './access.js';
import { findTokens, type KeptTokens } from './kept-tokens.js';
import { refreshProfile } from './profile.js';
import { finishRevocation } from './revocation.js';

export { asAccount, checkGrants, doubtGrant } from './access.js';
export type { AccountRef } from './kept-tokens.js';

/** So many at the same time, one hanging call each at the worst. */
const BATCH = 20;
const TURN_MS = 5_000;
const TRY_AGAIN_MS = 60_000;

/** A turn of the worker: renews what is due for it, and finishes revocations that wait. */
export async function renewTokens(app: App): Promise<void> {
  const giveUpAt = performance.now() + TURN_MS;
  for (;;) {
    if (app.safety.mode.kind !== 'normal') return;
    const due = await dueAccounts(app);
    await Promise.all(due.map((row) => attend(app, row)));
    if (due.length < BATCH || performance.now() > giveUpAt) return;
  }
}

/** Of all organizations: the worker's own question, whose answers are then worked on one organization's row at a time. */
async function dueAccounts(app: App): Promise<KeptTokens[]> {
  const now = app.clock.now();
  const due = await app.db.read
    .selectFrom('social_accounts')
    .select(['org_id', 'id'])
    .where('refresh_at', '<=', now)
    .where((eb) => eb.or([eb('refreshing_until', 'is', null), eb('refreshing_until', '<=', now)]))
    .orderBy('refresh_at')
    .limit(BATCH)
    .execute();
  const rows = await Promise.all(due.map((account) => findTokens(app, account)));
  return rows.filter((row) => row !== undefined);
}

async function attend(app: App, row: KeptTokens): Promise<void> {
  try {
    // Put off first: one that fails must not keep the others from their turn, nor two workers look after the same one.
    if (!(await putOff(app, row))) return;
    if (row.status === 'disconnected') await finishRevocation(app, row);
    else if (row.access_token !== null) await renewOne(app, row);
  } catch (err) {
    app.log[levelOf(err)](
      { ...faultOf(err), ...named(row) },
      'the access of an account could not be looked after',
    );
  }
}

async function renewOne(app: App, row: KeptTokens): Promise<void> {
  const renewed = await renewedTokens(app, row);
  if ('kind' in renewed) {
    app.log.warn({ ...named(row), reason: renewed.reason }, 'the access of an account could not be renewed');
    return;
  }
  // Addresses of pictures live no longer than tokens do.
  await refreshProfile(app, row);
}

async function putOff(app: App, { org_id, id, refresh_at }: KeptTokens): Promise<boolean> {
  const mine = await app.db.transact((tx) =>
    tx
      .updateTable('social_accounts')
      .set({ refresh_at: app.clock.now() + TRY_AGAIN_MS })
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .where('refresh_at', '=', refresh_at)
      .returning('id')
      .executeTakeFirst(),
  );
  return mine !== undefined;
}

const named = ({ org_id, id }: KeptTokens) => ({ org_id, account_id: id });
