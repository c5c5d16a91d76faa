// Searches for due work: the backlog of one organization, however long, does not hide the work of others, and a search costs
// the same however many organizations there are.
//
// It reads a page of the oldest work. If that is all there is, it has seen everything. If many organizations of the page have work
// that could begin, that is enough, and beside them only those whose work became due last are looked up: a post that becomes due in
// a rush does not wait for all of it. Otherwise a backlog fills the page. The search then walks through the index of due times, from
// where the last one stopped, for further organizations.
import type { App } from '../../app/app.js';
import type { Pool, Work } from '../../work/pool.js';
import type { Arrival, Cursor, Due, DueQueries } from './due.js';

/** The rest of the organizations come with the next search, which follows right away if there is capacity. */
const MAX_ORGANIZATIONS_LOOKED_UP = 64;

/** Of more organizations than this, only the oldest work of each is read, all in one statement. */
const MAX_LOOKED_UP_ONE_BY_ONE = 8;

/** How much of the work that became due last is read, to look its organizations up. */
const MAX_NEWEST = 32;

/** If the work of more organizations than this became due since the last search, they are a crowd. */
const MAX_ARRIVALS_WITHOUT_CROWD = 8;

/** Entries of the index of due times that are read in one statement, and how many statements one search makes. */
const MAX_ENTRIES_PER_STATEMENT = 1_000;
const MAX_STATEMENTS_PER_SEARCH = 3;

/** The largest part of the time that reading a long backlog takes. A short reading may be followed by the next immediately. */
const MAX_PART_OF_TIME = 1 / 40;
const MAX_SHORT_MS = 5;

export interface FoundWork<Row> {
  /** In the order in which organizations get capacity. Includes work that was begun and is not claimed yet. */
  rows: Row[];
  /** Organizations that may have more due work than was read. */
  more: string[];
}

/** `capacityFor`: how many more of an organization may begin. */
export type Search<Row> = (capacityFor: (orgId: string) => number) => Promise<FoundWork<Row>>;

/** `onNewcomers`: with the organizations whose work became due after that of a crowd. */
export function createSearch<Row extends Due>(
  { clock }: Pick<App, 'clock'>,
  queries: DueQueries<Row>,
  pool: Pool,
  onNewcomers: (orgIds: ReadonlySet<string>) => void = () => {},
): Search<Row> {
  let cursor: Cursor | null = null;
  let restUntil = 0;
  let searchedAt = 0;
  /** When a crowd was last seen to have become due. */
  let crowdAt = 0;

  /** Those whose work became due after that of a crowd do not wait for it: they may have the reserved capacity. */
  function reportNewcomers(arrivals: readonly Arrival[], now: number): void {
    const since = (at: number) =>
      new Set(arrivals.filter(({ due_at }) => due_at > at).map(({ org_id }) => org_id));
    if (since(searchedAt).size > MAX_ARRIVALS_WITHOUT_CROWD) crowdAt = now;
    searchedAt = now;
    onNewcomers(since(crowdAt));
  }

  /** Further organizations that have due work and capacity, none of them in `known`. Continues where the last call stopped. */
  async function findFurtherOrganizations(
    now: number,
    known: Set<string>,
    hasCapacity: (orgId: string) => boolean,
  ): Promise<string[]> {
    const began = performance.now();
    if (began < restUntil) return [];
    const found = new Set<string>();
    for (let n = 0; n < MAX_STATEMENTS_PER_SEARCH && found.size < MAX_ORGANIZATIONS_LOOKED_UP; n++) {
      const { orgIds, next } = await queries.organizationsAfter(now, cursor, MAX_ENTRIES_PER_STATEMENT);
      for (const orgId of orgIds) if (!known.has(orgId) && hasCapacity(orgId)) found.add(orgId);
      cursor = next;
      if (next === null) break;
      // Others are served between two statements.
      await new Promise(setImmediate);
    }
    const ms = performance.now() - began;
    restUntil = ms < MAX_SHORT_MS ? 0 : began + ms / MAX_PART_OF_TIME;
    return [...found];
  }

  return async (capacityFor) => {
    const now = clock.now();
    const { rows, isAll } = await queries.oldestPage(now);
    const arrivals = isAll ? rows : await queries.newest(now, MAX_NEWEST);
    reportNewcomers(arrivals, now);
    if (isAll) return { rows: fromBothEnds(rows, []), more: [] };
    const hasCapacity = (orgId: string) => capacityFor(orgId) > 0;
    const page = byOrganization(rows);
    const newest = [...new Set(arrivals.map(({ org_id }) => org_id))].filter(
      (orgId) => !page.has(orgId) && hasCapacity(orgId),
    );
    const known = new Set([...page.keys(), ...newest]);
    const ready = [...page].filter(([orgId, own]) => hasCapacity(orgId) && startable(own, pool) > 0).length;
    const isEnough = ready + newest.length >= Math.min(pool.free, MAX_ORGANIZATIONS_LOOKED_UP);
    const further = isEnough ? [] : await findFurtherOrganizations(now, known, hasCapacity);
    const more = new Set([...known, ...further]);
    const found = new Map(rows.map((row) => [row.id, row]));
    const lookUp = async (orgIds: readonly string[], share: number) => {
      for (const orgId of orgIds) {
        const wanted = Math.min(capacityFor(orgId), share);
        if (startable(page.get(orgId) ?? [], pool) >= wanted) continue;
        // Work that was begun and is not claimed yet is found again, and must not hide the rest.
        const limit = wanted + pool.runningFor(orgId);
        const own = await queries.dueOf(orgId, now, limit, pool.busyTargets(orgId));
        if (own.length < limit) more.delete(orgId);
        for (const row of own) found.set(row.id, row);
      }
    };
    const outsidePage = [...newest, ...further].slice(0, MAX_ORGANIZATIONS_LOOKED_UP);
    // Organizations of the page may have more due work behind it.
    const inPage = isEnough ? [] : [...page.keys()].filter(hasCapacity);
    const share = Math.ceil(pool.free / Math.max(1, outsidePage.length + inPage.length));
    if (outsidePage.length <= MAX_LOOKED_UP_ONE_BY_ONE) await lookUp(outsidePage, share);
    else for (const row of await queries.oldestOfEach(outsidePage, now)) found.set(row.id, row);
    inPage.sort((a, b) => pool.runningFor(a) - pool.runningFor(b));
    await lookUp(inPage.slice(0, MAX_ORGANIZATIONS_LOOKED_UP), share);
    return { rows: fromBothEnds([...found.values()], newest), more: [...more] };
  };
}

function byOrganization<Row extends Work>(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const own = found.get(row.org_id);
    if (own) own.push(row);
    else found.set(row.org_id, [row]);
  }
  return found;
}

/** How many of these could begin, as far as their accounts are concerned. */
function startable(rows: readonly Work[], pool: Pool): number {
  const first = rows[0];
  if (!first) return 0;
  const busy = new Set(pool.busyTargets(first.org_id));
  return rows.filter(({ id, target }) => !pool.has(id) && !busy.has(target ?? '')).length;
}

/**
 * The organizations by turns from both ends of time: those that have waited longest, and those whose work has just become due.
 * The work of each is the oldest first. `newest` come from the young end before the others, in this order.
 */
export function fromBothEnds<Row extends Due>(rows: readonly Row[], newest: readonly string[]): Row[] {
  const groups = byOrganization([...rows].sort((a, b) => a.due_at - b.due_at));
  const young = newest.filter((orgId) => groups.has(orgId));
  const old = [...groups.keys()].filter((orgId) => !young.includes(orgId));
  const order: string[] = [];
  while (old.length + young.length > 0) {
    const eldest = old.shift() ?? young.pop();
    if (eldest !== undefined) order.push(eldest);
    const youngest = young.shift() ?? old.pop();
    if (youngest !== undefined) order.push(youngest);
  }
  return order.flatMap((orgId) => groups.get(orgId) ?? []);
}
