// Days of a calendar as texts such as "2026-11-18": they have no hours and no zone.

const DAY_MS = 86_400_000;

const utc = (day: string): Date => new Date(`${day}T00:00:00Z`);
const textOf = (date: Date): string => date.toISOString().slice(0, 10);

/** The day of a moment in the viewer's zone. */
export function dayText(day: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${String(day.getFullYear()).padStart(4, '0')}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

export const plusDays = (day: string, days: number): string =>
  textOf(new Date(utc(day).getTime() + days * DAY_MS));

/** The same day of another month, or its last. */
export function plusMonths(day: string, months: number): string {
  const date = utc(day);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0));
  last.setUTCDate(Math.min(date.getUTCDate(), last.getUTCDate()));
  return textOf(last);
}

/** 0 is Sunday. */
export const weekdayOf = (day: string): number => utc(day).getUTCDay();

/** Six weeks, so that every month is equally high; null for days of other months. */
export function weeksOf(day: string, firstWeekday: number): (string | null)[][] {
  const month = day.slice(0, 7);
  const first = `${month}-01`;
  const start = plusDays(first, -((weekdayOf(first) - firstWeekday + 7) % 7));
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, i) => {
      const one = plusDays(start, week * 7 + i);
      return one.startsWith(month) ? one : null;
    }),
  );
}

/** The first or the last day of the week. */
export function edgeOfWeek(day: string, firstWeekday: number, isEnd: boolean): string {
  const since = (weekdayOf(day) - firstWeekday + 7) % 7;
  return plusDays(day, isEnd ? 6 - since : -since);
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return (day: string): string => made.format(utc(day));
};

/** "November 2026". */
export const monthName = format({ month: 'long', year: 'numeric' });
/** "Wednesday 18 November 2026". */
export const dayName = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
/** "18 Nov 2026". */
export const dateName = format({ day: 'numeric', month: 'short', year: 'numeric' });
/** "Wed 18 Nov". */
export const shortDay = format({ weekday: 'short', day: 'numeric', month: 'short' });
export const weekdayName = format({ weekday: 'long' });

/** The first day of the week in the viewer's region: 0 is Sunday. Monday where the browser does not know. */
export function firstDayOf(language: string): number {
  const locale = new Intl.Locale(language) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return ((locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1) % 7;
}
