// Counts per day of a time zone, read from the rows themselves through covering indexes: exact, with nothing for publishing to
// maintain. A range is read in small chunks, so that on SQLite no other query waits longer than one chunk.
//
// A past day is counted once and cached while the organization's revision stays the same: every change to old rows raises
// that number in the same transaction (see analytics/revision.ts). The revision is read before counting starts, so a
// cached count includes every change up to that revision, and a later change invalidates it.

import { setImmediate } from 'node:timers/promises';
import type { App } from '../app/app.js';
import type { CountedDay } from '../app/process-state.js';
import { toTimestamp } from '../core/clock.js';
import { DAY_MS } from '../core/durations.js';
import type { Calendar } from '../core/time-zones.js';
import { prepareRead } from '../db/prepared-statements.js';
import { findRevision, OLD_MS } from './revision.js';

/** Per read. A chunk with more is read again in halves, down to a millisecond. */
const MAX_ROWS = 2_000;
const MAX_CHUNK_MS = 32 * DAY_MS;
const ALL = 1_000_000_000;
/** For all organizations: about 10 MB. The least recently requested are dropped first. */
const MAX_CACHED = 20_000;
/** Per organization: a client that asks for every year since 0000 must not fill the cache. */
const MAX_OF_ONE = 1_500;

/** Every day that overlaps the range; only what lies within the range counts. */
export async function countDays(
  app: App,
  orgId: string,
  calendar: Calendar,
  from: number,
  to: number,
): Promise<CountedDay[]> {
  const { dayOf, startOf } = calendar;
  const { days: known, remember } = await recall(app, orgId, calendar);
  const isOver = (day: number) => startOf(day + 1) + 2 * OLD_MS <= app.clock.now();
  const isWhole = (day: number) => startOf(day) >= from && startOf(day + 1) <= to;
  const counted: CountedDay[] = [];
  for (let day = dayOf(from); startOf(day) < to; ) {
    const found = isWhole(day) ? known.get(day) : undefined;
    if (found) {
      counted.push(found);
      day++;
      continue;
    }
    let next = day + 1;
    while (startOf(next) < to && !(isWhole(next) && known.has(next))) next++;
    const start = Math.max(from, startOf(day));
    for (const [n, one] of await count(app, orgId, calendar, start, Math.min(to, startOf(next)))) {
      counted.push(one);
      if (isWhole(n) && isOver(n)) remember(n, one);
    }
    day = next;
  }
  return counted;
}

async function recall(app: App, orgId: string, { timeZone }: Calendar) {
  const [row] = await findRevision(app.db.read, orgId);
  const revision = row?.n ?? 0;
  const memory = app.state.countedDays;
  const key = `${orgId} ${timeZone}`;
  const found = memory.get(key);
  const known = found?.revision === revision ? found : { revision, days: new Map<number, CountedDay>() };
  // Insertion order is the order of use: the last entry was requested last.
  memory.delete(key);
  memory.set(key, known);
  return {
    days: known.days,
    remember(day: number, counted: CountedDay) {
      if (known.days.size >= MAX_OF_ONE) known.days.clear();
      known.days.set(day, counted);
      let sum = 0;
      for (const { days } of memory.values()) sum += days.size;
      for (const [oldest, { days }] of memory) {
        if (sum <= MAX_CACHED || oldest === key) break;
        memory.delete(oldest);
        sum -= days.size;
      }
    },
  };
}

/** Scans a range of one index that covers it, up to a number of rows. */
const postsBy = (moment: 'created_at' | 'posted_at') =>
  prepareRead((read, orgId: string, from: number, to: number, limit: number) =>
    read
      .selectFrom('posts')
      .select((eb) => eb.ref(moment).$notNull().as('at'))
      .where('org_id', '=', orgId)
      .where(moment, '>=', from)
      .where(moment, '<', to)
      .limit(limit),
  );

const findPostsCreated = postsBy('created_at');
const findPostsPublished = postsBy('posted_at');

const findDispatches = prepareRead((read, orgId: string, from: number, to: number, limit: number) =>
  read
    .selectFrom('dispatches')
    .select(['started_at', 'outcome', 'scheduled_for', 'error_code'])
    .where('org_id', '=', orgId)
    .where('started_at', '>=', from)
    .where('started_at', '<', to)
    .limit(limit),
);

async function count(
  app: App,
  orgId: string,
  calendar: Calendar,
  from: number,
  to: number,
): Promise<Map<number, CountedDay>> {
  const days = new Map<number, CountedDay>();
  const lateness = new Map<number, number[]>();
  for (let day = calendar.dayOf(from); calendar.startOf(day) < to; day++) {
    days.set(day, emptyDay(day));
    lateness.set(day, []);
  }
  const dayOf = daysFinder(calendar);
  const dayAt = (ms: number) => days.get(dayOf(ms)) as CountedDay;
  let chunk = DAY_MS / 4;
  for (let start = from; start < to; ) {
    const end = Math.min(start + chunk, to);
    const limit = chunk > 1 ? MAX_ROWS + 1 : ALL;
    // One after the other, on one connection.
    const created = await findPostsCreated(app.db.read, orgId, start, end, limit);
    await setImmediate();
    const published = await findPostsPublished(app.db.read, orgId, start, end, limit);
    await setImmediate();
    const dispatches = await findDispatches(app.db.read, orgId, start, end, limit);
    await setImmediate();
    const rows = Math.max(created.length, published.length, dispatches.length);
    if (rows > MAX_ROWS && chunk > 1) {
      chunk = Math.ceil(chunk / 2);
      continue;
    }
    for (const { at } of created) dayAt(at).shown.posts_created++;
    for (const { at } of published) dayAt(at).shown.posts_published++;
    for (const { started_at, outcome, scheduled_for, error_code } of dispatches) {
      const { shown, failures } = dayAt(started_at);
      shown.dispatches[outcome]++;
      if (outcome === 'failed')
        failures.set(error_code ?? 'unknown', (failures.get(error_code ?? 'unknown') ?? 0) + 1);
      if (scheduled_for !== null) lateness.get(dayOf(started_at))?.push(started_at - scheduled_for);
    }
    if (rows < MAX_ROWS / 4) chunk = Math.min(MAX_CHUNK_MS, 2 * chunk);
    start = end;
  }
  for (const [day, values] of lateness) {
    const { shown } = days.get(day) as CountedDay;
    values.sort((a, b) => a - b);
    shown.lateness_p50_ms = percentile(values, 50);
    shown.lateness_p99_ms = percentile(values, 99);
  }
  return days;
}

/** Most rows are of the same day as the one before. Asking the time zone for each would take longer than counting. */
function daysFinder({ dayOf, startOf }: Calendar): (ms: number) => number {
  let [day, start, end] = [0, 0, 0];
  return (ms) => {
    if (ms < start || ms >= end) {
      day = dayOf(ms);
      [start, end] = [startOf(day), startOf(day + 1)];
    }
    return day;
  };
}

/** Nearest rank: the smallest value that at least this percentage of all values do not exceed. */
function percentile(sorted: number[], hundredths: number): number | null {
  return sorted[Math.ceil((hundredths * sorted.length) / 100) - 1] ?? null;
}

const emptyDay = (day: number): CountedDay => ({
  shown: {
    date: toTimestamp(day * DAY_MS).slice(0, 10),
    posts_created: 0,
    posts_published: 0,
    dispatches: { started: 0, accepted: 0, published: 0, in_inbox: 0, failed: 0, unknown: 0 },
    lateness_p50_ms: null,
    lateness_p99_ms: null,
  },
  failures: new Map(),
});
