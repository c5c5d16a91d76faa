// Times as people read them: near ones by their distance, far ones by their date, always in the viewer's zone.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

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
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(date);
}

/** "18:00". */
export const clock = (at: string | number | Date): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(new Date(at));

/** "16:00 UTC", with the day when it is another one there. */
export function inUtc(at: string | number | Date): string {
  const date = new Date(at);
  const isSameDay = date.getUTCDate() === date.getDate();
  const day = isSameDay ? {} : ({ day: 'numeric', month: 'short' } as const);
  const text = new Intl.DateTimeFormat('en-GB', {
    ...day,
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  }).format(date);
  return `${text} UTC`;
}

/** The full date and time, for a tooltip. */
export function inFull(at: string | number | Date): string {
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' }).format(
    new Date(at),
  );
  return `${local} ${zoneName()} (${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC)`;
}
