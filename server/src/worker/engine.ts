// The worker's side of publishing: finds what is due, and keeps so many attempts going at once. A turn begins work and
// does not wait for it, so that one call that hangs never holds up the clock.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app.js';
import { confirmArrivals } from '../assets/assets.js';
import type { DispatchRow, PostRow } from '../db/tables.js';
import { claimDue } from '../delivery/claim.js';
import { deliver } from '../delivery/deliver.js';
import { dueAt } from '../delivery/held.js';
import { observe } from '../delivery/observe.js';
import { takeOver } from '../delivery/take-over.js';
import { transfer } from '../delivery/transfer.js';
import { type Held, hold } from '../dispatches/lease.js';
import { faultOf, levelOf } from '../log.js';
import { createPool, type Pool } from './pool.js';

export interface Engine {
  /** Begins to publish the scheduled posts whose time has come. */
  publishDue(): Promise<void>;
  /** Goes on with attempts: interrupted ones, and those the platform has to be asked about. */
  reconcile(): Promise<void>;
  /** Goes on sending videos. */
  transfer(): Promise<void>;
  /** When nothing runs. */
  idle(): Promise<void>;
  /** Transfers are put aside; calls that may publish something are waited for, as long as a stop may take. */
  stop(): Promise<void>;
}

/** How many at once, and how many of one account. */
export const ROOM = { publish: [64, 4], reconcile: [16, 4], transfer: [4, 2] } as const;

/**
 * Questions at once while due posts wait for room: a post that begins late is late for everybody, a question is not. More
 * than one account may have, so that its hanging calls do not keep the others from being asked about.
 */
export const ASKED_MEANWHILE = 8;

/** Whatever has not ended by then is left to whoever finds its hold run out. */
const HAND_OVER_MS = 14_000;

export type PoolName = keyof typeof ROOM;

/** `onRoom` is called when something has ended, and the next may begin. */
export function createEngine(app: App, onRoom: (pool: PoolName) => void = () => {}): Engine {
  const stopping = new AbortController();
  const onError = (err: unknown) =>
    app.log[levelOf(err)](faultOf(err), 'an attempt could not be gone on with; it is taken up again later');
  const poolOf = (name: PoolName) => {
    const [most, mostPerAccount] = ROOM[name];
    return createPool(most, mostPerAccount, { onRoom: inOneGo(() => onRoom(name)), onError });
  };
  const pools = {
    publish: poolOf('publish'),
    reconcile: poolOf('reconcile'),
    transfer: poolOf('transfer'),
  };
  let postsWait = false;
  const goOn = (
    pool: Pool,
    phases: DispatchRow['phase'][],
    work: (held: DispatchRow) => Promise<unknown>,
    room = () => pool.free,
  ) =>
    fill(
      room,
      (limit) => dueDispatches(app, pool, phases, limit),
      (seen) =>
        pool.start(seen.id, seen.social_account_id, async () => {
          const held = await hold(app, seen);
          if (held) await work(held);
        }),
    );

  return {
    async publishDue() {
      if (app.safety.mode.kind !== 'normal') return;
      await fill(
        () => pools.publish.free,
        (limit) => duePosts(app, pools.publish, limit),
        (post) => pools.publish.start(post.id, post.social_account_id ?? '', () => publish(app, post)),
      );
      postsWait = pools.publish.free === 0 && (await duePosts(app, pools.publish, 1)).length > 0;
    },
    async reconcile() {
      const goOnWith = async (held: DispatchRow) => {
        if (held.phase !== 'sending') return observe(app, held);
        const next = await takeOver(app, held);
        return next && deliver(app, next);
      };
      // What was interrupted is late already, and comes before all questions.
      if (app.safety.mode.kind === 'unchecked') return;
      if (app.safety.mode.kind === 'normal') await goOn(pools.reconcile, ['sending'], goOnWith);
      const room = () => pools.reconcile.free - (postsWait ? ROOM.reconcile[0] - ASKED_MEANWHILE : 0);
      await goOn(pools.reconcile, ['observing', 'done'], goOnWith, room);
    },
    async transfer() {
      if (app.safety.mode.kind !== 'normal') return;
      await goOn(pools.transfer, ['transferring'], (held) => transfer(app, held, stopping.signal));
    },
    async idle() {
      for (const pool of Object.values(pools)) await pool.idle();
    },
    async stop() {
      stopping.abort();
      const patience = new AbortController();
      const enough = delay(HAND_OVER_MS, undefined, { signal: patience.signal }).catch(() => {});
      await Promise.race([Promise.all(Object.values(pools).map((pool) => pool.idle())), enough]);
      patience.abort();
    },
  };
}

/** Those that share a commit end together: the next ones are looked for once, and not once for each. */
function inOneGo(act: () => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      act();
    });
  };
}

/**
 * Begins what is due until there is no room, or nothing left. An account that has got all it may have on the way is left
 * out of the next look, so that its backlog hides nobody.
 */
async function fill<Row>(
  room: () => number,
  find: (limit: number) => Promise<Row[]>,
  begin: (row: Row) => boolean,
): Promise<void> {
  while (room() > 0) {
    const limit = room() + BEGUN_ALREADY;
    const rows = await find(limit);
    const begun = rows.filter((row) => room() > 0 && begin(row));
    if (rows.length < limit || begun.length === 0) return;
  }
}

/** One scheduled post, from its slot to the platform's first answer. */
async function publish(app: App, post: DuePost): Promise<void> {
  await confirmArrivals(app, post.org_id, post.id);
  const claimed = await app.db.transact((tx) => claimDue(app, tx, post));
  switch (claimed.kind) {
    case 'claimed':
      await deliver(app, claimed.dispatch);
      return;
    case 'paced':
    case 'held':
    case 'missed':
    case 'none':
      return;
    default:
      claimed satisfies never;
  }
}

type DuePost = Pick<PostRow, 'org_id' | 'id' | 'social_account_id'>;

/** Oldest first, without the accounts that have enough to do already. */
function duePosts(app: App, pool: Pool, limit: number): Promise<DuePost[]> {
  const busy = pool.busyAccounts();
  let due = app.db.read
    .selectFrom('posts')
    .select(['org_id', 'id', 'social_account_id'])
    .where('status', '=', 'scheduled')
    .where(dueAt, '<=', app.clock.now());
  if (busy.length > 0) due = due.where('social_account_id', 'not in', busy);
  return due.orderBy(dueAt).orderBy('scheduled_at').limit(limit).execute();
}

/** Those that were begun and not claimed yet are found again, and must not hide the others. */
const BEGUN_ALREADY = 32;

type DueDispatch = Held & Pick<DispatchRow, 'social_account_id'>;

/** What it takes to hold one; the rest comes with the hold. */
function dueDispatches(
  app: App,
  pool: Pool,
  phases: DispatchRow['phase'][],
  limit: number,
): Promise<DueDispatch[]> {
  const busy = pool.busyAccounts();
  let due = app.db.read
    .selectFrom('dispatches')
    .select(['org_id', 'id', 'post_id', 'social_account_id', 'turn'])
    .where('next_at', '<=', app.clock.now())
    .where('phase', 'in', phases);
  if (busy.length > 0) due = due.where('social_account_id', 'not in', busy);
  return due.orderBy('next_at').limit(limit).execute();
}
