// Who works on an attempt. A hold is a turn number and a time: taking over raises the number, every later write names it,
// and so whoever was paused beyond its time changes nothing any more.
import type { App } from '../../api/app.js';
import { type Tx, writeOnce } from '../../db/database.js';
import type { DispatchRow } from '../../db/tables.js';
import { faultOf } from '../../ground/log.js';

/** Names an attempt and the turn somebody has with it. */
export type Held = Pick<DispatchRow, 'org_id' | 'id' | 'post_id' | 'turn'>;

/** Per process, which an App stands for. */
const inHand = new WeakMap<App, Set<string>>();

/**
 * Whether this process is still sending the attempt, or saving what the platform has said about it. Its lease may have run
 * out while the database was away; the process does not take over from itself.
 */
export const isInHand = (app: App, { id }: Pick<Held, 'id'>): boolean => inHand.get(app)?.has(id) ?? false;

/** Does the work on an attempt: the hold is renewed meanwhile, and the rest of this process leaves the attempt alone. */
export async function keepInHand<T>(
  app: App,
  held: Held,
  work: (heartbeat: Heartbeat) => Promise<T>,
): Promise<T> {
  const ids = inHand.get(app) ?? new Set<string>();
  inHand.set(app, ids.add(held.id));
  const heartbeat = keepHolding(app, held);
  try {
    return await work(heartbeat);
  } finally {
    heartbeat.stop();
    ids.delete(held.id);
  }
}

/** Takes the attempt over, if its time has come and nobody else was faster. */
export const hold = async (app: App, seen: Held): Promise<DispatchRow | null> =>
  isInHand(app, seen) ? null : take(app, seen, (tx, now, ...columns) => takeDue(tx, ...columns, now));

/** The same before its time, for somebody who wants to know now; only if nobody is at it. */
export const holdEarly = (app: App, seen: Held): Promise<DispatchRow | null> =>
  take(app, seen, (tx, _now, ...columns) => takeFree(tx, ...columns));

type Taking = [turn: number, leaseUntil: number, nextAt: number, orgId: string, id: string, seenTurn: number];

async function take(
  app: App,
  { org_id, id, turn }: Held,
  update: (tx: Tx, now: number, ...taking: Taking) => Promise<{ rows: DispatchRow[] }>,
): Promise<DispatchRow | null> {
  const { rows } = await app.db.transact((tx) => {
    const now = app.clock.now();
    const { lease_until, next_at } = leaseFrom(app, now);
    return update(tx, now, turn + 1, lease_until, next_at, org_id, id, turn);
  });
  return rows[0] ?? null;
}

const taken = (tx: Tx, ...[turn, lease_until, next_at, orgId, id, seenTurn]: Taking) =>
  tx
    .updateTable('dispatches')
    .set({ turn, lease_until, next_at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('turn', '=', seenTurn);

const takeDue = writeOnce((tx, ...[turn, until, next, orgId, id, seenTurn, now]: [...Taking, number]) =>
  taken(tx, turn, until, next, orgId, id, seenTurn).where('next_at', '<=', now).returningAll(),
);

const takeFree = writeOnce((tx, ...taking: Taking) =>
  taken(tx, ...taking)
    .where('lease_until', 'is', null)
    .returningAll(),
);

/** The columns of a hold that begins now. When it ends, the next may have it. */
export function leaseFrom(app: Pick<App, 'config'>, now: number) {
  const until = now + app.config.publishing.leaseMs;
  return { lease_until: until, next_at: until };
}

/** Whether the hold has not even come to its first sign of life: nobody else can have it, by this clock. */
export const isYoung = (app: App, { lease_until }: Pick<DispatchRow, 'lease_until'>): boolean =>
  lease_until !== null && app.clock.now() < lease_until - (3 / 4) * app.config.publishing.leaseMs;

/**
 * Goes on holding. False if somebody else has it, if it is gone, or if it was let go: a heartbeat that is slower than the
 * result would otherwise bring what is settled back to life, and whoever looks after it would never be done.
 */
export async function renew(app: App, held: Held): Promise<boolean> {
  const { numAffectedRows } = await app.db.transact((tx) => {
    const { lease_until, next_at } = leaseFrom(app, app.clock.now());
    return prolong(tx, lease_until, next_at, held.org_id, held.id, held.turn);
  });
  return (numAffectedRows ?? 0n) > 0n;
}

const prolong = writeOnce(
  (tx, lease_until: number, next_at: number, orgId: string, id: string, turn: number) =>
    tx
      .updateTable('dispatches')
      .set({ lease_until, next_at })
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('turn', '=', turn),
);

/**
 * Gives the addresses of the slides another secret: the old ones are dead, and surely nothing was fetched from them. Null if
 * something was, or if the attempt is no longer ours.
 */
export async function replaceNonce(app: App, held: Held, nonce: string): Promise<string | null> {
  const { numAffectedRows } = await app.db.transact((tx) =>
    rotate(tx, nonce, held.org_id, held.id, held.turn),
  );
  return (numAffectedRows ?? 0n) > 0n ? nonce : null;
}

const rotate = writeOnce((tx, nonce: string, orgId: string, id: string, turn: number) =>
  tx
    .updateTable('dispatches')
    .set({ nonce })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('turn', '=', turn)
    .where('fetched_at', 'is', null)
    .where('revoked_at', 'is', null),
);

/** An attempt, locked, whoever has it: one that nobody has given a publish id, and whose addresses still live. */
export async function stillUnanswered(tx: Tx, held: Held): Promise<DispatchRow | null> {
  const { rows } = await findUnanswered(tx, held.org_id, held.id);
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

/** The attempt, locked, if the turn is still ours. Lock its post before. */
export async function stillHeld(tx: Tx, held: Held): Promise<DispatchRow | null> {
  const { rows } = await findHeld(tx, held.org_id, held.id, held.turn);
  return rows[0] ?? null;
}

const findHeld = writeOnce((tx, orgId: string, id: string, turn: number) =>
  tx
    .selectFrom('dispatches')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('turn', '=', turn)
    .forUpdate(),
);

export interface Heartbeat {
  /** Aborted when the hold is lost. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Renews the hold four times in its life, for as long as the work takes. */
function keepHolding(app: App, held: Held): Heartbeat {
  const lost = new AbortController();
  let renewing = false;
  const beat = async () => {
    if (renewing) return;
    renewing = true;
    try {
      if (!(await renew(app, held))) lost.abort(new Error('the attempt was taken over'));
    } catch (err) {
      app.log.warn(
        { ...faultOf(err), dispatch_id: held.id },
        'a hold could not be renewed; it is tried again',
      );
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void beat(), Math.max(1, app.config.publishing.leaseMs / 4));
  timer.unref();
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}
