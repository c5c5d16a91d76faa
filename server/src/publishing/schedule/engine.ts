// The worker's side of publishing: three jobs, which publish due posts, poll and recover attempts, and send videos.

import type { App } from '../../app/app.js';
import { confirmArrivals } from '../../assets/assets.js';
import { createLimiter, type Limiter, LoopDelay, yieldEvery } from '../../core/concurrency.js';
import type { SpanPlan } from '../../core/spans.js';
import { transactionBudget } from '../../db/database.js';
import type { AttemptRow } from '../../db/tables.js';
import { isLeasedHere } from '../../work/lease.js';
import { createPool, orderFairly, type Pool, type PoolLimits } from '../../work/pool.js';
import { createRunner, type Job, type Runner, type WakeLoop } from '../../work/runner.js';
import { type Claimed, claimDue } from '../attempt/claim.js';
import { acquireLease } from '../attempt/lease.js';
import { pollAttempt } from '../attempt/poll.js';
import { recoverAttempt } from '../attempt/recover.js';
import { sendAttempt } from '../attempt/send.js';
import { uploadVideo } from '../attempt/upload.js';
import { type Due, type DueAttempt, type DuePost, dueAttempts, duePosts } from './due.js';
import { createSearch, type Search } from './search.js';

/** `publish`, `poll` and `transfer` search for due work and begin it, as the loop of that name does in a worker. */
export interface Engine {
  /** Scheduled posts whose time has come. */
  publish(): Promise<void>;
  /** Interrupted attempts, which are continued, and open ones, about which the platform is polled. */
  poll(): Promise<void>;
  /** Videos whose bytes are not all sent. */
  transfer(): Promise<void>;
  /** For the loops of a worker. */
  readonly runners: readonly Runner[];
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Pauses transfers and waits for calls that may publish something, as long as a stop may take. */
  stop(): Promise<void>;
}

/** How often due work is searched for: a due post starts within two seconds, even when one run is late. */
const SEARCH_EVERY_MS = 500;

/** How many organizations can have all their capacity stuck in hanging calls before others must wait. */
const MAX_STUCK_ORGANIZATIONS = 8;

const poolLimits = (
  perOrganization: number,
  perTarget: number,
): PoolLimits & { perOrganization: number } => ({
  max: MAX_STUCK_ORGANIZATIONS * perOrganization,
  perOrganization,
  perTarget,
});

/** How many run at the same time: in total, per organization, per account. */
export const POOL_LIMITS = {
  publish: poolLimits(64, 4),
  poll: poolLimits(16, 4),
  transfer: poolLimits(4, 2),
} as const;

/**
 * How many posts run while the process is busy: those of one organization, and a few of others beside it. With more, each waits for
 * all others at every step, and so does every request.
 */
export const RUSH_LIMITS = { maxRecentWhenBusy: 72, reserved: 8 } as const;

/**
 * Polls of an organization at the same time while its due posts wait for capacity, and of all together while there is none at
 * all: a post that begins late goes out late, a late poll does no harm. More than one account may have, so that hanging calls of
 * one account do not block polls of the others.
 */
export const MAX_POLLS_WHILE_DUE = 8;

/**
 * How many transactions that begin work run at the same time. Hundreds of posts may begin together, and heartbeats, leases and
 * requests need the database meanwhile: half of its connections stay theirs.
 */
const maxConcurrentClaims = ({ db }: App) => transactionBudget(db, 1 / 2);

/** The rank of claims that go before all others. */
const URGENT = -1;

/** How long posts are begun before requests and everything else are served. */
const BUSY_MS = 5;

/** The process has more to do than it gets done if the event loop takes this long, or this many claims wait for the database. */
const BUSY_LOOP_MS = 10;
const MAX_CLAIMS_WAITING = 16;

const ON_FAILURE = 'work on an attempt failed; a later run tries again';

export function createEngine(app: App, wakeLoop?: WakeLoop): Engine {
  const shared: Shared = {
    // A plain limiter: the pools have chosen fairly between organizations.
    limitClaims: createLimiter(maxConcurrentClaims(app)),
    loopDelay: new LoopDelay(),
    demand: { waiting: new Set(), isFull: false },
  };
  const publish = createRunner(app, publishJob(app, shared), wakeLoop);
  const poll = createRunner(app, pollJob(app, shared), wakeLoop);
  const transfer = createRunner(app, transferJob(app, shared), wakeLoop);
  const runners = [publish, poll, transfer];
  return {
    publish: publish.startDue,
    poll: poll.startDue,
    transfer: transfer.startDue,
    runners,
    async idle() {
      for (const runner of runners) await runner.idle();
    },
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
  };
}

/** What the three jobs have in common. */
interface Shared {
  limitClaims: Limiter;
  loopDelay: LoopDelay;
  demand: Demand;
}

/** The due posts that found no capacity: written by their job after each search, and read by that of the polls, which makes way. */
interface Demand {
  /** Organizations whose due posts wait. */
  waiting: ReadonlySet<string>;
  /** Whether there was no capacity for any organization. */
  isFull: boolean;
}

function publishJob(app: App, { limitClaims, loopDelay, demand }: Shared): Job<DuePost> {
  /** Posts that were begun and are not claimed yet. */
  const unclaimed = new Set<string>();
  const isBusy = () =>
    unclaimed.size > maxConcurrentClaims(app) + MAX_CLAIMS_WAITING || loopDelay.ms > BUSY_LOOP_MS;
  let newcomers: ReadonlySet<string> = new Set();
  const isNewcomer = (orgId: string) => newcomers.has(orgId);
  return {
    name: 'publish',
    everyMs: SEARCH_EVERY_MS,
    // An accepted video has bytes to upload right away.
    alsoWakes: ['transfer'],
    onFailure: ON_FAILURE,
    pool: (events) =>
      createPool({ ...POOL_LIMITS.publish, rush: { ...RUSH_LIMITS, isBusy, isNewcomer } }, events),
    source(pool) {
      const search = createSearch(app, duePosts(app), pool, (orgIds) => {
        newcomers = orgIds;
      });
      return async function* () {
        await loopDelay.pause();
        const left = yield* startableWork(pool, search, pool.capacityFor, loopDelay.pause);
        demand.waiting = new Set(left.filter((orgId) => pool.capacityFor(orgId) <= 0));
        demand.isFull = demand.waiting.size > 0 && pool.free <= 0;
      };
    },
    run(post) {
      unclaimed.add(post.id);
      const onClaimed = () => void unclaimed.delete(post.id);
      // The claims of a crowd that has just begun are not waited for, either.
      const isUrgent = isNewcomer(post.org_id);
      const ranked: Limiter = (work) => limitClaims(work, isUrgent ? URGENT : undefined);
      return app.spans
        .withSpan({ name: 'publish' }, () => publishPost(app, post, ranked, onClaimed))
        .finally(onClaimed);
    },
  };
}

function pollJob(app: App, { limitClaims, loopDelay, demand }: Shared): Job<DueAttempt> {
  return {
    name: 'poll',
    everyMs: SEARCH_EVERY_MS,
    onFailure: ON_FAILURE,
    inSafeMode: true,
    pool: (events) => createPool(POOL_LIMITS.poll, events),
    source(pool) {
      const interrupted = attemptsIn(app, pool, loopDelay, 'sending');
      const open = attemptsIn(app, pool, loopDelay, 'observing');
      const ended = attemptsIn(app, pool, loopDelay, 'done');
      const pollCapacityFor = (orgId: string) => {
        // No post is sent in safe mode, so polls need not make way.
        const makesWay = app.safety.mode.kind === 'normal';
        const { perOrganization } = POOL_LIMITS.poll;
        const reserved = makesWay && demand.waiting.has(orgId) ? perOrganization - MAX_POLLS_WHILE_DUE : 0;
        // Polls that hang take capacity, and no time of this process.
        const all = makesWay && demand.isFull ? MAX_POLLS_WHILE_DUE - pool.startedRecently : pool.free;
        return Math.min(pool.capacityFor(orgId) - reserved, all);
      };
      return async function* () {
        // Interrupted attempts are late already, so they come before all polls.
        if (app.safety.mode.kind === 'normal') yield* interrupted(pool.capacityFor);
        yield* open(pollCapacityFor);
        // What is asked about an ended attempt can wait: the address of a published post, or an outcome that stayed unknown.
        yield* ended(pollCapacityFor);
      };
    },
    async run(seen) {
      const leased = await limitClaims(() => acquireLease(app, seen));
      if (!leased) return;
      if (leased.phase !== 'sending') return void (await pollAttempt(app, leased));
      // What proves that the attempt left may be lost with the server that had it: the store's note tells.
      if (await app.safety.checkBeforeSend()) return;
      const next = await limitClaims(() => recoverAttempt(app, leased));
      if (next) await sendAttempt(app, next);
    },
  };
}

function transferJob(app: App, { limitClaims, loopDelay }: Shared): Job<DueAttempt> {
  return {
    name: 'transfer',
    everyMs: SEARCH_EVERY_MS,
    onFailure: ON_FAILURE,
    pool: (events) => createPool(POOL_LIMITS.transfer, events),
    source(pool) {
      const transfers = attemptsIn(app, pool, loopDelay, 'transferring');
      return () => transfers(pool.capacityFor);
    },
    async run(seen, stopping) {
      const leased = await limitClaims(() => acquireLease(app, seen));
      if (leased) await uploadVideo(app, leased, stopping);
    },
  };
}

/** Finds attempts of a phase. One that this process is still sending or saving is not begun a second time. */
function attemptsIn(app: App, pool: Pool, loopDelay: LoopDelay, phase: AttemptRow['phase']) {
  const search = createSearch(app, dueAttempts(app, [phase]), pool);
  return (capacityFor: (orgId: string) => number) =>
    startableWork(pool, search, capacityFor, loopDelay.pause, ({ id }) => !isLeasedHere(app, id));
}

/**
 * Yields due work until there is no capacity, or nothing left. An account that has reached its limit is left out of the next
 * search, so that its backlog does not hide the work of others. Returns the organizations that have due work left.
 */
async function* startableWork<Row extends Due>(
  pool: Pool,
  search: Search<Row>,
  capacityFor: (orgId: string) => number,
  pause: () => Promise<void>,
  isWanted: (row: Row) => boolean = () => true,
): AsyncGenerator<Row, string[]> {
  for (;;) {
    const { rows, more } = await search(capacityFor);
    let begun = 0;
    const shareLoop = yieldEvery(BUSY_MS, pause);
    for (const row of orderFairly(rows, pool)) {
      if (isWanted(row) && capacityFor(row.org_id) > 0 && pool.mayStart(row)) {
        begun++;
        yield row;
      }
      await shareLoop();
    }
    if (begun > 0 && more.some((orgId) => capacityFor(orgId) > 0)) continue;
    return [...more, ...rows.filter(({ id }) => !pool.has(id)).map(({ org_id }) => org_id)];
  }
}

const CLAIM: SpanPlan<Claimed> = { name: 'claim', attributesOf: ({ kind }) => ({ 'airdate.claim': kind }) };

/** One scheduled post, from its slot to the platform's first answer. */
async function publishPost(app: App, post: DuePost, limited: Limiter, onClaimed: () => void): Promise<void> {
  await confirmArrivals(app, post.org_id, post.id, 'free'); // mutant: write-ahead
  const claimed = await app.spans.withSpan(CLAIM, () =>
    limited(() => app.db.transact((tx) => claimDue(app, tx, post))),
  );
  onClaimed();
  switch (claimed.kind) {
    case 'claimed':
      await sendAttempt(app, claimed.attempt);
      return;
    case 'paced':
    case 'waiting':
    case 'missed':
    case 'none':
      return;
    default:
      claimed satisfies never;
  }
}
