// The day from which missed events are sent.
import { dayText } from '../../text/month.js';

/** Events are kept as long. */
export const MAX_DAYS = 30;

const DAY_MS = 86_400_000;

export const daysAgo = (days: number, now = Date.now()): Date => new Date(now - days * DAY_MS);

/** The start of the day in the viewer's zone; on the earliest day, the earliest time that the API accepts. */
export function sinceOf(day: string, now = Date.now()): string {
  const start = new Date(`${day}T00:00:00`);
  const earliest = daysAgo(MAX_DAYS, now);
  return (dayText(earliest) === day ? earliest : start).toISOString();
}
