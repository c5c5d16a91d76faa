// The data of the charts, in the words and colours of the statuses.
import type { Day } from './queries.js';

export interface Series<Value extends number | null = number | null> {
  key: string;
  label: string;
  color: string;
  /** null: there was nothing to measure that day. */
  of: (day: Day) => Value;
}

/** In stacking order. Open attempts are one of them. */
export const OUTCOMES: Series<number>[] = [
  {
    key: 'published',
    label: 'Posted',
    color: 'var(--chart-published)',
    of: (day) => day.dispatches.published,
  },
  {
    key: 'in_inbox',
    label: 'In the inbox',
    color: 'var(--chart-inbox)',
    of: (day) => day.dispatches.in_inbox,
  },
  {
    key: 'open',
    label: 'In progress',
    color: 'var(--chart-open)',
    of: ({ dispatches }) => dispatches.started + dispatches.accepted,
  },
  { key: 'failed', label: 'Failed', color: 'var(--chart-failed)', of: (day) => day.dispatches.failed },
  {
    key: 'unknown',
    label: 'Outcome unknown',
    color: 'var(--chart-unknown)',
    of: (day) => day.dispatches.unknown,
  },
];

export const POSTS: Series[] = [
  { key: 'created', label: 'Created', color: 'var(--chart-created)', of: (day) => day.posts_created },
  // Posted, or sent to the inbox.
  { key: 'published', label: 'Sent', color: 'var(--chart-published)', of: (day) => day.posts_published },
];

const LATENESS: Series[] = [
  { key: 'p50', label: 'Typical', color: 'var(--chart-created)', of: (day) => day.lateness_p50_ms },
];

/** Fewer attempts than these have no slowest hundredth to speak of. */
const MANY = 20;

export const isBusy = (day: Day): boolean => OUTCOMES.reduce((total, { of }) => total + of(day), 0) >= MANY;

const SLOWEST: Series = {
  key: 'p99',
  label: 'Slowest 1%',
  color: 'var(--chart-open)',
  of: (day) => (isBusy(day) ? day.lateness_p99_ms : null),
};

/** With the slowest only where a day had enough posts. */
export const latenessOf = (days: Day[]): Series[] => (days.some(isBusy) ? [...LATENESS, SLOWEST] : LATENESS);

// Where the lines of a chart's grid are, and which of its days are named.

const MAX_STEPS = 5;
const MAX_NAMES = 8;

/** Round numbers from 0 to at least `highest`, evenly apart. None of them is a fraction. */
export function gridLines(highest: number): number[] {
  const least = Math.max(highest, 1) / MAX_STEPS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((size) => size >= least) ?? least);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, n) => n * step);
}

/** The days with a name below them, evenly apart. */
export function namedDays(count: number): number[] {
  const step = Math.ceil(count / MAX_NAMES);
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}

/** The middle of a day, in percent of the chart's width. */
export const middleOf = (day: number, count: number): number => round(((day + 0.5) / count) * 100);

/** How far down a value is, in percent of the chart's height. */
export const depthOf = (value: number, top: number): number => round(100 - (value / top) * 100);

const round = (percent: number): number => Math.round(percent * 100) / 100;
