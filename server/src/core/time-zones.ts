// Days of the calendar in a time zone. A day is not always 24 hours: shifting by days keeps the wall-clock time.
import { DAY_MS } from './durations.js';

/** The names that `Intl` takes, except offsets, which have no summer time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Moves a time by days. */
type ShiftDays = (at: number, days: number) => number;

/**
 * For an IANA time zone; null if there is none of that name. A local time that does not exist on the new day, because clocks go
 * forward then, moves forward as far as they do: 2:30 becomes 3:30. Of a local time that occurs twice, the first one is meant.
 */
export function daysIn(timeZone: string): ShiftDays | null {
  const offsetAt = offsetsOf(timeZone);
  if (offsetAt === null) return null;
  return (at, days) => nearMoment(offsetAt, at + offsetAt(at) + days * DAY_MS);
}

/** The moment at which clocks show a local time; or, if they skip it or show it twice, what can be written instead. */
export type LocalTime = { at: number } | { isSkipped: boolean; instead: string[] };

/**
 * For an IANA time zone; null if there is none of that name. Local times are given as if they were UTC. `instead` has offsets: of a
 * time that occurs twice both moments, of one that is skipped the moment as much later as clocks go forward.
 */
export function localTimeIn(timeZone: string): ((local: number) => LocalTime) | null {
  const offsetAt = offsetsOf(timeZone);
  if (offsetAt === null) return null;
  const text = (at: number) => withOffset(at, offsetAt(at));
  return (local) => {
    const moments = momentsOf(offsetAt, local);
    const [at, second] = moments;
    if (at === undefined) return { isSkipped: true, instead: [text(nearMoment(offsetAt, local))] };
    return second === undefined ? { at } : { isSkipped: false, instead: moments.map(text) };
  };
}

/** 2027-10-31T02:30+02:00; seconds only if there are any. */
function withOffset(at: number, offset: number): string {
  const local = new Date(at + offset).toISOString();
  const minutes = Math.abs(Math.round(offset / 60_000));
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  const time = local.slice(0, local.slice(17, 19) === '00' ? 16 : 19);
  return `${time}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** Days are numbered by their dates: 0 is 1 January 1970, wherever that begins. */
export interface Calendar {
  readonly timeZone: string;
  dayOf(at: number): number;
  /** The first moment of a day. */
  startOf(day: number): number;
}

export const UTC: Calendar = {
  timeZone: 'UTC',
  dayOf: (at) => Math.floor(at / DAY_MS),
  startOf: (day) => day * DAY_MS,
};

/** The calendar of an IANA time zone; null if there is none of that name. */
export function calendarOf(timeZone: string): Calendar | null {
  if (timeZone === UTC.timeZone) return UTC;
  const offsetAt = offsetsOf(timeZone);
  if (offsetAt === null) return null;
  const starts = new Map<number, number>();
  return {
    timeZone,
    dayOf: (at) => Math.floor((at + offsetAt(at)) / DAY_MS),
    startOf(day) {
      const start = starts.get(day) ?? nearMoment(offsetAt, day * DAY_MS);
      starts.set(day, start);
      return start;
    },
  };
}

/** When the clocks of the zone show a local time, by the rules above; as much later as they go forward, if they never do. */
function nearMoment(offsetAt: OffsetAt, local: number): number {
  return momentsOf(offsetAt, local)[0] ?? local - offsetAt(local - DAY_MS);
}

/** The first one first. None if clocks skip the time, two if they show it twice. */
function momentsOf(offsetAt: OffsetAt, local: number): number[] {
  // The offsets around the day: equal, unless clocks change within it.
  const around = new Set([offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)]);
  const exists = [...around].map((offset) => local - offset).filter((at) => at + offsetAt(at) === local);
  return exists.sort((a, b) => a - b);
}

type OffsetAt = (at: number) => number;

/** How far the clocks of the zone are ahead of UTC at a time, in milliseconds. */
function offsetsOf(timeZone: string): OffsetAt | null {
  if (!NAME.test(timeZone)) return null;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null;
  }
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
    const local = new Date(0);
    const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
    local.setUTCFullYear(year, part('month') - 1, part('day'));
    local.setUTCHours(part('hour'), part('minute'), part('second'));
    return local.getTime() - Math.floor(at / 1000) * 1000;
  };
}
