// Analytics by day, of a time zone.

import type { App } from '../app/app.js';
import type { CountedDay } from '../app/process-state.js';
import { parseTimestamp, toTimestamp } from '../core/clock.js';
import { DAY_MS, HOUR_MS } from '../core/durations.js';
import { invalid } from '../core/problems.js';
import { type Calendar, calendarOf, UTC } from '../core/time-zones.js';
import type { Caller } from '../request/caller.js';
import { assertIncludesAnalytics, isSuccess } from './analytics.js';
import { countDays } from './days.js';
import type { AskTimeline, Timeline } from './schema.js';

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;
/** The wire format has no earlier and no later time. */
const FIRST_MOMENT = Date.parse('0000-01-01T00:00:00Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');
/** Error codes come from the platform, in any number. */
const MAX_CODES = 100;

export async function getTimeline(app: App, caller: Caller, input: AskTimeline): Promise<Timeline> {
  assertIncludesAnalytics(app, caller);
  const { calendar, from, to } = rangeOf(input, app.clock.now());
  const days = await app.queues.longReads(caller.orgId, () =>
    countDays(app, caller.orgId, calendar, from, to),
  );
  const totals = { dispatches: 0, successful: 0, failed: 0, unknown: 0 };
  for (const { shown } of days) {
    const { all, successful } = sumOf(shown.dispatches);
    totals.dispatches += all;
    totals.successful += successful;
    totals.failed += shown.dispatches.failed;
    totals.unknown += shown.dispatches.unknown;
  }
  return {
    from: toTimestamp(from),
    to: toTimestamp(to),
    time_zone: calendar.timeZone,
    days: days.map(({ shown }) => ({ ...shown, success_rate: rateOf(shown.dispatches) })),
    failures: failuresOf(days),
    totals,
  };
}

/** Defaults to today and the 29 days before it. A plain date stands for its whole day. */
function rangeOf(input: AskTimeline, now: number): { calendar: Calendar; from: number; to: number } {
  const calendar = calendarOf(input.time_zone ?? 'UTC');
  if (calendar === null)
    throw invalid([{ pointer: '/time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' }]);
  const { dayOf, startOf } = calendar;
  const timeOf = (name: 'from' | 'to', text: string): number => {
    const day = dayIn(text);
    const at = day === null ? parseTimestamp(text) : startOf(name === 'to' ? day + 1 : day);
    if (at === null)
      throw invalid([
        { pointer: `/${name}`, message: 'must be a date, or a date and time with a UTC offset' },
      ]);
    return Math.min(LAST_MOMENT, Math.max(FIRST_MOMENT, at));
  };
  const to = input.to === undefined ? now : timeOf('to', input.to);
  const from =
    input.from === undefined
      ? Math.max(FIRST_MOMENT, startOf(dayOf(to - 1) - DEFAULT_DAYS + 1))
      : timeOf('from', input.from);
  if (from >= to) throw invalid([{ pointer: '/from', message: 'must be before to' }]);
  // Clocks that go back make days longer.
  const longest = MAX_DAYS * DAY_MS + (calendar === UTC ? 0 : HOUR_MS);
  if (to - from > longest)
    throw invalid([{ pointer: '/from', message: `must be at most ${MAX_DAYS} days before to` }]);
  return { calendar, from, to };
}

/** The number of a day that is written as a plain date; null if it is not, or no such day exists. */
function dayIn(text: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : null;
  return at === null ? null : UTC.dayOf(at);
}

type Dispatches = CountedDay['shown']['dispatches'];

function sumOf(dispatches: Dispatches): { all: number; successful: number } {
  let [all, successful] = [0, 0];
  for (const [outcome, n] of Object.entries(dispatches)) {
    all += n;
    if (isSuccess(outcome)) successful += n;
  }
  return { all, successful };
}

function rateOf(dispatches: Dispatches): number | null {
  const { all, successful } = sumOf(dispatches);
  return all === 0 ? null : Math.round((100 * successful) / all);
}

function failuresOf(days: CountedDay[]): Timeline['failures'] {
  const counts = new Map<string, number>();
  for (const { failures } of days)
    for (const [code, n] of failures) counts.set(code, (counts.get(code) ?? 0) + n);
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
    .slice(0, MAX_CODES);
}
