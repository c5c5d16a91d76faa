// Runs a limited number of tasks at once, with further limits per organization and per account, so that hanging calls do
// not make others wait.

export interface Room {
  most: number;
  perOrganization: number;
  perAccount: number;
  /** While the process is busy: of those that began lately. Work that hangs takes a place, and no time of this process. */
  whileBusy?: number;
  /** Of all: only for newcomers. */
  reserved?: number;
}

/** What has run for longer hangs: it waits for the platform. */
const LATELY_MS = 5_000;

/** A piece of work and its owners. */
export interface Work {
  id: string;
  org_id: string;
  social_account_id: string | null;
}

export interface Pool {
  /** How many more may begin, without the reserved places. */
  readonly free: number;
  /** How many of those that run began in the last seconds. */
  readonly begunLately: number;
  /** Organizations that may have the reserved places: their work became due after that of a crowd. */
  newcomers: ReadonlySet<string>;
  /** Whether this work is running. */
  has(id: string): boolean;
  /** How many more places an organization may have now. */
  roomOf(orgId: string): number;
  /** How many places an organization or an account holds. */
  heldBy(ownerId: string): number;
  /** Accounts of an organization that have reached their limit. */
  busyAccounts(orgId: string): string[];
  /** Starts the task; false if there is no room or the same work is already running. */
  start(work: Work, task: () => Promise<void>): boolean;
  /** Resolves when all tasks have ended. */
  idle(): Promise<void>;
}

export interface PoolEvents {
  /** Whether the process has more to do than it gets done. */
  isBusy?(): boolean;
  /** A task has succeeded, and there is room for the next. */
  onRoom(): void;
  /** A task has failed. It is retried by the next run, not at once. */
  onError(error: unknown): void;
}

export function createPool(
  room: Room,
  { onRoom, onError, isBusy = () => false }: PoolEvents,
  steadyNow: () => number = () => performance.now(),
): Pool {
  /** When those that began lately did, by their id, in this order. */
  const births = new Map<string, number>();
  const countLately = () => {
    const since = steadyNow() - LATELY_MS;
    for (const [id, at] of births) {
      if (at > since) break;
      births.delete(id);
    }
    return births.size;
  };
  const countFree = () => {
    const free = room.most - running.size;
    if (room.whileBusy === undefined || !isBusy()) return free;
    return Math.min(free, room.whileBusy - countLately());
  };
  const { reserved = 0 } = room;
  let newcomers: ReadonlySet<string> = new Set();
  const freeFor = (orgId: string) => countFree() - (newcomers.has(orgId) ? 0 : reserved);
  const running = new Map<string, Promise<void>>();
  const held = new Map<string, number>();
  /** By organization. */
  const accounts = new Map<string, Set<string>>();
  const heldBy = (ownerId: string) => held.get(ownerId) ?? 0;
  const count = (ownerId: string, by: number) => {
    const n = heldBy(ownerId) + by;
    if (n === 0) held.delete(ownerId);
    else held.set(ownerId, n);
  };
  const roomOf = (orgId: string) => Math.min(freeFor(orgId), room.perOrganization - heldBy(orgId)); // mutant: pool-share
  const take = ({ org_id, social_account_id }: Work) => {
    count(org_id, +1);
    if (social_account_id === null) return;
    count(social_account_id, +1);
    const siblings = accounts.get(org_id) ?? new Set();
    accounts.set(org_id, siblings.add(social_account_id));
  };
  const giveBack = ({ id, org_id, social_account_id }: Work) => {
    running.delete(id);
    births.delete(id);
    count(org_id, -1);
    if (social_account_id !== null) {
      count(social_account_id, -1);
      if (heldBy(social_account_id) === 0) accounts.get(org_id)?.delete(social_account_id);
    }
    if (heldBy(org_id) === 0) accounts.delete(org_id);
  };
  const isFull = (accountId: string) => heldBy(accountId) >= room.perAccount;
  return {
    get free() {
      return countFree() - reserved;
    },
    get begunLately() {
      return countLately();
    },
    get newcomers() {
      return newcomers;
    },
    set newcomers(orgIds) {
      newcomers = orgIds;
    },
    has: (id) => running.has(id),
    roomOf,
    heldBy,
    busyAccounts: (orgId) => [...(accounts.get(orgId) ?? [])].filter(isFull),
    start(work, task) {
      const { id, org_id, social_account_id } = work;
      if (running.has(id) || roomOf(org_id) <= 0) return false;
      if (social_account_id !== null && isFull(social_account_id)) return false;
      take(work);
      births.set(id, steadyNow());
      running.set(
        id,
        task().then(
          () => {
            giveBack(work);
            onRoom();
          },
          (error) => {
            giveBack(work);
            onError(error);
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
 * Work in the order in which it gets places: the next place goes to the organization that holds the fewest, there to the
 * account that holds the fewest, and there to the oldest work. From an even start that is one each, round robin; an
 * organization without a place always comes before those with many. `work` is given oldest first. Places are counted at
 * each step, so start what was yielded before asking for the next.
 */
export function* inTurn<W extends Work>(work: readonly W[], { heldBy }: Pick<Pool, 'heldBy'>): Generator<W> {
  const waiting = new Map<string, Map<string, W[]>>();
  for (const one of work) {
    const accounts = waiting.get(one.org_id) ?? new Map<string, W[]>();
    waiting.set(one.org_id, accounts);
    const line = accounts.get(one.social_account_id ?? '') ?? [];
    accounts.set(one.social_account_id ?? '', line);
    line.push(one);
  }
  for (const accounts of waiting.values()) for (const line of accounts.values()) line.reverse();
  while (waiting.size > 0) {
    const orgId = fewest(waiting.keys(), heldBy);
    const accounts = waiting.get(orgId) as Map<string, W[]>;
    const accountId = fewest(accounts.keys(), heldBy);
    const line = accounts.get(accountId) as W[];
    const next = line.pop() as W;
    if (line.length === 0) accounts.delete(accountId);
    if (accounts.size === 0) waiting.delete(orgId);
    yield next;
  }
}

/** The first of the owners that hold the fewest places. */
function fewest(owners: Iterable<string>, heldBy: (ownerId: string) => number): string {
  let found = '';
  let least = Number.POSITIVE_INFINITY;
  for (const owner of owners) {
    const n = heldBy(owner);
    if (n >= least) continue;
    least = n;
    found = owner;
    if (n === 0) break;
  }
  return found;
}
