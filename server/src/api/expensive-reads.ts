// Reads that are long, or many: search, lists that have no counters, far pages, the timeline, covers. Organizations take turns, and
// none of them has all places. All of them together leave half of the connections of Postgres to everything else.
import type { Database } from '../db/database.js';
import { fairly } from '../ground/concurrency.js';
import { busy } from '../ground/problems.js';

/**
 * One read of an organization. It must use one connection at a time, and not ask for a second place. Covers are short, and
 * have places of their own, so that they never wait for a long read. Throws 503 if too many reads of the organization wait.
 */
export type ExpensiveReads = <T>(
  orgId: string,
  work: () => Promise<T>,
  kind?: 'long' | 'covers',
) => Promise<T>;

/** Per organization and kind. */
const WAITING = 32;
const SECONDS = 1;

/** On SQLite a place is a process for long reads, so one organization has one, and the next another. */
const ON_SQLITE = { long: 2, covers: 2 };
const MOST = 6;

export function createExpensiveReads(engine: Database['engine'], poolSize: number): ExpensiveReads {
  const half = Math.floor(poolSize / 2);
  const covers = Math.min(MOST, Math.floor(half / 2));
  const places = engine === 'sqlite' ? ON_SQLITE : { long: Math.min(MOST, half - covers), covers };
  const long = fairly(sharesOf(places.long));
  // A pool of two or three connections has room for one kind.
  const lines = { long, covers: places.covers === 0 ? long : fairly(sharesOf(places.covers)) };
  return async (orgId, work, kind = 'long') => {
    const result = lines[kind](orgId, work);
    if (result) return result;
    throw busy(
      `${WAITING} searches, lists or timelines of your organization are waiting. Try again in a moment.`,
      SECONDS,
    );
  };
}

const sharesOf = (most: number) => ({ most, perKey: Math.max(1, Math.floor(most / 2)), waiting: WAITING });
