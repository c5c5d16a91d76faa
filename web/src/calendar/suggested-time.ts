import { midnight, plusDays } from './range.js';

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
