// Runs a limited number of tasks at the same time, with further limits per organization and per target, so that calls that
// hang do not make others wait. In a rush, such as a full hour, fewer begin while the process is busy, and some capacity is kept
// for organizations whose work became due after that of the crowd.
import { Tally } from '../core/tally.js';

export interface PoolLimits {
  max: number;
  /** Without it, organizations share: one that has n running gets another only while more than n are free. */
  perOrganization?: number;
  perTarget: number;
  rush?: Rush;
}

/** What changes in a rush. */
export interface Rush {
  /** How many tasks that started in the last seconds may run while the process is busy. */
  maxRecentWhenBusy: number;
  /** How much of `max` is kept for newcomers. */
  reserved: number;
  /** Whether the process has more to do than it gets done. */
  isBusy(): boolean;
  /** Whether the organization's work became due after that of a crowd. */
  isNewcomer(orgId: string): boolean;
}

/** A piece of work, as far as pools see it. */
export interface Work {
  id: string;
  org_id: string;
  /** What it calls, such as an account. */
  target: string | null;
}

export interface Pool {
  /** How many more may begin. */
  readonly free: number;
  /**
   * How many of the running tasks started in the last seconds. A task that has run for longer hangs: it takes capacity, and no time of
   * this process.
   */
  readonly startedRecently: number;
  has(id: string): boolean;
  /** How many of an organization or a target are running. */
  runningFor(ownerId: string): number;
  /** How many more of an organization may begin. */
  capacityFor(orgId: string): number;
  /** Targets of an organization that have reached their limit. */
  busyTargets(orgId: string): string[];
  mayStart(work: Work): boolean;
  /** Starts the task; false if there is no capacity or the same work is already running. */
  start(work: Work, task: () => Promise<void>): boolean;
  /** Resolves when all tasks have ended. */
  idle(): Promise<void>;
}

export interface PoolEvents {
  /** A task has succeeded, and there is capacity for the next. */
  onSuccess(): void;
  /** A task has failed. It is retried by the next run, not right away. */
  onError(error: unknown, work: Work): void;
}

const RECENT_MS = 5_000;
const NO_RUSH: Rush = { maxRecentWhenBusy: 0, reserved: 0, isBusy: () => false, isNewcomer: () => false };

export function createPool(
  { max, perOrganization, perTarget, rush = NO_RUSH }: PoolLimits,
  { onSuccess, onError }: PoolEvents,
  steadyNow: () => number = () => performance.now(),
): Pool {
  const running = new Map<string, Promise<void>>();
  const counts = new Tally();
  /** The targets with running work, by organization. */
  const targets = new Map<string, Set<string>>();
  /** Start times of the running tasks that started in the last seconds, by the id of the work, oldest first. */
  const startTimes = new Map<string, number>();
  const startedRecently = () => {
    const since = steadyNow() - RECENT_MS;
    for (const [id, at] of startTimes) {
      if (at > since) break;
      startTimes.delete(id);
    }
    return startTimes.size;
  };
  const free = () => {
    const unused = max - running.size;
    return rush.isBusy() ? Math.min(unused, rush.maxRecentWhenBusy - startedRecently()) : unused;
  };
  const capacityFor = (orgId: string) => {
    const own = counts.of(orgId);
    const open = free() - (rush.isNewcomer(orgId) ? 0 : rush.reserved);
    const share = perOrganization ?? open;
    return Math.min(open, share - own); // mutant: pool-share
  };
  const isFull = (target: string) => counts.of(target) >= perTarget;
  const mayStart = ({ id, org_id, target }: Work) =>
    !running.has(id) && capacityFor(org_id) > 0 && (target === null || !isFull(target));

  function count({ org_id, target }: Work, by: 1 | -1): void {
    counts.add(org_id, by);
    if (target !== null) {
      counts.add(target, by);
      const own = targets.get(org_id) ?? new Set();
      targets.set(org_id, counts.of(target) > 0 ? own.add(target) : own);
      if (counts.of(target) === 0) own.delete(target);
    }
    if (counts.of(org_id) === 0) targets.delete(org_id);
  }

  return {
    get free() {
      return free() - rush.reserved;
    },
    get startedRecently() {
      return startedRecently();
    },
    has: (id) => running.has(id),
    runningFor: (ownerId) => counts.of(ownerId),
    capacityFor,
    busyTargets: (orgId) => [...(targets.get(orgId) ?? [])].filter(isFull),
    mayStart,
    start(work, task) {
      if (!mayStart(work)) return false;
      const end = () => {
        running.delete(work.id);
        startTimes.delete(work.id);
        count(work, -1);
      };
      count(work, +1);
      startTimes.set(work.id, steadyNow());
      running.set(
        work.id,
        task().then(
          () => {
            end();
            onSuccess();
          },
          (error) => {
            end();
            onError(error, work);
          },
        ),
      );
      return true;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

/**
 * Work in the order in which it gets capacity: the next is of the organization that has the fewest running, there of the target
 * that has the fewest, and there the oldest. From an even start that is one each, round robin; an organization that has none
 * running always comes before those with many. `work` is given oldest first. What runs is counted at each step, so start what
 * was yielded before asking for the next.
 */
export function* orderFairly<W extends Work>(
  work: readonly W[],
  { runningFor }: Pick<Pool, 'runningFor'>,
): Generator<W> {
  const waiting = new Map<string, Map<string, W[]>>();
  for (const one of work) {
    const targets = waiting.get(one.org_id) ?? new Map<string, W[]>();
    waiting.set(one.org_id, targets);
    const queue = targets.get(one.target ?? '') ?? [];
    targets.set(one.target ?? '', queue);
    queue.push(one);
  }
  for (const targets of waiting.values()) for (const queue of targets.values()) queue.reverse();
  while (waiting.size > 0) {
    const orgId = fewest(waiting.keys(), runningFor);
    const targets = waiting.get(orgId) as Map<string, W[]>;
    const target = fewest(targets.keys(), runningFor);
    const queue = targets.get(target) as W[];
    const next = queue.pop() as W;
    if (queue.length === 0) targets.delete(target);
    if (targets.size === 0) waiting.delete(orgId);
    yield next;
  }
}

/** The first of the owners that have the fewest running. */
function fewest(owners: Iterable<string>, runningFor: (ownerId: string) => number): string {
  let found = '';
  let least = Number.POSITIVE_INFINITY;
  for (const owner of owners) {
    const n = runningFor(owner);
    if (n >= least) continue;
    least = n;
    found = owner;
    if (n === 0) break;
  }
  return found;
}
