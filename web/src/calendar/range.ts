// Which days a calendar shows, in the viewer's zone. Days are local midnights: built from parts, never by adding hours,
// so that a day of 23 or 25 hours changes nothing.

export type View = 'month' | 'week';

/** The hours of a week scroll inside this height. */
export const WEEK_HEIGHT = 'max(440px, calc(100dvh - 190px))';

export interface Range {
  from: Date;
  /** Exclusive. */
  to: Date;
}

/** "2026-11-15" as in the URL; today if that has no date. */
export function dayFrom(text: string | undefined, now: number): Date {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '') ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return Number.isNaN(date.getTime()) ? midnight(new Date(now)) : date;
}

export function rangeOf(view: View, day: Date, firstDay: number): Range {
  if (view === 'week') {
    const from = weekStart(day, firstDay);
    return { from, to: plusDays(from, 7) };
  }
  const first = new Date(day.getFullYear(), day.getMonth(), 1);
  const last = new Date(day.getFullYear(), day.getMonth() + 1, 0);
  return { from: weekStart(first, firstDay), to: plusDays(weekStart(last, firstDay), 7) };
}

/** The day to show after a step forward or back. */
export function step(view: View, day: Date, by: 1 | -1): Date {
  return view === 'week' ? plusDays(day, 7 * by) : new Date(day.getFullYear(), day.getMonth() + by, 1);
}

export function titleOf(view: View, day: Date, { from, to }: Range): string {
  if (view === 'month')
    return new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' }).format(day);
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }).formatRange(
    from,
    plusDays(to, -1),
  );
}

/** Which week of a month has the first day that is not over, from 0; the second of a month that is over or ahead. */
export function freeWeek({ from, to }: Range, now: number): number {
  if (now < from.getTime() || now >= to.getTime()) return 1;
  for (let week = 0; ; week++) if (now < plusDays(from, 7 * (week + 1)).getTime()) return week;
}

export const plusDays = (day: Date, days: number): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);

export const midnight = (at: Date): Date => plusDays(at, 0);

function weekStart(day: Date, firstDay: number): Date {
  return plusDays(day, -((day.getDay() - firstDay + 7) % 7));
}

const HOUR = 3_600_000;

/** The time to suggest on a day: noon, or the next full hour when that is past. */
export function timeOn(day: Date, leadMs: number, now = Date.now()): Date {
  const noon = new Date(day.getFullYear(), day.getMonth(), day.getDate(), 12);
  if (noon.getTime() >= now + leadMs) return noon;
  const next = new Date(Math.ceil((now + leadMs) / HOUR) * HOUR);
  const isToday = midnight(day).getTime() === midnight(new Date(now)).getTime();
  // Late in the evening the next hour is on the next day: then the last minute of this day is suggested.
  if (isToday) return next < plusDays(day, 1) ? next : new Date(plusDays(day, 1).getTime() - 60_000);
  return noon;
}

/** The hour of a draft's own time on a day, while that is far enough ahead; else the time to suggest. */
export function ownTimeOn(day: Date, own: string | null, leadMs: number, now = Date.now()): Date {
  const time = new Date(own ?? Number.NaN);
  const at = new Date(
    day.getFullYear(),
    day.getMonth(),
    day.getDate(),
    time.getHours(),
    time.getMinutes(),
    time.getSeconds(),
  );
  return at.getTime() >= now + leadMs ? at : timeOn(day, leadMs, now);
}
