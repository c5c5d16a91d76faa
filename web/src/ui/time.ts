// Times as people read them: near ones by their distance, far ones by their date, always in the viewer's zone.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Made once, and again when the viewer's clock goes to another offset. */
function kept<T>(make: () => T): () => T {
  let made: { value: T; offset: number } | undefined;
  return () => {
    const offset = new Date().getTimezoneOffset();
    if (made?.offset !== offset) made = { value: make(), offset };
    return made.value;
  };
}

/** Making a format takes much longer than using it, and a page of posts has hundreds of times. */
const format = (options: Intl.DateTimeFormatOptions): ((at: string | number | Date) => string) => {
  const made = kept(() => new Intl.DateTimeFormat('en-GB', options));
  return (at) => made().format(new Date(at));
};

const MINUTES = { hour: '2-digit', minute: '2-digit' } as const;
const DAY_AND_TIME = { weekday: 'short', day: 'numeric', month: 'short', ...MINUTES } as const;
const thisYear = format(DAY_AND_TIME);
const anotherYear = format({ ...DAY_AND_TIME, year: 'numeric' });
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

/** "Tue 1 Dec, 18:00"; with the year when it is another. */
export function dateAndTime(at: string | number | Date, now = Date.now()): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? thisYear : anotherYear)(date);
}

/** "18:00". */
export const clock = format(MINUTES);

/** "16:00 UTC", with the day when it is another one there. */
export function inUtc(at: string | number | Date): string {
  const date = new Date(at);
  const isSameDay = date.getUTCDate() === date.getDate();
  return `${(isSameDay ? utcTime : utcDayAndTime)(date)} UTC`;
}

/** The full date and time, for a tooltip. */
export function inFull(at: string | number | Date): string {
  return `${full(at)} ${zoneName()} (${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC)`;
}
