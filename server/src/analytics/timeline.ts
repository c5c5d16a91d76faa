// Analytics by day.
import type { App } from '../api/app.js';
import type { Caller } from '../api/caller.js';
import { parseTimestamp, toTimestamp } from '../ground/clock.js';
import { invalid } from '../ground/problems.js';
import { isSuccess, mustIncludeAnalytics } from './analytics.js';
import { type CountedDay, countDays, DAY_MS, dayOf } from './days.js';
import type { AskTimeline, Timeline } from './schema.js';

const MOST_DAYS = 366;
const DEFAULT_DAYS = 30;
/** The wire format has no earlier time. */
const FIRST_MOMENT = Date.parse('0000-01-01T00:00:00Z');
/** Error codes come from the platform, in any number. */
const MOST_CODES = 100;

export async function getTimeline(app: App, caller: Caller, input: AskTimeline): Promise<Timeline> {
  mustIncludeAnalytics(app, caller);
  const { from, to } = rangeOf(input, app.clock.now());
  const days = await app.expensiveReads(caller.orgId, () => countDays(app, caller.orgId, from, to));
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
    days: days.map(({ shown }) => ({ ...shown, success_rate: rateOf(shown.dispatches) })),
    failures: failuresOf(days),
    totals,
  };
}

/** Defaults to today and the 29 days before it. */
function rangeOf(input: AskTimeline, now: number): { from: number; to: number } {
  const to = input.to === undefined ? now : (parseTimestamp(input.to) as number);
  const from =
    input.from === undefined
      ? Math.max(FIRST_MOMENT, (dayOf(to - 1) - DEFAULT_DAYS + 1) * DAY_MS)
      : (parseTimestamp(input.from) as number);
  if (from >= to) throw invalid([{ pointer: '/from', message: 'must be before to' }]);
  if (to - from > MOST_DAYS * DAY_MS)
    throw invalid([{ pointer: '/from', message: `must be at most ${MOST_DAYS} days before to` }]);
  return { from, to };
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
    .slice(0, MOST_CODES);
}
