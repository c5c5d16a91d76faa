// Times as people read them: near ones by their distance, far ones by their date, always in the viewer's zone, on the clock
// that the person prefers.
import { clockText, timeFormat } from './time-format.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Made once, and again when the viewer's clock goes to another offset. */
function lazy<T>(make: () => T): () => T {
  let made: { value: T; offset: number } | undefined;
  return () => {
    const offset = new Date().getTimezoneOffset();
    if (made?.offset !== offset) made = { value: make(), offset };
    return made.value;
  };
}

/** Making a format takes much longer than using it, and a page of posts has hundreds of times. */
const format = (options: Intl.DateTimeFormatOptions): ((at: Date) => string) => {
  const made = lazy(() => new Intl.DateTimeFormat('en-GB', options));
  return (at) => made().format(at);
};

const DAY_AND_MONTH = { day: 'numeric', month: 'short' } as const;
const WITH_WEEKDAY = { weekday: 'short', ...DAY_AND_MONTH } as const;
const thisYear = format(WITH_WEEKDAY);
const year = format({ year: 'numeric' });
/** As in this year: "Sun, 28 Mar 2027" is how `Intl` would write it, beside "Sun 28 Mar". */
const anotherYear = (at: Date): string => `${thisYear(at)} ${year(at)}`;
const fullDay = format({ dateStyle: 'full' });
const utcDay = format({ ...DAY_AND_MONTH, timeZone: 'UTC' });

export const zoneName = lazy(() => Intl.DateTimeFormat().resolvedOptions().timeZone);

/** "2 h 14 min": the two largest parts that say something. */
export function duration(ms: number): string {
  const total = Math.max(0, Math.round(Math.abs(ms) / 1000));
  if (total < 60) return `${total} s`;
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  // Far ones by whole days, to the nearest.
  if (hours >= 7 * 24) return `${Math.round(minutes / (24 * 60))} days`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** Within a day "in 2 h 14 min", "just now" or "3 min ago", else the date. */
export function relative(at: string | number | Date, now: number): string {
  const ms = new Date(at).getTime() - now;
  if (Math.abs(ms) >= DAY) return dateAndTime(at, now);
  if (ms > 0 && ms < 5_000) return 'now';
  if (ms <= 0 && ms > -MINUTE) return 'just now';
  return ms > 0 ? `in ${duration(ms)}` : `${duration(ms)} ago`;
}

/** "Tue 1 Dec, 18:00" or "Tue 1 Dec, 6:00 pm"; with the year when it is another. */
export function dateAndTime(at: string | number | Date, now = Date.now()): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return `${(isThisYear ? thisYear : anotherYear)(date)}, ${clock(date)}`;
}

/** "Tue 1 Dec, 18:00:05". */
export const dateAndSeconds = (at: string | number | Date): string =>
  `${thisYear(new Date(at))}, ${clockAndSeconds(new Date(at))}`;

/** "18:00" or "6:00 pm". */
export function clock(at: string | number | Date): string {
  const date = new Date(at);
  return clockText(date.getHours(), date.getMinutes(), timeFormat());
}

const clockAndSeconds = (date: Date): string =>
  clockText(date.getHours(), date.getMinutes(), timeFormat(), date.getSeconds());

/** "18:00" today, "tomorrow, 06:00", "yesterday, 22:00", else "Tue 1 Dec, 18:00". */
export function dayAndClock(at: string | number | Date, now: number): string {
  const then = new Date(at);
  const today = new Date(now);
  const dayAfter = (days: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days).toDateString();
  if (then.toDateString() === today.toDateString()) return clock(then);
  if (then.toDateString() === dayAfter(1)) return `tomorrow, ${clock(then)}`;
  if (then.toDateString() === dayAfter(-1)) return `yesterday, ${clock(then)}`;
  return dateAndTime(then, now);
}

/** "16:00 UTC", with the day when it is another one there. */
export function inUtc(at: string | number | Date): string {
  const date = new Date(at);
  const isSameDay = date.getUTCDate() === date.getDate();
  const time = clockText(date.getUTCHours(), date.getUTCMinutes(), timeFormat());
  return `${isSameDay ? '' : `${utcDay(date)}, `}${time} UTC`;
}

/** The full date and time, for a tooltip. */
export function inFull(at: string | number | Date): string {
  const date = new Date(at);
  return `${fullDay(date)} at ${clockAndSeconds(date)} ${zoneName()} (${inUtc(at)})`;
}
