// Times as people read them: near ones by their distance, far ones by their date, always in the viewer's zone, on the clock
// that the person prefers.
import { type TimeFormat, timeFormat } from './time-format.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Made once, and again when the viewer's clock goes to another offset, or the person prefers another format. */
function kept<T>(make: (hours: TimeFormat) => T): () => T {
  let made: { value: T; offset: number; hours: TimeFormat } | undefined;
  return () => {
    const offset = new Date().getTimezoneOffset();
    const hours = timeFormat();
    if (made?.offset !== offset || made.hours !== hours) made = { value: make(hours), offset, hours };
    return made.value;
  };
}

/** Making a format takes much longer than using it, and a page of posts has hundreds of times. */
const format = (options: Intl.DateTimeFormatOptions): ((at: string | number | Date) => string) => {
  const made = kept((hours) => new Intl.DateTimeFormat('en-GB', { ...options, ...clockOf(options, hours) }));
  return (at) => made().format(new Date(at));
};

/** "09:05" or "9:05 am". */
function clockOf({ minute }: Intl.DateTimeFormatOptions, hours: TimeFormat): Intl.DateTimeFormatOptions {
  const hourCycle = hours === '12h' ? 'h12' : 'h23';
  return minute === undefined
    ? { hourCycle }
    : { hourCycle, hour: hours === '12h' ? 'numeric' : '2-digit', minute };
}

const MINUTES = { hour: '2-digit', minute: '2-digit' } as const;
const DAY_AND_TIME = { weekday: 'short', day: 'numeric', month: 'short', ...MINUTES } as const;
const thisYear = format(DAY_AND_TIME);
const anotherYear = format({ ...DAY_AND_TIME, year: 'numeric' });
const toTheSecond = format({ ...DAY_AND_TIME, second: '2-digit' });
const full = format({ dateStyle: 'full', timeStyle: 'medium' });
const utcTime = format({ ...MINUTES, timeZone: 'UTC' });
const utcDayAndTime = format({ day: 'numeric', month: 'short', ...MINUTES, timeZone: 'UTC' });

export const zoneName = kept(() => Intl.DateTimeFormat().resolvedOptions().timeZone);

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
  return (isThisYear ? thisYear : anotherYear)(date);
}

/** "Tue 1 Dec, 18:00:05". */
export const dateAndSeconds = (at: string | number | Date): string => toTheSecond(at);

/** "18:00" or "6:00 pm". */
export const clock = format(MINUTES);

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
  return `${(isSameDay ? utcTime : utcDayAndTime)(date)} UTC`;
}

/** The full date and time, for a tooltip. */
export function inFull(at: string | number | Date): string {
  return `${full(at)} ${zoneName()} (${inUtc(at)})`;
}
