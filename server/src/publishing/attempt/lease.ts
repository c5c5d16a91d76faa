// Which worker owns an attempt. A lease is a fence number and an end: taking over raises the number, and every write names
// it, so a worker that was paused beyond its lease changes nothing. The column of the fence is called `turn`.

import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { writeOnce } from '../../db/compiled-once.js';
import type { Tx } from '../../db/database.js';
import { CLOCK_SLACK_MS, type DueTime, WRITTEN_AHEAD_MS } from '../../db/due-times.js';
import type { DispatchRow } from '../../db/tables.js';
import { faultOf } from '../../ground/log.js';
import { maxPollDelay } from './backoff.js';
import { MAX_ADDRESS_DELAY_MS } from './public-address.js';

/** An attempt, and the fence under which a worker owns it. */
export type LeasedAttempt = Pick<DispatchRow, 'org_id' | 'id' | 'post_id' | 'turn'>;

/** The ids of attempts that this process works on. */
const newLeased = () => new Set<string>();

/**
 * Whether this process is still sending the attempt, or saving the platform's answer. Its lease may have expired while the
 * database was unreachable; the process does not take over from itself.
 */
export const isLeasedHere = (app: App, { id }: Pick<LeasedAttempt, 'id'>): boolean =>
  app.perProcess(newLeased).has(id); // mutant: leased-here

/** Runs `work` on an attempt: the lease is renewed meanwhile, and the rest of this process leaves the attempt alone. */
export async function withLease<T>(
  app: App,
  attempt: LeasedAttempt,
  work: (heartbeat: Heartbeat) => Promise<T>,
): Promise<T> {
  const ids = app.perProcess(newLeased).add(attempt.id);
  const heartbeat = startHeartbeat(app, attempt);
  try {
    return await work(heartbeat);
  } finally {
    heartbeat.stop();
    ids.delete(attempt.id);
  }
}

/** Takes the attempt over if it is due and no other worker was faster. */
export async function acquireLease(app: App, attempt: LeasedAttempt): Promise<DispatchRow | null> {
  if (isLeasedHere(app, attempt)) return null;
  const { org_id, id, turn: fence } = attempt;
  const { rows } = await app.db.transact((tx) => {
    const now = app.clock.now();
    return takeDue(tx, org_id, id, fence, leaseFrom(app, now).lease_until, now);
  });
  return rows[0] ?? null;
}

/** The same before it is due, for a request that asks now; only if no worker has a lease on it. */
export async function acquireLeaseNow(app: App, attempt: LeasedAttempt): Promise<DispatchRow | null> {
  const { org_id, id, turn: fence } = attempt;
  const { rows } = await app.db.transact((tx) =>
    takeFree(tx, org_id, id, fence, leaseFrom(app, app.clock.now()).lease_until),
  );
  return rows[0] ?? null;
}

const taken = (tx: Tx, orgId: string, id: string, fence: number, until: number) =>
  tx
    .updateTable('dispatches')
    .set((eb) => ({ turn: eb('turn', '+', 1), lease_until: until, next_at: until })) // mutant: fence-of-recovery
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('turn', '=', fence);

const takeDue = writeOnce((tx, orgId: string, id: string, fence: number, until: number, now: number) =>
  taken(tx, orgId, id, fence, until).where('next_at', '<=', now).returningAll(),
);

const takeFree = writeOnce((tx, orgId: string, id: string, fence: number, until: number) =>
  taken(tx, orgId, id, fence, until).where('lease_until', 'is', null).returningAll(),
);

/** The columns of a lease that begins now. When it ends, another worker may take the attempt. */
export function leaseFrom(app: Pick<App, 'config'>, now: number) {
  const until = now + app.config.publishing.leaseMs;
  return { lease_until: until, next_at: until };
}

/**
 * Whether the lease is younger than its first heartbeat: no other worker can have taken it, by this clock. A lease that has
 * not begun yet says nothing about its age: the clock was set back.
 */
export function isYoung(app: App, { lease_until }: Pick<DispatchRow, 'lease_until'>): boolean {
  const { leaseMs } = app.config.publishing;
  const ageMs = lease_until === null ? leaseMs : app.clock.now() - (lease_until - leaseMs);
  return ageMs >= 0 && ageMs < leaseMs / 4;
}

/** Leases, and waits for the next poll, that were planned before the clock was set back. */
export function attemptTimes({ config }: Pick<App, 'config'>): DueTime[] {
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
export const addressTimes: readonly DueTime[] = [
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
export async function renew(app: App, attempt: LeasedAttempt): Promise<boolean> {
  const { numAffectedRows } = await app.db.transact((tx) => {
    const { lease_until, next_at } = leaseFrom(app, app.clock.now());
    return prolong(tx, lease_until, next_at, attempt.org_id, attempt.id, attempt.turn);
  });
  return (numAffectedRows ?? 0n) > 0n;
}

const prolong = writeOnce(
  (tx, lease_until: number, next_at: number, orgId: string, id: string, fence: number) =>
    tx
      .updateTable('dispatches')
      .set({ lease_until, next_at })
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('turn', '=', fence), // mutant: renewal-fence
);

/**
 * Gives the slide URLs a new secret: the old URLs are dead, and nothing was fetched from them. Null if something was fetched,
 * or if another worker has the attempt.
 */
export async function replaceNonce(app: App, attempt: LeasedAttempt, nonce: string): Promise<string | null> {
  const { numAffectedRows } = await app.db.transact((tx) =>
    rotate(tx, nonce, attempt.org_id, attempt.id, attempt.turn),
  );
  return (numAffectedRows ?? 0n) > 0n ? nonce : null;
}

const rotate = writeOnce(
  (tx, nonce: string, orgId: string, id: string, fence: number) =>
    tx
      .updateTable('dispatches')
      .set({ nonce })
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('turn', '=', fence) // mutant: nonce-fence
      .where('fetched_at', 'is', null) // mutant: nonce-fetched
      .where('revoked_at', 'is', null), // mutant: nonce-revoked
);

/** An attempt, locked, whichever worker owns it: without a publish id, and with slide URLs that are not revoked. */
export async function stillUnanswered(tx: Tx, attempt: LeasedAttempt): Promise<DispatchRow | null> {
  const { rows } = await findUnanswered(tx, attempt.org_id, attempt.id);
  return rows[0] ?? null;
}

const findUnanswered = writeOnce((tx, orgId: string, id: string) =>
  tx
    .selectFrom('dispatches')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('publish_id', 'is', null)
    .where('revoked_at', 'is', null)
    .forUpdate(),
);

/** The attempt, locked, if the fence is still ours. Lock its post first. */
export async function lockIfOwner(tx: Tx, attempt: LeasedAttempt): Promise<DispatchRow | null> {
  const { rows } = await findOwned(tx, attempt.org_id, attempt.id, attempt.turn);
  return rows[0] ?? null;
}

const findOwned = writeOnce((tx, orgId: string, id: string, fence: number) =>
  tx
    .selectFrom('dispatches')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('turn', '=', fence) // mutant: settling-fence
    .forUpdate(),
);

export interface Heartbeat {
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Renews the lease four times per lease duration, for as long as the work takes. */
function startHeartbeat(app: App, attempt: LeasedAttempt): Heartbeat {
  const lost = new AbortController();
  let renewing = false;
  const beat = async () => {
    if (renewing) return;
    renewing = true;
    try {
      if (!(await renew(app, attempt))) lost.abort(new Error('the attempt was taken over'));
    } catch (err) {
      app.log.warn(
        { ...faultOf(err), dispatch_id: attempt.id },
        'a lease could not be renewed; the next heartbeat tries again',
      );
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void beat(), Math.max(1, app.config.publishing.leaseMs / 4));
  timer.unref();
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}
