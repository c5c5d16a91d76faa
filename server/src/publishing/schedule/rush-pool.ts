// The pool of due posts. They are scheduled for full hours, so those of thousands of organizations become due in the same second:
// while the process is busy fewer begin, and a few are kept for organizations whose posts became due after those of a crowd.
import { createPool, type Pool, type PoolEvents, type PoolLimits } from '../../work/pool.js';

export interface RushLimits extends PoolLimits {
  /** While the process is busy: of those that began lately. */
  whileBusy: number;
  /** Of all: only for newcomers. */
  reserved: number;
}

export interface Rush {
  /** Whether the process has more to do than it gets done. */
  isBusy(): boolean;
  /** Whether the organization's work became due after that of a crowd. */
  isNewcomer(orgId: string): boolean;
}

export function createRushPool(
  { whileBusy, reserved, ...limits }: RushLimits,
  { isBusy, isNewcomer }: Rush,
  events: PoolEvents,
  steadyNow?: () => number,
): Pool {
  const pool = createPool(limits, events, steadyNow);
  const free = () => (isBusy() ? Math.min(pool.free, whileBusy - pool.begunLately) : pool.free);
  const capacityFor = (orgId: string) =>
    Math.min(free() - (isNewcomer(orgId) ? 0 : reserved), pool.capacityFor(orgId));
  const mayStart: Pool['mayStart'] = (work) => capacityFor(work.org_id) > 0 && pool.mayStart(work);
  return {
    has: pool.has,
    runningFor: pool.runningFor,
    busyTargets: pool.busyTargets,
    idle: pool.idle,
    get free() {
      return free() - reserved;
    },
    get begunLately() {
      return pool.begunLately;
    },
    capacityFor,
    mayStart,
    start: (work, task) => mayStart(work) && pool.start(work, task),
  };
}
