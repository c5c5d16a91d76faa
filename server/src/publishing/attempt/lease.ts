// Which worker owns an attempt.

import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { CLOCK_SLACK_MS, type ClockCheck, WRITTEN_AHEAD_MS } from '../../db/clock-checks.js';
import { isRow } from '../../db/is-row.js';
import type { AttemptRow } from '../../db/tables.js';
import { createLease, isLeasedHere } from '../../work/lease.js';
import { maxPollDelay } from './backoff.js';
import { MAX_ADDRESS_DELAY_MS } from './public-address.js';

/** An attempt, and the fence under which a worker owns it. */
export type LeasedAttempt = Pick<AttemptRow, 'org_id' | 'id' | 'post_id' | 'fence'>;

export const attemptLease = createLease<AttemptRow, 'org_id' | 'id' | 'fence'>({
  table: 'dispatches',
  key: ['org_id', 'id', 'fence'],
  ends: ['lease_until', 'next_at'],
  ms: ({ config }) => config.publishing.leaseMs,
});

const acquireDue = attemptLease.acquireIf((now: number) => sql`next_at <= ${now}`);
const acquireFree = attemptLease.acquireIf(() => sql`lease_until is null`);

/** Takes the attempt over if it is due and no other worker was faster. */
export async function acquireLease(app: App, attempt: LeasedAttempt): Promise<AttemptRow | null> {
  if (isLeasedHere(app, attempt.id)) return null;
  return app.db.transact((tx) => {
    const now = app.clock.now();
    return acquireDue(tx, attempt, now + attemptLease.ms(app), now);
  });
}

/** Takes the attempt before it is due, for a request that asks now. Only if no worker has a lease on it. */
export const acquireLeaseNow = (app: App, attempt: LeasedAttempt): Promise<AttemptRow | null> =>
  app.db.transact((tx) => acquireFree(tx, attempt, app.clock.now() + attemptLease.ms(app)));

/** Leases, and waits for the next poll, that were planned before the clock was set back. */
export function attemptClockChecks({ config }: Pick<App, 'config'>): ClockCheck[] {
  const { leaseMs, reconcileIntervalMs } = config.publishing;
  const column = { table: 'dispatches', key: ['org_id', 'id'], column: 'next_at' } as const;
  return [
    {
      ...column,
      isImpossible: (now) =>
        sql`lease_until is not null and next_at > ${sql.lit(now + leaseMs + CLOCK_SLACK_MS)}`, // mutant: lease-ahead
      standsMs: leaseMs, // mutant: lease-ahead-renewed
      reset: (now) => ({ lease_until: now, next_at: now }),
    },
    {
      ...column,
      isImpossible: (now) => {
        const written = sql`coalesce(checked_at, accepted_at, started_at) > ${sql.lit(now + WRITTEN_AHEAD_MS)}`;
        const longest = now + maxPollDelay(reconcileIntervalMs) + CLOCK_SLACK_MS;
        return sql`lease_until is null and next_at > ${sql.lit(now + WRITTEN_AHEAD_MS)}
          and outcome <> 'published' and (${written} or next_at > ${sql.lit(longest)})`; // mutant: poll-ahead
      },
      standsMs: 0,
      // A poll without an answer leaves the time of the last one: it would count as written ahead again and again.
      reset: (now) => ({ next_at: now, checked_at: now }),
    },
  ];
}

/** Polls for the address of a published post that were planned before the clock was set back. There may be many, and none hurries. */
export const addressClockChecks: readonly ClockCheck[] = [
  {
    table: 'dispatches',
    key: ['org_id', 'id'],
    column: 'next_at',
    isImpossible: (now) =>
      sql`lease_until is null and next_at > ${sql.lit(now + MAX_ADDRESS_DELAY_MS + CLOCK_SLACK_MS)}`,
    standsMs: 0,
    reset: (now) => ({ next_at: now }),
  },
];

/**
 * Renews the lease. False if another worker has it, if the attempt is gone, or if the lease was released: a heartbeat slower
 * than the result would otherwise reopen a settled attempt, and polling it would never end.
 */
export const renewLease = (app: App, attempt: LeasedAttempt): Promise<boolean> =>
  app.db.transact((tx) => attemptLease.renew(tx, attempt, app.clock.now() + attemptLease.ms(app)));

/**
 * Gives the slide URLs a new secret: the old URLs are dead, and nothing was fetched from them. Null if something was fetched,
 * or if another worker has the attempt.
 */
export async function replaceNonce(app: App, attempt: LeasedAttempt, nonce: string): Promise<string | null> {
  const { org_id, id, fence } = attempt;
  const { numUpdatedRows } = await app.db.transact((tx) =>
    tx
      .updateTable('dispatches')
      .set({ nonce })
      .where(isRow({ org_id, id }))
      .where('fence', '=', fence) // mutant: nonce-fence
      .where('fetched_at', 'is', null) // mutant: nonce-fetched
      .where('revoked_at', 'is', null) // mutant: nonce-revoked
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n ? nonce : null;
}
