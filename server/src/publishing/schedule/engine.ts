// The worker's side of publishing: finds due work and runs a limited number of attempts at once. A run begins work and does
// not wait for it, so a call that hangs never delays the schedule.
import type { App } from '../../api/app.js';
import { confirmArrivals } from '../../assets/assets.js';
import { NEVER_REFUSED } from '../../assets/confirm.js';
import { shareOf } from '../../db/database.js';
import type { DispatchRow } from '../../db/tables.js';
import { atMost, LoopDelay, waitAtMost, yieldEvery } from '../../ground/concurrency.js';
import { faultOf, levelOf } from '../../ground/log.js';
import type { SpanPlan } from '../../ground/spans.js';
import { type Claimed, claimDue } from '../attempt/claim.js';
import { acquireLease, isLeasedHere } from '../attempt/lease.js';
import { observe } from '../attempt/poll.js';
import { takeOver } from '../attempt/recover.js';
import { deliver } from '../attempt/send.js';
import { transfer } from '../attempt/upload.js';
import { type DuePost, dueDispatches, duePosts } from './due.js';
import { createPool, inTurn, type Pool, type Room, type Work } from './pool.js';
import { createSearch, type Search } from './search.js';

export interface Engine {
  /** Begins to publish scheduled posts whose time has come. */
  publishDue(): Promise<void>;
  /** Continues interrupted attempts, and polls the platform about open ones. */
  reconcile(): Promise<void>;
  /** Continues to send videos. */
  transfer(): Promise<void>;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Pauses transfers and waits for calls that may publish something, as long as a stop may take. */
  stop(): Promise<void>;
}

/** How many organizations can have all their places stuck in hanging calls before others must wait. */
const ORGANIZATIONS = 8;

const roomFor = (perOrganization: number, perAccount: number): Room => ({
  most: ORGANIZATIONS * perOrganization,
  perOrganization,
  perAccount,
});

/** How many run at once: in total, per organization, per account. */
export const ROOM = {
  // Those of one organization, and a few of others beside it. With more, each waits for all others at every step, and so does
  // every request.
  publish: { ...roomFor(64, 4), whileBusy: 72, reserved: 8 },
  reconcile: roomFor(16, 4),
  transfer: roomFor(4, 2),
} as const;

/**
 * Polls of an organization at once while its due posts wait for room, and of all together while there is none at all: a post
 * that begins late goes out late, a late poll does no harm. More than one account may have, so that hanging calls of one
 * account do not block polls of the others.
 */
export const ASKED_MEANWHILE = 8;

/**
 * How many transactions begin work at once. Hundreds of posts may begin together, and heartbeats, leases and requests need the
 * database meanwhile: half of its connections stay theirs.
 */
const beginsAtOnce = ({ db }: App) => shareOf(db, 1 / 2);

/** How long posts are begun before requests and everything else are served. */
const BUSY_MS = 5;

/** The process has more to do than it gets done if the event loop takes so long, or so many claims wait for the database. */
const BUSY_LOOP_MS = 10;
const MAX_CLAIMS_WAITING = 16;

/** Work that has not ended by then is left to the worker that finds its lease expired. */
const HAND_OVER_MS = 14_000;

export type PoolName = keyof typeof ROOM;

/** The loop that begins the work of each pool. */
const LOOPS: Record<PoolName, string> = {
  publish: 'schedule',
  reconcile: 'reconcile',
  transfer: 'transfers',
};

/** `onRoom` is called when work has ended and more may begin. */
export function createEngine(app: App, onRoom: (pool: PoolName) => void = () => {}): Engine {
  const stopping = new AbortController();
  const limited = atMost(beginsAtOnce(app));
  /** Posts that were begun and are not claimed yet. */
  const unclaimed = new Set<string>();
  const loopDelay = new LoopDelay();
  const isBusy = () => unclaimed.size > beginsAtOnce(app) + MAX_CLAIMS_WAITING || loopDelay.ms > BUSY_LOOP_MS;
  const paces = {
    publish: createPace(() => onRoom('publish')),
    reconcile: createPace(() => onRoom('reconcile')),
    transfer: createPace(() => onRoom('transfer')),
  };
  const poolOf = (name: PoolName) =>
    createPool(ROOM[name], {
      isBusy,
      onRoom: paces[name].onRoom,
      onError(err) {
        app.meters.loopFailed(LOOPS[name]);
        app.log[levelOf(err)](faultOf(err), 'work on an attempt failed; a later run tries again');
      },
    });
  const pools = {
    publish: poolOf('publish'),
    reconcile: poolOf('reconcile'),
    transfer: poolOf('transfer'),
  };
  /** Organizations whose due posts wait for room. */
  let waiting = new Set<string>();
  /** Whether there was no room for anybody. */
  let isFull = false;
  const searchFor = (pool: Pool, phase: DispatchRow['phase']) => ({
    pool,
    search: createSearch(app, dueDispatches(app, [phase]), pool),
  });
  const searches = {
    posts: createSearch(app, duePosts(app), pools.publish),
    interrupted: searchFor(pools.reconcile, 'sending'),
    open: searchFor(pools.reconcile, 'observing'),
    ended: searchFor(pools.reconcile, 'done'),
    transfers: searchFor(pools.transfer, 'transferring'),
  };
  const goOn = (
    { pool, search }: ReturnType<typeof searchFor>,
    work: (held: DispatchRow) => Promise<unknown>,
    roomOf = pool.roomOf,
  ) =>
    fill(
      pool,
      search,
      roomOf,
      loopDelay.pause,
      async (seen) => {
        const held = await limited(() => acquireLease(app, seen));
        if (held) await work(held);
      },
      // An attempt that this process is still sending or saving is not begun a second time.
      (seen) => !isLeasedHere(app, seen),
    );
  const roomForQuestions = (orgId: string) => {
    const { reconcile } = pools;
    const own = waiting.has(orgId) ? ROOM.reconcile.perOrganization - ASKED_MEANWHILE : 0;
    // Those that hang take a place, and no time of this process.
    const all = isFull ? ASKED_MEANWHILE - reconcile.begunLately : reconcile.free;
    return Math.min(reconcile.roomOf(orgId) - own, all);
  };

  return {
    publishDue: paces.publish.timed(async () => {
      if (app.safety.mode.kind !== 'normal') {
        // No post is sent in safe mode, so polls need not make way.
        waiting = new Set();
        isFull = false;
        return;
      }
      const { publish: pool } = pools;
      await loopDelay.pause();
      const left = await fill(pool, searches.posts, pool.roomOf, loopDelay.pause, (post) => {
        unclaimed.add(post.id);
        const onClaimed = () => void unclaimed.delete(post.id);
        // The claims of a crowd that has just begun are not waited for, either.
        const isUrgent = pool.newcomers.has(post.org_id);
        const line: Line = (work) => limited(work, isUrgent);
        return app.spans
          .around({ name: 'publish' }, () => publish(app, post, line, onClaimed))
          .finally(onClaimed);
      });
      waiting = new Set(left.filter((orgId) => pool.roomOf(orgId) <= 0));
      isFull = waiting.size > 0 && pool.free <= 0;
    }),
    reconcile: paces.reconcile.timed(async () => {
      const goOnWith = async (held: DispatchRow) => {
        if (held.phase !== 'sending') return observe(app, held);
        // What proves that the attempt left may be lost with the server that had it: the store's note tells.
        if (await app.safety.confirm()) return;
        const next = await limited(() => takeOver(app, held));
        return next && deliver(app, next);
      };
      // Interrupted attempts are late already, so they come before all polls.
      if (app.safety.mode.kind === 'unchecked') return;
      if (app.safety.mode.kind === 'normal') await goOn(searches.interrupted, goOnWith);
      await goOn(searches.open, goOnWith, roomForQuestions);
      // What is asked about an ended attempt can wait: the address of a published post, or an outcome that stayed unknown.
      await goOn(searches.ended, goOnWith, roomForQuestions);
    }),
    transfer: paces.transfer.timed(async () => {
      if (app.safety.mode.kind !== 'normal') return;
      await goOn(searches.transfers, (held) => transfer(app, held, stopping.signal));
    }),
    async idle() {
      for (const pool of Object.values(pools)) await pool.idle();
    },
    async stop() {
      stopping.abort();
      await waitAtMost(HAND_OVER_MS, Promise.all(Object.values(pools).map((pool) => pool.idle())));
    },
  };
}

/** The searches for work take one part in so many of the time, and none waits longer than this for the next. */
const PART = 20;
const MAX_PAUSE_MS = 100;

/**
 * When the next search follows work that has ended. Work that shares a commit ends together: one search is enough for it. In a rush
 * something ends all the time, and a search for each would take more of the database than the work itself.
 */
function createPace(search: () => void) {
  let isPlanned = false;
  let [endedAt, ms] = [0, 0];
  const go = () => {
    isPlanned = false;
    search();
  };
  return {
    onRoom(): void {
      if (isPlanned) return;
      isPlanned = true;
      const pause = endedAt + Math.min(PART * ms, MAX_PAUSE_MS) - performance.now();
      if (pause <= 0) setImmediate(go);
      else setTimeout(go, pause).unref();
    },
    timed: (run: () => Promise<void>) => async (): Promise<void> => {
      const began = performance.now();
      try {
        await run();
      } finally {
        endedAt = performance.now();
        ms = endedAt - began;
      }
    },
  };
}

/**
 * Begins due work until there is no room, or nothing left. An account that has reached its limit is left out of the next
 * search, so that its backlog does not hide the work of others. Returns the organizations that have due work left.
 */
async function fill<Row extends Work>(
  pool: Pool,
  search: Search<Row>,
  roomOf: (orgId: string) => number,
  pause: () => Promise<void>,
  task: (row: Row) => Promise<void>,
  mayBegin: (row: Row) => boolean = () => true,
): Promise<string[]> {
  for (;;) {
    const { rows, more } = await search(roomOf);
    let begun = 0;
    const shareLoop = yieldEvery(BUSY_MS, pause);
    for (const row of inTurn(rows, pool)) {
      if (mayBegin(row) && roomOf(row.org_id) > 0 && pool.start(row, () => task(row))) begun++;
      await shareLoop();
    }
    if (begun > 0 && more.some((orgId) => roomOf(orgId) > 0)) continue;
    return [...more, ...rows.filter(({ id }) => !pool.has(id)).map(({ org_id }) => org_id)];
  }
}

type Line = ReturnType<typeof atMost>;

const CLAIM: SpanPlan<Claimed> = { name: 'claim', tell: ({ kind }) => ({ 'airdate.claim': kind }) };

/** One scheduled post, from its slot to the platform's first answer. */
async function publish(app: App, post: DuePost, limited: Line, onClaimed: () => void): Promise<void> {
  await confirmArrivals(app, post.org_id, post.id, NEVER_REFUSED); // mutant: write-ahead
  const claimed = await app.spans.around(CLAIM, () =>
    limited(() => app.db.transact((tx) => claimDue(app, tx, post))),
  );
  onClaimed();
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
